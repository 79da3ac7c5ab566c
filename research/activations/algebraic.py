"""Activations of roots and quotients: squareplus and softsign."""

import math

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.closed_form import evaluate

Pair = tuple[Float[Array, "..."], Float[Array, "..."]]


def squareplus(x: Float[Array, "..."], *, b: float | int = 4.0) -> Float[Array, "..."]:
    """Returns (x + √(x² + b))/2, b > 0 (Barron 2021, arXiv 2112.11687)."""
    return evaluate(_squareplus, x, b)


def soft_sign(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns x/(1 + |x|) (Turian et al. 2009)."""
    return evaluate(_soft_sign, x)


def _squareplus(x: Float[Array, "..."], b: float | int) -> Pair:
    """With r = √(x² + b), f(-a) = b/(2(r + a)): no cancellation.

    f(x) = x + f(-x), f'(-a) = f(-a)/r and f'(x) = 1 - f'(-x).
    """
    a = jnp.abs(x)
    largest = 0.5 * math.sqrt(jnp.finfo(x.dtype).max)  # its square does not overflow
    root = jnp.sqrt(jnp.square(jnp.where(a > largest, largest, a)) + b)
    root = jnp.where(a > largest, a, root)
    below = (b / 4) / (0.5 * root + 0.5 * a)
    slope = below / root
    return jnp.where(x > 0, x, 0) + below, jnp.where(x < 0, slope, 1 - slope)


def _soft_sign(x: Float[Array, "..."]) -> Pair:
    # 1e30 is 1 off its limit in no type, and its reciprocal is still a normal number.
    y = jnp.where(x < -1e30, -1e30, jnp.where(x > 1e30, 1e30, x))
    return y / (1 + jnp.abs(y)), jnp.square(1 / (1 + jnp.abs(x)))
