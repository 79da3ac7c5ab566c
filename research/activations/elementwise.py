"""Elementwise activations: pure functions of one array, keeping its shape and dtype."""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# Klambauer et al. 2017, "Self-Normalizing Neural Networks", equation 14.
SELU_SCALE = 1.0507009873554804934
SELU_ALPHA = 1.6732632423543772848


def identity(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x: the control, with which any network is one affine map."""
    return x


def relu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns max(x, 0), with slope 0 at 0; NaN passes through."""
    return jnp.where(x <= 0, 0, x)


def relu2(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns max(x, 0)² (So et al. 2021, "Primer")."""
    return jnp.square(relu(x))


def leaky_relu(
    x: Float[Array, "..."], *, negative_slope: float = 0.01
) -> Float[Array, "..."]:
    """Returns x above 0 and negative_slope·x from 0 down (Maas et al. 2013)."""
    return jnp.where(x > 0, x, negative_slope * x)


def gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·Φ(x), Φ the standard normal distribution (Hendrycks & Gimpel 2016).

    Φ(x) = erfc(-x/√2)/2 keeps the negative tail that (1 + erf(x/√2))/2 rounds away.
    """
    return 0.5 * x * jax.lax.erfc(x * -math.sqrt(0.5))


def gelu_tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·(1 + tanh(u))/2 with u = √(2/π)(x + 0.044715x³), GELU's tanh form.

    Written as x·σ(2u), the same number without the cancellation of 1 + tanh.
    """
    scale = 2 * math.sqrt(2 / math.pi)
    return x * jax.lax.logistic(scale * x * (1 + 0.044715 * jnp.square(x)))


def quick_gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·σ(1.702x), GELU's sigmoid form (Hendrycks & Gimpel 2016)."""
    return x * jax.lax.logistic(1.702 * x)


def silu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·σ(x) (Elfwing et al. 2017; Swish with β = 1)."""
    return x * jax.lax.logistic(x)


def mish(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x·tanh(softplus(x)) (Misra 2020).

    With w = eˣ(eˣ + 2), tanh(softplus(x)) = w/(w + 2); above 20 that is 1 in float32.
    """
    exponential = jnp.exp(jnp.minimum(x, 20))
    w = exponential * (exponential + 2)
    return x * (w / (w + 2))


def tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns the hyperbolic tangent."""
    return jnp.tanh(x)


def sigmoid(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns 1/(1 + e⁻ˣ)."""
    return jax.lax.logistic(x)


def softplus(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns log(1 + eˣ) (Dugas et al. 2001)."""
    return jnp.logaddexp(x, 0)


def elu(x: Float[Array, "..."], *, alpha: float = 1.0) -> Float[Array, "..."]:
    """Returns x above 0 and alpha·(eˣ - 1) from 0 down (Clevert et al. 2016)."""
    # The inner where keeps the branch not taken, and so its gradient, finite.
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0, x)))


def selu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns λ·elu(x, α) with the constants that keep mean 0 and variance 1."""
    return SELU_SCALE * elu(x, alpha=SELU_ALPHA)
