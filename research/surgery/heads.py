"""What stands on a published encoder, each head as the published code computes it."""

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from research.activations.record import Activation
from research.models.dropout import Dropout


class Seen(NamedTuple):
    """What a head reads.

    last: the last hidden state. pooled: what the pooler gives of it, where there is one.
    words: the embedding of every token, which the language models' heads share.
    """

    last: Float[Array, "batch length width"]
    pooled: Float[Array, "batch width"] | None
    words: Float[Array, "vocabulary width"] | None


class Pooler(nnx.Module):
    """The first position behind a dense layer and a tanh."""

    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.dense = nnx.Linear(width, width, rngs=rngs)

    def __call__(self, seen: Seen, dropout: Dropout) -> Float[Array, "batch width"]:
        return jnp.tanh(self.dense(seen.last[:, 0]))


class MaskedLM(nnx.Module):
    """A dense layer, an activation and a norm; then the embedding, transposed.

    follows: whether the activation is config.json's. BERT's and DistilBERT's is, so that
    it is swapped exactly when all layers are: then the one field says the truth.
    RoBERTa's is GELU in the published code, whatever config.json says.
    """

    def __init__(
        self,
        sizes: tuple[int, int],
        activation: Activation,
        *,
        follows: bool,
        epsilon: float,
        rngs: nnx.Rngs,
    ):
        vocabulary, width = sizes
        self.activation = activation
        self.follows = follows
        self.dense = nnx.Linear(width, width, rngs=rngs)
        self.norm = nnx.LayerNorm(
            width, epsilon=epsilon, use_fast_variance=False, rngs=rngs
        )
        self.bias = nnx.Param(jnp.zeros(vocabulary))

    def __call__(
        self, seen: Seen, dropout: Dropout
    ) -> Float[Array, "batch length vocabulary"]:
        assert seen.words is not None
        x = self.norm(self.activation.fn(self.dense(seen.last)))
        return x @ seen.words.T + self.bias[...][None, None]


class CausalLM(nnx.Module):
    """The embedding, transposed; it has no parameters of its own."""

    def __call__(
        self, seen: Seen, dropout: Dropout
    ) -> Float[Array, "batch length vocabulary"]:
        assert seen.words is not None
        return seen.last @ seen.words.T


class Classifier(nnx.Module):
    """One dense layer to the classes, of the pooler's output or the first position."""

    def __init__(self, width: int, classes: int, *, pooled: bool, rngs: nnx.Rngs):
        self.pooled = pooled
        self.output = nnx.Linear(width, classes, rngs=rngs)

    def __call__(self, seen: Seen, dropout: Dropout) -> Float[Array, "batch classes"]:
        x = seen.pooled if self.pooled else seen.last[:, 0]
        assert x is not None
        return self.output(dropout(x))


class DeepClassifier(nnx.Module):
    """Two dense layers to the classes, of the first position.

    RoBERTa's has a tanh between them and drops before both; DistilBERT's has a ReLU and
    drops before the second. Neither activation is config.json's, so neither is swapped.
    """

    def __init__(
        self,
        width: int,
        classes: int,
        *,
        between: Literal["tanh", "relu"],
        rngs: nnx.Rngs,
    ):
        self.between = between
        self.dense = nnx.Linear(width, width, rngs=rngs)
        self.output = nnx.Linear(width, classes, rngs=rngs)

    def __call__(self, seen: Seen, dropout: Dropout) -> Float[Array, "batch classes"]:
        x = seen.last[:, 0]
        if self.between == "tanh":
            x = jnp.tanh(self.dense(dropout.at("dense")(x)))
        else:
            x = jax.nn.relu(self.dense(x))
        return self.output(dropout.at("output")(x))
