"""Activations whose value and derivatives come out of one computation.

Differentiating the formula of a value loses digits, or everything, where the formula
cancels, overflows or is flushed to zero. So each activation states its derivatives.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# Called with x, float32 or float64, and parameters: f(x), f'(x) and any further ones.
Terms = Callable[..., tuple[Float[Array, "..."], ...]]


def evaluate(
    terms: Terms, x: Float[Array, "..."], *parameters: float | int
) -> Float[Array, "..."]:
    """Returns the first of the terms at x, to be differentiated by the others.

    Under differentiation a value and its slope come out of one call of `terms`; past
    the derivatives that it gives, JAX differentiates the last. Types of fewer than 32
    bits are widened to float32 once, and each result is rounded once: the slope too,
    so that what the backward pass keeps is one array like x. Parameters are Python
    numbers, and are not differentiated.

    Raises:
      TypeError: x is not real floating point; integers are not promoted.
    """
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise TypeError(
            f"{terms.__name__.strip('_')} takes a floating-point array, not {x.dtype}:"
            " convert it first, as by x.astype(jnp.float32)"
        )
    return _up_to(0, terms, parameters, x)[0]


@partial(jax.jit, static_argnums=(0, 1, 2), inline=True)
def _first(order, terms, parameters, x):
    narrow = jnp.finfo(x.dtype).bits < 32
    results = terms(x.astype(jnp.float32) if narrow else x, *parameters)
    # The compiler drops the work for those left out.
    return tuple(result.astype(x.dtype) for result in results[: order + 1])


@partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _up_to(order, terms, parameters, x):
    """Returns f(x) and its derivatives up to an order, or as many as terms gives."""
    return _first(order, terms, parameters, x)


@_up_to.defjvp
def _up_to_jvp(order, terms, parameters, primals, tangents):
    (x,), (tangent,) = primals, tangents
    results = _up_to(order + 1, terms, parameters, x)
    slopes = tuple(slope * tangent for slope in results[1:])
    if len(results) == order + 2:
        return results[:-1], slopes
    last = partial(_first, order, terms, parameters)
    return results, (*slopes, jax.jvp(last, primals, tangents)[1][-1])
