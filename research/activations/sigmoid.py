"""The logistic sigmoid, tanh, their integrals, and Mish.

As in gelu.py, tails are carried times 2²⁴ and come from exp alone: s(1 - s), 1 - tanh²
and the like are computed from the small factor, never by subtraction from 1.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.closed_form import evaluate
from research.activations.exponential import (
    UNSCALE,
    exponentials,
    logistic_tail,
    lowest,
)

Triple = tuple[Float[Array, "..."], Float[Array, "..."], Float[Array, "..."]]

# e²⁰ squared outweighs 2 in float64 too: from there on mish(x) = x.
_MISH_IS_X = 20.0


def sigmoid(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns 1/(1 + e⁻ˣ)."""
    return evaluate(_sigmoid, x)


def tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns the hyperbolic tangent, with slope sech²(x)."""
    return evaluate(_tanh, x)


def softplus(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns log(1 + eˣ) (Dugas et al. 2001)."""
    return evaluate(_softplus, x)


def log_sigmoid(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns log σ(x) = -softplus(-x)."""
    return evaluate(_log_sigmoid, x)


def mish(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·tanh(softplus(x)) (Misra 2020, arXiv 1908.08681)."""
    return evaluate(_mish, x)


def _sigmoid(x: Float[Array, "..."]) -> Triple:
    scaled, _ = exponentials(-_magnitude(x))
    tail = logistic_tail(scaled)
    t = tail * UNSCALE
    slope = tail * (1 - t) * UNSCALE
    bend = 1 - 2 * t
    return jnp.where(x < 0, t, 1 - t), slope, slope * jnp.where(x < 0, bend, -bend)


def _tanh(x: Float[Array, "..."]) -> Triple:
    """Returns value, slope and curvature, by e = exp(-2|x|).

    Near 0 the value is r = (1 - e)/(1 + e) and the slope 1 - r²; further out, by
    t = e/(1 + e), the value is 1 - 2t and the slope 4t(1 - t). r or t is shared.
    """
    near = jnp.abs(x) < 0.5
    scaled, minus_one = exponentials(-_magnitude(2 * x))
    r_or_t = jnp.where(near, -minus_one, scaled) / (2 + minus_one)
    t = r_or_t * UNSCALE
    size = jnp.where(near, r_or_t, 1 - 2 * t)
    value = jnp.where(x > 0, size, -size)
    far_slope = 4 * r_or_t * (1 - t) * UNSCALE
    slope = jnp.where(near, (1 - r_or_t) * (1 + r_or_t), far_slope)
    return value, slope, -2 * value * slope


def _softplus(x: Float[Array, "..."]) -> Triple:
    scaled, _ = exponentials(-_magnitude(x))
    value = jnp.where(x > 0, x, 0) + jnp.log1p(scaled * UNSCALE)
    return value, *_sigmoid(x)[:2]


def _log_sigmoid(x: Float[Array, "..."]) -> Triple:
    value, slope, curvature = _softplus(-x)
    return -value, slope, -curvature


def _mish(x: Float[Array, "..."]) -> Triple:
    """Returns value, slope and curvature, by e = eˣ, g = 1 + e and w = e(e + 2).

    tanh(softplus(x)) = w/(w + 2). With d = g² + 1 = w + 2 the slope is
    e((g + 1)d + 4xg)/d² and the curvature 4e(2gd + x(d + 2e(1 - g²)))/d³.
    """
    low = lowest(x)
    x_or_20 = jnp.where(x > _MISH_IS_X, _MISH_IS_X, x)
    scaled, _ = exponentials(jnp.where(x_or_20 < low, low, x_or_20))
    w = scaled * ((scaled + 2 / UNSCALE) * UNSCALE)
    ratio = w / (w * UNSCALE + 2)
    y = jnp.where(x < low, low, x)
    value = jnp.where(x < 0, y * ratio * UNSCALE, y * (ratio * UNSCALE))
    z = jnp.where(y > _MISH_IS_X, _MISH_IS_X, y)
    e = scaled * UNSCALE
    g = 1 + e
    d = g * g + 1
    slope = scaled * (((g + 1) * d + 4 * z * g) / (d * d)) * UNSCALE
    bend = (2 * g + z * ((d + 2 * e * (1 - g * g)) / d)) / d
    return value, slope, 4 * (scaled / d) * bend * UNSCALE


def _magnitude(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns |x|, cut off where exp(-|x|) times anything is 0. NaN stays."""
    a = jnp.abs(x)
    return jnp.where(a > -lowest(x), -lowest(x), a)
