"""A trained encoder in this project's own blocks, and what it computes on the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int, PyTree

from research.activations.record import Activation
from research.model_configs import TransformerConfig
from research.models.attention import Mask, causal_mask, padding_mask
from research.models.dropout import Dropout
from research.models.transformer import (
    Layer,
    TokenEmbedding,
    Transformer,
    describe_layers,
)
from research.models.vision import cut
from research.surgery.heads import MaskedLM, Seen

NO_DROPOUT = Dropout(0.0)


class Batch(NamedTuple):
    """Token ids, which of two segments each is of, and which are no padding."""

    tokens: Int[Any, "batch length"]
    segments: Int[Any, "batch length"]
    real: Bool[Any, "batch length"]


class Images(NamedTuple):
    """Images, their numbers scaled as the checkpoint's were."""

    pixels: Float[Any, "batch height width channels"]


class Trace(NamedTuple):
    """What an encoder computes on the way.

    hidden: the embedding, then each layer's output; the last is what the heads read, so
    behind the final norm where there is one. units: what each layer's activation gives.
    outputs: what each head that the checkpoint has gives, by the head's name.
    """

    hidden: tuple[Float[Array, "batch length width"], ...]
    units: tuple[Float[Array, "batch length ffn"], ...]
    outputs: dict[str, Float[Array, "batch ..."]]


class TextEmbedding(nnx.Module):
    """Tokens, and segments where there are any; the positions are the Transformer's."""

    def __init__(self, vocabulary: int, width: int, *, segments: int = 0):
        self.words = TokenEmbedding(vocabulary, width)
        if segments:
            self.segments = TokenEmbedding(segments, width)
        self.has_segments = segments > 0

    def __call__(self, batch: Batch) -> Float[Array, "batch length width"]:
        x = self.words(jnp.asarray(batch.tokens))
        return (
            x + self.segments(jnp.asarray(batch.segments)) if self.has_segments else x
        )


class PatchEmbedding(nnx.Module):
    """Patches behind one dense layer, a class token before them.

    The kernel has the axes of the published convolution: its windows do not overlap, so
    that it is the dense layer.
    """

    def __init__(self, patch: int, channels: int, width: int):
        self.patch = patch
        self.kernel = nnx.Param(jnp.zeros((patch, patch, channels, width)))
        self.bias = nnx.Param(jnp.zeros(width))
        self.class_token = nnx.Param(jnp.zeros((1, width)))

    def __call__(self, images: Images) -> Float[Array, "batch length width"]:
        kernel, token = self.kernel[...], self.class_token[...]
        patches = cut(jnp.asarray(images.pixels), self.patch)
        x = patches @ kernel.reshape(-1, kernel.shape[-1]) + self.bias[...][None, None]
        first = jnp.broadcast_to(token[None], (len(x), *token.shape))
        return jnp.concatenate([first, x], axis=1)


class Encoder(nnx.Module):
    """An embedding, a Transformer in either order of norms, and heads on it.

    causal: whether a position sees those before it alone. first: the place of the first
    position in the table of positions.
    """

    def __init__(
        self,
        embedding: TextEmbedding | PatchEmbedding,
        transformer: Transformer,
        heads: Mapping[str, nnx.Module],
        *,
        causal: bool = False,
        first: int = 0,
    ):
        self.embedding = embedding
        self.transformer = transformer
        self.heads = nnx.Dict(heads)
        self.causal = causal
        self.first = first

    def __call__(self, inputs: Batch | Images, dropout: Dropout) -> Trace:
        parts, mask = self.transformer, self._mask(inputs)
        pre = parts.config.norm == "pre"
        x: Any = self.embedding(inputs)  # pyright: ignore[reportArgumentType]
        x = x + parts.positions[self.first : self.first + x.shape[1]][None]
        x = dropout.at("embedding")(x if pre else parts.norm(x))
        hidden, units = [x], []
        for index, layer in enumerate(parts.layers):
            x, active = through(layer, x, mask, dropout.at("layers", index))
            hidden.append(x)
            units.append(active)
        if pre:
            hidden[-1] = parts.norm(x)
        return Trace(tuple(hidden), tuple(units), self._outputs(hidden[-1], dropout))

    def _mask(self, inputs: Batch | Images) -> Mask | None:
        if isinstance(inputs, Images):
            return None
        mask = padding_mask(jnp.asarray(inputs.real))
        return mask & causal_mask(inputs.tokens.shape[1]) if self.causal else mask

    def _outputs(self, last: Any, dropout: Dropout) -> dict[str, Array]:
        outputs: dict[str, Array] = {}
        words = None
        if isinstance(self.embedding, TextEmbedding):
            words = self.embedding.words.embedding[...]
        # The pooler stands first, since a classifier may read it.
        for name in sorted(self.heads, key=lambda name: name != "pooler"):
            seen = Seen(last, outputs.get("pooler"), words)
            outputs[name] = self.heads[name](seen, dropout.at("heads", name))
        return outputs


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """An encoder's structure and parameters.

    family: its model_type; kind: what its paper calls it. vocabulary: 0 where it reads
    images, whose height, width and channels are then `image`. length: the most positions
    that it reads. heads: names of what stands on the encoder, of
      pooler: [batch, width];
      masked_lm: logits of each token, [batch, length, vocabulary];
      causal_lm: logits of each next token, of the same shape;
      classifier: logits of `classes`, [batch, classes].
    dropout: the share that the checkpoint's own training dropped. skipped: names of the
    checkpoint's tensors that are not used.
    """

    config: TransformerConfig
    activation: Activation
    vocabulary: int
    length: int
    graph: nnx.GraphDef
    params: PyTree
    skipped: tuple[str, ...]
    family: str
    kind: str
    heads: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    dropout: float = 0.0
    image: tuple[int, int, int] | None = None

    @property
    def title(self) -> str:
        """The model in one line."""
        return describe_layers(self.kind, self.config, self.activation)


def through(
    layer: Layer,
    x: Float[Array, "batch length width"],
    mask: Mask | None,
    dropout: Dropout,
) -> tuple[Float[Array, "batch length width"], Float[Array, "batch length ffn"]]:
    """Returns a layer's output and what its activation gives on the way."""
    after_attention, after_ffn = dropout.at("attention"), dropout.at("ffn")
    pre = layer.norm == "pre"
    mixed = layer.attention(layer.norm1(x) if pre else x, mask, after_attention)
    x = x + after_attention(mixed)
    x = x if pre else layer.norm1(x)
    read = layer.norm2(x) if pre else x
    units = layer.ffn.place(layer.ffn.up(read), read)
    x = x + after_ffn(layer.ffn.down(units))
    return x if pre else layer.norm2(x), units


def trace(
    pretrained: Pretrained,
    params: PyTree,
    inputs: Batch | Images,
    *,
    swaps: Mapping[int, Activation],
    dropout: Dropout = NO_DROPOUT,
) -> Trace:
    """Runs the encoder with another activation in some layers, all else as it was.

    The activation of a masked language model's head changes where all layers have one
    and the same other activation, as it does when config.json is changed; see MaskedLM.

    Args:
      params: `pretrained.params`, by themselves so that a jitted caller can pass them.
      swaps: the activation by the layer's index, from 0; the others keep their own.
    """
    encoder: Encoder = nnx.merge(pretrained.graph, params, {})
    layers = encoder.transformer.layers
    for index, activation in swaps.items():
        layers[index].ffn.place.activation = activation
    head = encoder.heads.get("masked_lm")
    if isinstance(head, MaskedLM) and head.follows and len(swaps) == len(layers):
        first = swaps[0]
        if all(each == first for each in swaps.values()):
            head.activation = first
    return encoder(inputs, dropout)
