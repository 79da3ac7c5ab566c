"""The token tagger: a Transformer over padded sentences, one output row a word."""

from typing import Any

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from research.activations.record import Activation
from research.errors import ConfigError
from research.model_configs import TaggerConfig
from research.models.attention import padding_mask
from research.models.contract import Model, Shapes, from_nnx
from research.models.dropout import Dropout
from research.models.transformer import (
    TokenEmbedding,
    Transformer,
    check_heads,
    describe_layers,
    leaves_of,
)

# The id that stands for no feature of a word.
PADDING = 0


class Tagger(nnx.Module):
    """A word is the sum of its features' embeddings; padding has no influence on it."""

    def __init__(
        self,
        config: TaggerConfig,
        activation: Activation,
        shapes: Shapes,
        *,
        rngs: nnx.Rngs,
    ):
        length, tags = shapes.outputs
        assert shapes.vocabulary is not None
        self.embed = TokenEmbedding(shapes.vocabulary, config.width)
        self.transformer = Transformer(config, activation, length=length, rngs=rngs)
        self.head = nnx.Linear(config.width, tags, rngs=rngs)

    def __call__(
        self,
        inputs: dict[
            str, Int[Array, "batch length *ids"] | Bool[Array, "batch length"]
        ],
        dropout: Dropout,
    ) -> Float[Array, "batch length tags"]:
        ids = inputs["tokens"]
        features = jnp.where((ids != PADDING)[..., None], self.embed(ids), 0)
        mask = padding_mask(inputs["mask"])
        return self.head(self.transformer(features.sum(axis=2), mask, dropout))


def build_tagger(config: TaggerConfig, activation: Activation, shapes: Shapes) -> Model:
    """Returns the tagger of {"tokens": [length, features] ids, "mask": [length]}.

    Raises:
      ConfigError: the task's inputs are no such sentences.
    """
    check_heads(config)
    _check_sentences(shapes)

    def build(rngs: nnx.Rngs) -> nnx.Module:
        return Tagger(config, activation, shapes, rngs=rngs)

    return from_nnx(build, leaves_of(config, activation), dropout=config.dropout)


def describe_tagger(
    config: TaggerConfig, activation: Activation | None, shapes: Shapes
) -> str:
    """Returns the model's one-line name, or that of an arm's."""
    _check_sentences(shapes)
    told = describe_layers("tagger", config, activation)
    return f"{told}, up to {shapes.outputs[0]} words"


def _check_sentences(shapes: Shapes) -> None:
    inputs: Any = shapes.inputs if isinstance(shapes.inputs, dict) else {}
    told = {name: leaf.shape for name, leaf in inputs.items()}
    length = shapes.outputs[0]
    sentences = (
        shapes.vocabulary is not None
        and len(shapes.outputs) == 2
        and told.keys() == {"tokens", "mask"}
        and len(told["tokens"]) == 2
        and told["mask"] == (length,) == told["tokens"][:1]
    )
    if not sentences:
        raise ConfigError(
            "model.name=tagger: takes padded sentences of words with several token ids "
            "each and gives every word an output row; this task has other inputs or outputs"
        )
