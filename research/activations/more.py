"""Further elementwise activations: pure functions of one array, shape and dtype kept."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.elementwise import elu, relu


def relu6(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns min(max(x, 0), 6), with slope 0 at 0 and at 6 (Howard et al. 2017)."""
    return jnp.where(x >= 6, 6, relu(x)).astype(x.dtype)


def celu(x: Float[Array, "..."], *, alpha: float = 1.0) -> Float[Array, "..."]:
    """Returns x above 0 and alpha·(e^(x/alpha) - 1) from 0 down (Barron 2017)."""
    return alpha * elu(x / alpha)


def squareplus(x: Float[Array, "..."], *, b: float = 4.0) -> Float[Array, "..."]:
    """Returns (x + √(x² + b))/2 (Barron 2021)."""
    root = jnp.sqrt(jnp.square(x) + b)
    # Below 0 the sum would cancel.
    return jnp.where(x < 0, b / 2 / (root - jnp.minimum(x, 0)), (x + root) / 2)


def log_sigmoid(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns log(1/(1 + e⁻ˣ))."""
    return -jnp.logaddexp(-x, 0)


def soft_sign(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x/(1 + |x|) (Bergstra et al. 2009)."""
    return x / (1 + jnp.abs(x))


def hard_tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns min(max(x, -1), 1) (Collobert 2004)."""
    return jnp.clip(x, -1, 1)


def hard_sigmoid(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns min(max(x + 3, 0), 6)/6, as PyTorch and JAX have it (Howard et al. 2019)."""
    return relu6(x + 3) / 6


def hard_swish(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·hard_sigmoid(x) (Howard et al. 2019)."""
    return x * hard_sigmoid(x)
