"""A user's own activation, tried on shapes before anything trains with it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from research.errors import ConfigError
from research.own_code import load_function, reason


def load(word: str) -> Callable[[Any], Any]:
    """Returns the activation function that a word names.

    Raises:
      ConfigError: it cannot be loaded, traced or differentiated, or it does not map an
        array to an array of the same shape and dtype.
    """
    function = load_function(word, field="activations")
    example = jax.ShapeDtypeStruct((2, 3), jnp.float32)
    try:
        result = jax.eval_shape(function, example)
        jax.eval_shape(jax.grad(lambda x: function(x).sum()), example)
    except Exception as error:
        raise ConfigError(
            f"activations={word}: JAX cannot trace and differentiate it, "
            f"{reason(error)}"
        ) from error
    form = (getattr(result, "shape", None), getattr(result, "dtype", None))
    if form != (example.shape, example.dtype):
        raise ConfigError(
            f"activations={word}: must give float32[2,3] for float32[2,3], not {result}"
        )
    return function
