"""Activations with parameters, which the model owns and trains: one set a layer.

A parameter is one scalar for a whole layer, as PyTorch's PReLU has it by default (Keras
has one a unit). Half precision is computed in float32 and rounded once.
"""

import math
from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Parameters = Mapping[str, Float[Array, ""]]

# Beyond this |βx| the slope of Swish is its limit to the last bit of float64.
_FAR = 800.0
# Below u = -40 σ(u) is exp(u), which is carried times e⁴⁰: XLA's own is 0 too early.
_LIFT = 40.0


def prelu(x: Float[Array, "..."], parameters: Parameters) -> Float[Array, "..."]:
    """Returns x from 0 up and negative_slope·x below, with slope 1 at 0 (He et al. 2015)."""
    wide, slope = _widened(x, parameters["negative_slope"])
    # NaN is on neither side, and its slope is NaN too.
    above = jnp.where(wide >= 0, 1, jnp.nan)
    return (wide * jnp.where(wide < 0, slope, above)).astype(x.dtype)


def swish_beta(x: Float[Array, "..."], parameters: Parameters) -> Float[Array, "..."]:
    """Returns x·σ(βx), β learnable (Ramachandran et al. 2017); silu where β is 1."""
    return _swish(*_widened(x, parameters["beta"])).astype(x.dtype)


def _widened(
    x: Float[Array, "..."], parameter: Float[Array, ""]
) -> tuple[Float[Array, "..."], Float[Array, ""]]:
    """Returns both in one dtype, of 32 bits at least."""
    dtype = jnp.promote_types(x.dtype, jnp.float32)
    return x.astype(dtype), parameter.astype(dtype)


@jax.custom_jvp
def _swish(x: Float[Array, "..."], beta: Float[Array, ""]) -> Float[Array, "..."]:
    u = beta * x
    tail = jnp.exp(jnp.minimum(u, 0) + _LIFT)
    # 0·(-∞) is no number, and the limit is 0.
    below = jnp.where(tail == 0, 0, x * tail * math.exp(-_LIFT))
    return jnp.where(u < -_LIFT, below, x * jax.lax.logistic(u))


@_swish.defjvp
def _swish_jvp(
    primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Slopes σ(u)(1 + u·σ(-u)) in x and x²·σ(u)·σ(-u) in β, with u = βx."""
    (x, beta), (x_dot, beta_dot) = primals, tangents
    u = jnp.clip(beta * x, -_FAR, _FAR)
    on, off = jax.lax.logistic(u), jax.lax.logistic(-u)
    below = jnp.exp(jnp.minimum(u, 0) + _LIFT) * (1 + u) * math.exp(-_LIFT)
    slope = jnp.where(u < -_LIFT, below, on * (1 + u * off))
    # Inner factors first: x² alone may overflow.
    return _swish(x, beta), slope * x_dot + x * (x * on * off) * beta_dot
