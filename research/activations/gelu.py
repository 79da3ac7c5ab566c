"""GELU, its two approximations and SiLU: x·F(x), F a symmetric distribution.

With F(-x) = 1 - F(x) everything follows from the left tail F(-a) at a = |x|, and
nothing from 1 + erf, 1 + tanh or 1 - σ, in which the tail would vanish:
  x·F(x) = x·F(-a) below 0, x·(1 - F(-a)) above;
  its slope is G(a) = F(-a) - a·F'(a) below 0, 1 - G(a) above; its curvature is even.
The tail is carried times 2²⁴, as exponential.py explains.

XLA on a CPU compiles value and slope into two loops. It writes out what ends in a
division for both to read, and repeats cheaper things, or writes them out too where many
read them. So the tail ends in a division, and each loop cuts |x| off in its own way.
"""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.closed_form import evaluate
from research.activations.coefficients import MILLS
from research.activations.exponential import (
    UNSCALE,
    exponential_of_sum,
    exponentials,
    gaussian,
    high_bits,
    logistic_tail,
    lowest,
    polynomial,
)

Triple = tuple[Float[Array, "..."], Float[Array, "..."], Float[Array, "..."]]

_DENSITY = 1 / math.sqrt(2 * math.pi)  # of a standard normal at 0
# 2u = x·(linear + cubic·x²), the linear factor as 12 bits and the rest.
_TANH_LINEAR = 2 * math.sqrt(2 / math.pi)
_TANH_LINEAR_HIGH = 3268 / 2048
_TANH_LINEAR_LOW = _TANH_LINEAR - _TANH_LINEAR_HIGH
_TANH_CUBIC = _TANH_LINEAR * 0.044715


def gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·Φ(x), Φ the standard normal distribution (Hendrycks & Gimpel 2016).

    Φ(-a) = exp(-a²/2)·P(a)/Q(a), the Mills ratio over √(2π) being fitted by
    research/probes/fit.py. a² is exact: rounded, it would cost up to 8 units in the
    last place at x = -5 and 64 at -13. That takes some five instructions of fifty, and
    leaves this faster than a GELU by erfc, which does round it.
    """
    return evaluate(_gelu, x)


def gelu_tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·(1 + tanh(u))/2, u = √(2/π)(x + 0.044715x³), GELU's tanh form.

    Computed as x·σ(2u), the same number without the cancellation of 1 + tanh. What is
    left in float32 is the rounding of 2u: 25 units in the last place at x = -5, 200 at
    -10. The linear part of 2u is exact: in one number 2u would give 32 units at -5 and
    run an eighth faster; this is the more accurate one that keeps pace with jax.nn's.
    """
    return evaluate(_gelu_tanh, x)


def quick_gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·σ(1.702x), GELU's sigmoid form (Hendrycks & Gimpel 2016).

    The rounding of 1.702x is left in, up to 8 units in the last place at x = -5.
    """
    return evaluate(_quick_gelu, x)


def silu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·σ(x) (Elfwing et al. 2017; Swish with β = 1)."""
    return evaluate(_silu, x)


def _gelu(x: Float[Array, "..."]) -> Triple:
    """Returns value, slope and curvature: with φ the density, aφ = a·Φ(-a)/ratio.

    That is cheaper than a second exponential for the slope, and no less accurate.
    """
    largest = math.sqrt(-2 * lowest(x))
    numerator, denominator = MILLS[str(x.dtype)]
    a = _magnitude(x, largest)
    tail = gaussian(a) * polynomial(numerator, a) / polynomial(denominator, a)
    a = jnp.abs(_clip(x, largest))
    reciprocal = polynomial(denominator, a) / polynomial(numerator, a)
    slope = tail * (1 - _DENSITY * a * reciprocal) * UNSCALE
    return (
        _weighted(x, largest, tail),
        jnp.where(x < 0, slope, 1 - slope),
        _DENSITY * (2 - a * a) * gaussian(a) * UNSCALE,
    )


def _gelu_tanh(x: Float[Array, "..."]) -> Triple:
    # There 2u is within two percent of -lowest(x).
    largest = 10.65 if x.dtype == jnp.float32 else 21.7
    scaled = _exp_minus_2u(_magnitude(x, largest))
    a = jnp.abs(_clip(x, largest))
    z1 = _TANH_LINEAR + 3 * _TANH_CUBIC * (a * a)
    return _logistic(x, largest, logistic_tail(scaled), z1, 6 * _TANH_CUBIC * a)


@jax.custom_jvp
def _exp_minus_2u(a: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns exp(-2u)·2²⁴ at x = a >= 0; the linear part of 2u, in two, is exact."""
    high = high_bits(a)
    rest = a * (_TANH_LINEAR_LOW + _TANH_CUBIC * (a * a))
    rest = rest + _TANH_LINEAR_HIGH * (a - high)
    return exponential_of_sum(-_TANH_LINEAR_HIGH * high, -rest)


@_exp_minus_2u.defjvp
def _exp_minus_2u_jvp(primals, tangents):
    (a,), (tangent,) = primals, tangents
    scaled = _exp_minus_2u(a)
    return scaled, -(_TANH_LINEAR + 3 * _TANH_CUBIC * (a * a)) * scaled * tangent


def _quick_gelu(x: Float[Array, "..."]) -> Triple:
    largest = -lowest(x) / 1.702
    scaled, _ = exponentials(-1.702 * _magnitude(x, largest))
    return _logistic(x, largest, logistic_tail(scaled), 1.702, 0.0)


def _silu(x: Float[Array, "..."]) -> Triple:
    largest = -lowest(x)
    scaled, _ = exponentials(-_magnitude(x, largest))
    return _logistic(x, largest, logistic_tail(scaled), 1.0, 0.0)


def _logistic(
    x: Float[Array, "..."],
    largest: float,
    tail: Float[Array, "..."],
    z1: Float[Array, "..."] | float,
    z2: Float[Array, "..."] | float,
) -> Triple:
    """Returns value, slope and curvature of x·σ(z(x)), z odd.

    tail: σ(-z)·2²⁴ at a = |x|, where z1 = z' and z2 = z''; 0 where a > largest.
    With t = σ(-z) and s = σ(z) = 1 - t, σ'(z) = t·s and σ''(z) = t·s·(t - s):
      slope below 0   t - a·t·s·z';   curvature   t·s·(2z' + a·z'' + a·z'²·(t - s)).
    """
    a = jnp.abs(_clip(x, largest))
    t = tail * UNSCALE
    s = 1 - t
    slope = tail * (1 - a * z1 * s) * UNSCALE
    bend = 2 * z1 + a * (z2 - z1 * z1 * (1 - 2 * t))
    return (
        _weighted(x, largest, tail),
        jnp.where(x < 0, slope, 1 - slope),
        tail * s * bend * UNSCALE,
    )


def _weighted(
    x: Float[Array, "..."], largest: float, tail: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns x·F(x) from tail = F(-|x|)·2²⁴, which is 0 where |x| > largest."""
    y = jnp.where(x < -largest, -largest, x)
    return jnp.where(x < 0, y * tail * UNSCALE, y * (1 - tail * UNSCALE))


def _magnitude(x: Float[Array, "..."], largest: float) -> Float[Array, "..."]:
    """Returns |x|, at most `largest`. NaN stays, which costs less than by minimum."""
    a = jnp.abs(x)
    return jnp.where(a > largest, largest, a)


def _clip(x: Float[Array, "..."], largest: float) -> Float[Array, "..."]:
    """Returns x, cut off at ±largest. NaN stays."""
    return jnp.where(x < -largest, -largest, jnp.where(x > largest, largest, x))
