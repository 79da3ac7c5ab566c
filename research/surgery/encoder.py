"""A trained encoder in this project's own blocks, and what it computes on the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from flax import nnx
from jaxtyping import Array, Bool, Float, Int, PyTree

from research.activations.record import Activation
from research.model_configs import TransformerConfig
from research.models.attention import Mask, padding_mask
from research.models.dropout import Dropout
from research.models.transformer import (
    Layer,
    TokenEmbedding,
    Transformer,
    describe_layers,
)

NO_DROPOUT = Dropout(0.0)


class Batch(NamedTuple):
    """Token ids, which of two segments each is of, and which are no padding."""

    tokens: Int[Any, "batch length"]
    segments: Int[Any, "batch length"]
    real: Bool[Any, "batch length"]


class Trace(NamedTuple):
    """What an encoder computes on the way.

    hidden: the embedding, then each layer's output. units: what each layer's activation
    gives. outputs: what each head that the checkpoint has gives, by the head's name.
    """

    hidden: tuple[Float[Array, "batch length width"], ...]
    units: tuple[Float[Array, "batch length ffn"], ...]
    outputs: dict[str, Float[Array, "batch ..."]]


class Encoder(nnx.Module):
    """Embedded tokens and segments, and a Transformer with the norms behind its blocks."""

    def __init__(
        self,
        config: TransformerConfig,
        activation: Activation,
        *,
        vocabulary: int,
        segments: int,
        length: int,
        rngs: nnx.Rngs,
    ):
        self.words = TokenEmbedding(vocabulary, config.width)
        self.segments = TokenEmbedding(segments, config.width)
        self.transformer = Transformer(config, activation, length=length, rngs=rngs)

    def __call__(self, batch: Batch, dropout: Dropout) -> Trace:
        mask, parts = padding_mask(batch.real), self.transformer
        embedded = self.words(batch.tokens) + self.segments(batch.segments)
        x = parts.norm(embedded + parts.positions[: batch.tokens.shape[1]][None])
        x = dropout.at("embedding")(x)
        hidden, units = [x], []
        for index, layer in enumerate(parts.layers):
            x, active = through(layer, x, mask, dropout.at("layers", index))
            hidden.append(x)
            units.append(active)
        return Trace(tuple(hidden), tuple(units), {})


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """An encoder's structure and parameters.

    heads: names of what stands on the encoder. skipped: names of the checkpoint's tensors
      that are not used.
    """

    config: TransformerConfig
    activation: Activation
    vocabulary: int
    length: int
    graph: nnx.GraphDef
    params: PyTree
    skipped: tuple[str, ...]
    heads: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    dropout: float = 0.0

    @property
    def title(self) -> str:
        """The model in one line."""
        return describe_layers("BERT", self.config, self.activation)


def through(
    layer: Layer,
    x: Float[Array, "batch length width"],
    mask: Mask,
    dropout: Dropout,
) -> tuple[Float[Array, "batch length width"], Float[Array, "batch length ffn"]]:
    """Returns a post-norm layer's output and what its activation gives on the way."""
    after_attention, after_ffn = dropout.at("attention"), dropout.at("ffn")
    mixed = layer.attention(x, mask, after_attention)
    attended = layer.norm1(x + after_attention(mixed))
    units = layer.ffn.place(layer.ffn.up(attended), attended)
    return layer.norm2(attended + after_ffn(layer.ffn.down(units))), units


def trace(
    pretrained: Pretrained,
    params: PyTree,
    batch: Batch,
    *,
    swaps: Mapping[int, Activation],
    dropout: Dropout = NO_DROPOUT,
) -> Trace:
    """Runs the encoder with another activation in some layers, all else as it was.

    Args:
      params: `pretrained.params`, by themselves so that a jitted caller can pass them.
      swaps: the activation by the layer's index, from 0; the others keep their own.
    """
    encoder: Encoder = nnx.merge(pretrained.graph, params, {})
    for index, activation in swaps.items():
        encoder.transformer.layers[index].ffn.place.activation = activation
    return encoder(batch, dropout)
