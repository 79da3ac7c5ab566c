"""The Transformer's layers, in BERT's order or GPT-2's, and what the models share."""

import math

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.nn import initializers
from jaxtyping import Array, Float, Int

from research.activations.record import Activation
from research.errors import ConfigError
from research.model_configs import TransformerConfig
from research.models.attention import Attention, Mask
from research.models.contract import KERNEL_INITIALIZERS, Initializer
from research.models.dropout import Dropout
from research.models.places import Place, parameter_initializers

# What every parameter but the kernels starts from, by the last name of its path.
LEAVES: dict[str, Initializer] = {
    "bias": initializers.zeros,
    "scale": initializers.ones,
    # A standard deviation of 1/√width.
    "embedding": initializers.variance_scaling(
        1.0, "fan_in", "normal", in_axis=1, out_axis=0
    ),
    "positions": initializers.normal(0.02),
    "class_token": initializers.zeros,
}
# The largest share of a layer's parameters by which arms of matched width may differ.
MATCHED = 0.01


class FeedForward(nnx.Module):
    """Two dense layers at every position, the activation between them."""

    def __init__(
        self, width: int, hidden: int, activation: Activation, *, rngs: nnx.Rngs
    ):
        self.up = nnx.Linear(width, hidden, rngs=rngs)
        self.place = Place(activation, width, hidden, rngs=rngs)
        self.down = nnx.Linear(hidden, width, rngs=rngs)

    def __call__(
        self, x: Float[Array, "batch length width"]
    ) -> Float[Array, "batch length width"]:
        return self.down(self.place(self.up(x), x))


class Layer(nnx.Module):
    """Attention and a feed-forward block, each beside a residual connection.

    The activation stands in the feed-forward block and nowhere else.
    """

    def __init__(
        self, config: TransformerConfig, activation: Activation, *, rngs: nnx.Rngs
    ):
        hidden = ffn_width(config, activation)
        self.norm = config.norm
        self.norm1 = layer_norm(config, rngs=rngs)
        self.attention = Attention(config.width, config.heads, rngs=rngs)
        self.norm2 = layer_norm(config, rngs=rngs)
        self.ffn = FeedForward(config.width, hidden, activation, rngs=rngs)

    def __call__(
        self, x: Float[Array, "batch length width"], mask: Mask | None, dropout: Dropout
    ) -> Float[Array, "batch length width"]:
        after_attention, after_ffn = dropout.at("attention"), dropout.at("ffn")
        if self.norm == "pre":
            attended = self.attention(self.norm1(x), mask, after_attention)
            x = x + after_attention(attended)
            return x + after_ffn(self.ffn(self.norm2(x)))
        attended = self.attention(x, mask, after_attention)
        x = self.norm1(x + after_attention(attended))
        return self.norm2(x + after_ffn(self.ffn(x)))


class Transformer(nnx.Module):
    """Positions and layers: from embedded tokens or patches to what a head reads.

    Its own norm stands after the last layer where the layers' stand before their blocks,
    as in GPT-2 and ViT, else after the embedding, as in BERT.
    """

    def __init__(
        self,
        config: TransformerConfig,
        activation: Activation,
        *,
        length: int,
        rngs: nnx.Rngs,
    ):
        self.config = config
        if config.positions == "learned":
            self.positions = nnx.Param(jnp.zeros((length, config.width)))
        self.layers = nnx.List(
            Layer(config, activation, rngs=rngs) for _ in range(config.depth)
        )
        self.norm = layer_norm(config, rngs=rngs)

    def __call__(
        self, x: Float[Array, "batch length width"], mask: Mask | None, dropout: Dropout
    ) -> Float[Array, "batch length width"]:
        x = x + self._positions(x.shape[1]).astype(x.dtype)[None]
        if self.config.norm == "post":
            x = self.norm(x)
        x = dropout.at("embedding")(x)
        for index, layer in enumerate(self.layers):
            x = layer(x, mask, dropout.at("layers", index))
        return self.norm(x) if self.config.norm == "pre" else x

    def _positions(self, length: int) -> Float[Array, "length width"]:
        if self.config.positions == "learned":
            return self.positions[:length]
        return jnp.asarray(sinusoids(length, self.config.width))


class TokenEmbedding(nnx.Module):
    """A learned vector for every token id."""

    def __init__(self, vocabulary: int, width: int):
        self.embedding = nnx.Param(jnp.zeros((vocabulary, width)))

    def __call__(self, tokens: Int[Array, "*shape"]) -> Float[Array, "*shape width"]:
        return jnp.take(self.embedding[...], tokens, axis=0)


def layer_norm(config: TransformerConfig, *, rngs: nnx.Rngs) -> nnx.LayerNorm:
    """Returns a layer norm; its statistics are float32 and its variance's two passes."""
    return nnx.LayerNorm(
        config.width, epsilon=config.epsilon, use_fast_variance=False, rngs=rngs
    )


def sinusoids(length: int, width: int) -> Float[np.ndarray, "length width"]:
    """Returns sin(p/10000^(2i/width)) in column 2i and its cosine in 2i + 1.

    Vaswani et al. 2017, section 3.5.
    """
    column = np.arange(width)
    angle = np.arange(length)[:, None] / 10000.0 ** (column // 2 * 2 / width)[None]
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle)).astype(np.float32)


def ffn_width(config: TransformerConfig, activation: Activation | None) -> int:
    """Returns the hidden units of an arm's feed-forward blocks."""
    gated = activation is not None and activation.kind == "gated"
    if not gated or config.match == "none":
        return config.ffn
    return gated_ffn_width(config.ffn, width=config.width)


def gated_ffn_width(ffn: int, *, width: int) -> int:
    """Returns the units at which a gated layer has a plain one's parameters.

    Two thirds, rounded, as Shazeer 2020 (arXiv 2002.05202) has them. Where rounding and
    the second projection's biases make that differ by 1 % of a layer or more, the
    nearest size that there is.
    """
    wanted = layer_parameters(ffn, width=width, projections=1)

    def off(units: int) -> int:
        return abs(layer_parameters(units, width=width, projections=2) - wanted)

    two_thirds = max(round(2 * ffn / 3), 1)
    if off(two_thirds) < MATCHED * wanted:
        return two_thirds
    most = math.ceil(ffn * (2 * width + 1) / (3 * width + 2))
    return min((max(most - 1, 1), most), key=off)


def layer_parameters(units: int, *, width: int, projections: int) -> int:
    """Returns how many parameters a layer has: attention, FFN and its two norms."""
    attention, norms = 4 * width * (width + 1), 4 * width
    return attention + norms + projections * (width + 1) * units + (units + 1) * width


def leaves_of(
    config: TransformerConfig, activation: Activation
) -> dict[str, Initializer]:
    """Returns what each parameter starts from, by the last name of its path."""
    kernel = {"kernel": KERNEL_INITIALIZERS[config.initializer]}
    return LEAVES | kernel | parameter_initializers(activation)


def check_heads(config: TransformerConfig) -> None:
    """Refuses heads that cannot share the width.

    Raises:
      ConfigError: the width is no multiple of the heads.
    """
    if config.width % config.heads:
        raise ConfigError(
            f"model.heads={config.heads}: must divide model.width={config.width}"
        )


def describe_layers(
    kind: str, config: TransformerConfig, activation: Activation | None
) -> str:
    """Returns `gated ViT 2×64, 4 heads, FFN 171, pre-norm`: layers × width, and so on."""
    gated = activation is not None and activation.kind == "gated"
    unmatched = " (not matched)" if gated and config.match == "none" else ""
    return (
        f"{'gated ' if gated else ''}{kind} {config.depth}×{config.width}, "
        f"{config.heads} heads, FFN {ffn_width(config, activation)}{unmatched}, "
        f"{config.norm}-norm"
    )
