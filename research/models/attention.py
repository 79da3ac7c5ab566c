"""Multi-head attention, full or causal, over padded or whole sequences."""

import math

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float

from research.models.dropout import Dropout

# Which keys each query may attend to, for all heads alike.
Mask = Bool[Array, "#batch 1 #queries keys"]


class Attention(nnx.Module):
    """Attention of a sequence to itself, with a bias in all four projections.

    Vaswani et al. 2017, arXiv 1706.03762.
    """

    def __init__(self, width: int, heads: int, *, rngs: nnx.Rngs):
        self.heads = heads
        self.query = nnx.Linear(width, width, rngs=rngs)
        self.key = nnx.Linear(width, width, rngs=rngs)
        self.value = nnx.Linear(width, width, rngs=rngs)
        self.output = nnx.Linear(width, width, rngs=rngs)

    def __call__(
        self, x: Float[Array, "batch length width"], mask: Mask | None, dropout: Dropout
    ) -> Float[Array, "batch length width"]:
        projected = (self.query(x), self.key(x), self.value(x))
        query, key, value = (
            each.reshape(*x.shape[:2], self.heads, -1) for each in projected
        )
        weights = dropout.at("weights")(attention_weights(query, key, mask))
        mixed = jnp.einsum("bhqk,bkhc->bqhc", weights, value)
        return self.output(mixed.reshape(x.shape))


def attention_weights(
    query: Float[Array, "batch queries heads channels"],
    key: Float[Array, "batch keys heads channels"],
    mask: Mask | None,
) -> Float[Array, "batch heads queries keys"]:
    """Returns softmax(query·key / √channels) over the keys of the mask, in float32.

    A query whose keys are all masked attends to each alike, which no one reads.
    """
    scaled = query / math.sqrt(query.shape[-1])
    scores = jnp.einsum(
        "bqhc,bkhc->bhqk", scaled, key, preferred_element_type=jnp.float32
    )
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.finfo(jnp.float32).min)
    return jax.nn.softmax(scores, axis=-1).astype(query.dtype)


def causal_mask(length: int) -> Mask:
    """Lets each position attend to itself and to those before it."""
    return jnp.tril(jnp.ones((1, 1, length, length), bool))


def padding_mask(real: Bool[Array, "batch length"]) -> Mask:
    """Lets every position attend to the real ones alone."""
    return real[:, None, None, :]
