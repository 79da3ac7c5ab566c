"""What is read off a trace: which positions count, embeddings, drift. All in JAX."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from research.surgery.encoder import Batch, Trace


def tokens(inputs: Any, found: Trace) -> Bool[Array, "rows length"]:
    """Returns which positions count: a sentence's tokens, or all of an image."""
    if isinstance(inputs, Batch):
        return inputs.real
    return jnp.ones(found.hidden[-1].shape[:2], bool)


def embeddings(inputs: Any, found: Trace) -> Float[Array, "rows width"]:
    """Returns the last layer, averaged over the positions that count."""
    real = tokens(inputs, found)
    summed = jnp.sum(jnp.where(real[:, :, None], found.hidden[-1], 0), axis=1)
    return summed / real.sum(axis=1)[:, None].astype(summed.dtype)


def row_cosines(
    one: Float[Array, "rows width"], other: Float[Array, "rows width"]
) -> Float[Array, " rows"]:
    """Returns the cosine of each row of the one with the same row of the other."""
    scale = jnp.linalg.norm(one, axis=1) * jnp.linalg.norm(other, axis=1)
    return jnp.sum(one * other, axis=1) / scale


def squared_drift(
    after: Float[Array, "rows length width"],
    before: Float[Array, "rows length width"],
    real: Bool[Array, "rows length"],
) -> Float[Array, " rows"]:
    """Returns ‖h' - h‖²/‖h‖² over a row's positions."""

    def squared(x: Float[Array, "rows length width"]) -> Float[Array, " rows"]:
        return jnp.sum(jnp.where(real[:, :, None], jnp.square(x), 0), axis=(1, 2))

    return squared(after - before) / squared(before)
