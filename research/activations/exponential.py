"""The exponential with its small results kept, which the smooth activations stand on.

XLA's exp flushes below 2⁻¹²⁶, while products such as x·eˣ are still normal numbers
there, and its expm1 costs twice an exp. Here one range reduction, t = n·log 2 + r with
|r| < 0.35, gives eᵗ·2²⁴ and eᵗ - 1. Users multiply the factors of eᵗ·2²⁴ in first, and
UNSCALE last. All is for float32; float64 goes by JAX's own functions.
"""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.coefficients import EXP

UNSCALE = 2.0**-24

_LOG2E = 1 / math.log(2)
# log 2 in two parts; n times the first, of 9 bits, is exact for |n| < 2¹⁵.
_LOG2_HIGH = 355 / 512
_LOG2_LOW = math.log(2) - _LOG2_HIGH
# Added to an integer |n| < 2²², it leaves n + 127 + 24 in the low bits of a float32.
_SHIFTER = 1.5 * 2**23 + 127 + 24


def lowest(x: Float[Array, "..."]) -> float:
    """Returns the smallest exponent t to use: in x's type, eᵗ times any factor is 0."""
    return -104.0 if x.dtype == jnp.float32 else -760.0


@jax.custom_jvp
def exponentials(
    t: Float[Array, "..."],
) -> tuple[Float[Array, "..."], Float[Array, "..."]]:
    """Returns eᵗ·2²⁴ and eᵗ - 1, for lowest(t) <= t <= 44."""
    if t.dtype != jnp.float32:
        return _scaled_float64(t), jnp.expm1(t)
    n = _nearest(t * _LOG2E)
    scale = _power_of_two(n)
    growth = _expm1_near_zero((t - n * _LOG2_HIGH) - n * _LOG2_LOW)
    power = scale * UNSCALE
    return scale + scale * growth, (power - 1) + power * growth


@exponentials.defjvp
def _exponentials_jvp(primals, tangents):
    scaled, minus_one = exponentials(*primals)
    slope = scaled * tangents[0]
    return (scaled, minus_one), (slope, slope * UNSCALE)


def exponential_of_sum(
    high: Float[Array, "..."], low: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns exp(high + low)·2²⁴ for lowest(high) <= high + low <= 44.

    The rounding of the sum, which would cost up to |high + low| units in the last
    place, is not lost where |low| <= |high|; where not, it is in part.
    """
    total = high + low
    if high.dtype != jnp.float32:
        return _scaled_float64(total) * (1 + ((high - total) + low))
    n = _nearest(total * _LOG2E)
    scale = _power_of_two(n)
    rest = (high - n * _LOG2_HIGH) + (low - n * _LOG2_LOW)
    return scale + scale * _expm1_near_zero(rest)


@jax.custom_jvp
def gaussian(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns exp(-x²/2)·2²⁴, for -x²/2 >= lowest(x).

    Rounding x² would cost up to x²/4 units in the last place. So x = high + low, with so
    few bits in high that its square is exact: x² = high² + low·(x + high).
    """
    high = high_bits(x)
    low = (x - high) * (x + high)
    return exponential_of_sum(high * high * -0.5, low * -0.5)


@gaussian.defjvp
def _gaussian_jvp(primals, tangents):
    bell = gaussian(*primals)
    return bell, -primals[0] * bell * tangents[0]


def logistic_tail(scaled: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns σ(t)·2²⁴ from eᵗ·2²⁴, t <= 0."""
    return scaled / (1 + scaled * UNSCALE)


def high_bits(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x without its last 12 bits, in float64 27, so that its square is exact."""
    is_float32 = x.dtype == jnp.float32
    kind, cleared = (jnp.int32, 12) if is_float32 else (jnp.int64, 27)
    bits = jax.lax.bitcast_convert_type(x, kind)
    return jax.lax.bitcast_convert_type(bits & -(2**cleared), x.dtype)


def polynomial(
    coefficients: tuple[float, ...], x: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns Σ coefficients[i]·xⁱ, by Horner's rule."""
    total = jnp.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def _scaled_float64(t: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns eᵗ·2²⁴ by JAX's exp, kept off the range that it flushes.

    Not as the square of exp(t/2): XLA makes one exp of a product of two.
    """
    far = t < -350
    factor = jnp.where(far, math.exp(-350) / UNSCALE, 1 / UNSCALE)
    return jnp.exp(jnp.where(far, t + 350, t)) * factor.astype(t.dtype)


def _nearest(x: Float[Array, "..."]) -> Float[Array, "..."]:
    return jax.lax.round(x, jax.lax.RoundingMethod.TO_NEAREST_EVEN)


def _power_of_two(n: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns 2ⁿ·2²⁴ for an integer -151 < n < 104, written into the exponent's bits."""
    bits = jax.lax.bitcast_convert_type(n + _SHIFTER, jnp.int32)
    return jax.lax.bitcast_convert_type(bits << 23, jnp.float32)


def _expm1_near_zero(r: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns eʳ - 1 for |r| <= 0.4, as r + r²·P(r)."""
    return r + r * r * polynomial(EXP, r)
