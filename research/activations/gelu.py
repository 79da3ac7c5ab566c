"""GELU, its two approximations and SiLU: x·F(x), F a symmetric distribution.

With F(-x) = 1 - F(x) everything follows from the left tail F(-a) at a = |x|, and
nothing from 1 + erf, 1 + tanh or 1 - σ, in which the tail would vanish:
  x·F(x) = x·F(-a) below 0, x·(1 - F(-a)) above;
  its slope is G(a) = F(-a) - a·F'(a) below 0, 1 - G(a) above; its curvature is even.
The tail is carried times 2²⁴, as exponential.py explains.

XLA on a CPU writes out every array that two of its loops read. Here value and slope
share the tail alone, because each cuts |x| off in an expression of its own.
"""

import math
from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.closed_form import evaluate
from research.activations.coefficients import MILLS, MILLS_OFFSET
from research.activations.exponential import (
    UNSCALE,
    gaussian,
    logistic_tail,
    lowest,
    polynomial,
)

Triple = tuple[Float[Array, "..."], Float[Array, "..."], Float[Array, "..."]]
# a -> z(a), z'(a), z''(a): the odd function z of x·σ(z(x)).
Exponent = Callable[[Float[Array, "..."]], tuple]

_DENSITY = 1 / math.sqrt(2 * math.pi)  # of a standard normal at 0
_TANH_LINEAR = 2 * math.sqrt(2 / math.pi)
_TANH_CUBIC = _TANH_LINEAR * 0.044715


def gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·Φ(x), Φ the standard normal distribution (Hendrycks & Gimpel 2016).

    Φ(-a) = exp(-a²/2)·R(a), with the Mills ratio R·√(2π) as a polynomial that
    research/probes/fit.py fits. The square in the exponent is exact: otherwise the tail
    loses 12 units in the last place at x = -5 and 40 at -13. That costs five
    instructions of fifty, and leaves this faster than a GELU by erfc.
    """
    return evaluate(_gelu, x)


def gelu_tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·(1 + tanh(u))/2, u = √(2/π)(x + 0.044715x³), GELU's tanh form.

    Computed as x·σ(2u), the same number without the cancellation of 1 + tanh. In
    float32 the rounding of 2u is left in, up to 30 units in the last place at x = -5
    and 200 at -10 (Hendrycks & Gimpel 2016): carrying 2u in two parts would cost more
    than a sixth of the speed.
    """
    return evaluate(_gelu_tanh, x)


def quick_gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·σ(1.702x), GELU's sigmoid form (Hendrycks & Gimpel 2016).

    In float32 the rounding of 1.702x is left in, 8 units in the last place at x = -5.
    """
    return evaluate(_quick_gelu, x)


def silu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·σ(x) (Elfwing et al. 2017; Swish with β = 1)."""
    return evaluate(_silu, x)


def _gelu(x: Float[Array, "..."]) -> Triple:
    largest = math.sqrt(-2 * lowest(x))
    ratio = _normal_tail_ratio(_magnitude(x, largest))
    bell = gaussian(_clip(x, largest))
    a = jnp.abs(_clip(x, largest))
    slope = (ratio - _DENSITY * a) * bell * UNSCALE
    return (
        _weighted(x, largest, ratio, bell),
        jnp.where(x < 0, slope, 1 - slope),
        _DENSITY * (2 - a * a) * bell * UNSCALE,
    )


def _gelu_tanh(x: Float[Array, "..."]) -> Triple:
    def exponent(a):
        square = a * a
        z = a * (_TANH_LINEAR + _TANH_CUBIC * square)
        return z, _TANH_LINEAR + 3 * _TANH_CUBIC * square, 6 * _TANH_CUBIC * a

    # There z is within a percent of -lowest(x).
    return _logistic(x, 10.65 if x.dtype == jnp.float32 else 21.7, exponent)


def _quick_gelu(x: Float[Array, "..."]) -> Triple:
    return _logistic(x, -lowest(x) / 1.702, lambda a: (1.702 * a, 1.702, 0.0))


def _silu(x: Float[Array, "..."]) -> Triple:
    return _logistic(x, -lowest(x), lambda a: (a, 1.0, 0.0))


def _logistic(x: Float[Array, "..."], largest: float, exponent: Exponent) -> Triple:
    """Returns value, slope and curvature of x·σ(z(x)); beyond `largest` the tail is 0.

    With t = σ(-z) and s = σ(z) = 1 - t at a = |x|, σ'(z) = t·s and σ''(z) = t·s·(t - s):
      slope below 0   t - a·t·s·z';   curvature   t·s·(2z' + a·z'' + a·z'²·(t - s)).
    """
    tail = logistic_tail(exponent(_magnitude(x, largest))[0])
    a = jnp.abs(_clip(x, largest))
    _, z1, z2 = exponent(a)
    t = tail * UNSCALE
    s = 1 - t
    slope = tail * (1 - a * z1 * s) * UNSCALE
    bend = 2 * z1 + a * (z2 - z1 * z1 * (1 - 2 * t))
    return (
        _weighted(x, largest, 1.0, tail),
        jnp.where(x < 0, slope, 1 - slope),
        tail * s * bend * UNSCALE,
    )


def _weighted(
    x: Float[Array, "..."],
    largest: float,
    p: Float[Array, "..."] | float,
    q: Float[Array, "..."],
) -> Float[Array, "..."]:
    """Returns x·F(x) from F(-|x|)·2²⁴ = p·q, in an order that keeps factors normal."""
    y = jnp.where(x < -largest, -largest, x)
    return jnp.where(x < 0, y * p * q * UNSCALE, y * (1 - p * q * UNSCALE))


def _normal_tail_ratio(a: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns Φ(-a)/exp(-a²/2), for 0 <= a <= √(-2·lowest(a))."""
    u = 1 / (a + MILLS_OFFSET)
    return u * polynomial(MILLS[str(a.dtype)], a * u)


def _magnitude(x: Float[Array, "..."], largest: float) -> Float[Array, "..."]:
    """Returns |x|, at most `largest`. NaN stays, which costs less than by minimum."""
    a = jnp.abs(x)
    return jnp.where(a > largest, largest, a)


def _clip(x: Float[Array, "..."], largest: float) -> Float[Array, "..."]:
    """Returns x, cut off at ±largest. NaN stays."""
    return jnp.where(x < -largest, -largest, jnp.where(x > largest, largest, x))
