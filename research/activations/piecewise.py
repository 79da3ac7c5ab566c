"""Activations of straight and parabolic pieces, the ReLU family.

Where a slope jumps, the function's docstring says which side's it takes. NaN falls
through every comparison to the last branch, which hands it on, in value and in slope.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.closed_form import evaluate

Pair = tuple[Float[Array, "..."], Float[Array, "..."]]


def identity(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x: the control, with which any network is one affine map.

    The one function here whose slope is 1 at NaN, and which takes any dtype.
    """
    return x


def relu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns max(x, 0), with slope 0 at 0 (Nair & Hinton 2010)."""
    return evaluate(_relu, x)


def relu6(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns min(max(x, 0), 6), with slope 0 at 0 and 6 (Krizhevsky 2010)."""
    return evaluate(_relu6, x)


def relu2(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns max(x, 0)² (So et al. 2021, "Primer", arXiv 2109.08668)."""
    return evaluate(_relu2, x)


def leaky_relu(
    x: Float[Array, "..."], *, negative_slope: float | int = 0.01
) -> Float[Array, "..."]:
    """Returns x above 0, negative_slope·x below, slope 1 at 0 (Maas et al. 2013)."""
    return evaluate(_leaky_relu, x, negative_slope)


def hard_tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x within ±1 and ±1 beyond, with slope 0 at ±1 (Collobert 2004)."""
    return evaluate(_hard_tanh, x)


def hard_sigmoid(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns relu6(x + 3)/6, with slope 0 at ±3 (Howard et al. 2019, MobileNetV3)."""
    return evaluate(_hard_sigmoid, x)


def hard_swish(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·relu6(x + 3)/6 (Howard et al. 2019); slope 0 at -3 and 1 at 3."""
    return evaluate(_hard_swish, x)


def _relu(x: Float[Array, "..."]) -> Pair:
    return jnp.where(x <= 0, 0, x), jnp.where(x <= 0, 0, jnp.where(x > 0, 1, x))


def _relu6(x: Float[Array, "..."]) -> Pair:
    return _between(x, 0.0, 6.0, below=0.0, inside=x, above=6.0, slope=1.0)


def _relu2(x: Float[Array, "..."]) -> Pair:
    positive = jnp.where(x <= 0, 0, x)
    return positive * positive, 2 * positive


def _leaky_relu(x: Float[Array, "..."], negative_slope: float | int) -> Pair:
    slope = jnp.where(x < 0, negative_slope, jnp.where(x >= 0, 1, x))
    return jnp.where(x < 0, negative_slope * x, x), slope


def _hard_tanh(x: Float[Array, "..."]) -> Pair:
    return _between(x, -1.0, 1.0, below=-1.0, inside=x, above=1.0, slope=1.0)


def _hard_sigmoid(x: Float[Array, "..."]) -> Pair:
    return _between(x, -3.0, 3.0, below=0.0, inside=(x + 3) / 6, above=1.0, slope=1 / 6)


def _hard_swish(x: Float[Array, "..."]) -> Pair:
    value = jnp.where(x <= -3, 0, jnp.where(x >= 3, x, x * ((x + 3) / 6)))
    slope = jnp.where(x <= -3, 0, jnp.where(x >= 3, 1, (x + 1.5) / 3))
    return value, slope


def _between(
    x: Float[Array, "..."],
    low: float,
    high: float,
    *,
    below: float,
    inside: Float[Array, "..."],
    above: float,
    slope: float,
) -> Pair:
    """Returns value and slope of a function that is constant outside low < x < high."""
    value = jnp.where(x <= low, below, jnp.where(x >= high, above, inside))
    flat = (x <= low) | (x >= high)
    return value, jnp.where(flat, 0, jnp.where(x == x, slope, x))
