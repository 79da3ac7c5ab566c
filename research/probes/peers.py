"""The same functions in jax.nn, where it has them: compared with, held to no bound."""

from collections.abc import Callable
from functools import partial

import jax
from jaxtyping import Array, Float

PEERS: dict[str, Callable[[Float[Array, "..."]], Float[Array, "..."]]] = {
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "leaky_relu": jax.nn.leaky_relu,
    "gelu": partial(jax.nn.gelu, approximate=False),
    "gelu_tanh": partial(jax.nn.gelu, approximate=True),
    # jax.nn has none; this is how its users write it.
    "quick_gelu": lambda x: x * jax.nn.sigmoid(1.702 * x),
    "silu": jax.nn.silu,
    "mish": jax.nn.mish,
    "elu": jax.nn.elu,
    "celu": jax.nn.celu,
    "selu": jax.nn.selu,
    "softplus": jax.nn.softplus,
    "squareplus": jax.nn.squareplus,
    "log_sigmoid": jax.nn.log_sigmoid,
    "sigmoid": jax.nn.sigmoid,
    "tanh": jax.nn.tanh,
    "soft_sign": jax.nn.soft_sign,
    "hard_tanh": jax.nn.hard_tanh,
    "hard_sigmoid": jax.nn.hard_sigmoid,
    "hard_swish": jax.nn.hard_swish,
}
