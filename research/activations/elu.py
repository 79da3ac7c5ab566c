"""ELU, CELU and SELU: the identity above 0, an exponential below.

The slope is the exponential itself: as expm1 + 1 it would be 0 from x = -17 down.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.closed_form import evaluate
from research.activations.exponential import UNSCALE, exponentials, lowest

Pair = tuple[Float[Array, "..."], Float[Array, "..."]]

# Klambauer et al. 2017, "Self-Normalizing Neural Networks", equation 14.
SELU_SCALE = 1.0507009873554804934
SELU_ALPHA = 1.6732632423543772848


def elu(x: Float[Array, "..."], *, alpha: float | int = 1.0) -> Float[Array, "..."]:
    """Returns x above 0 and alpha·(eˣ - 1) below (Clevert et al. 2016).

    The slope at 0 is alpha, the limit from below, as PyTorch has it.
    """
    return evaluate(_scaled_elu, x, 1.0, alpha, 1.0)


def celu(x: Float[Array, "..."], *, alpha: float | int = 1.0) -> Float[Array, "..."]:
    """Returns x above 0 and alpha·(exp(x/alpha) - 1) below, alpha > 0 (Barron 2017)."""
    return evaluate(_scaled_elu, x, 1.0, alpha, alpha)


def selu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns λ·elu(x, α) with the constants that keep mean 0 and variance 1.

    The slope at 0 is λα, the limit from below.
    """
    return evaluate(_scaled_elu, x, SELU_SCALE, SELU_ALPHA, 1.0)


def _scaled_elu(
    x: Float[Array, "..."], scale: float, alpha: float | int, width: float | int
) -> Pair:
    """Returns value and slope: scale·x above 0, scale·alpha·(exp(x/width) - 1) below."""
    low, height = lowest(x), scale * alpha
    t = x if width == 1 else x / width
    t = jnp.where(t > 0, 0, jnp.where(t < low, low, t))
    scaled, minus_one = exponentials(t)
    value = jnp.where(x < 0, height * minus_one, scale * x)
    slope = (height / width * scaled) * UNSCALE
    return value, jnp.where(x > 0, scale, slope)
