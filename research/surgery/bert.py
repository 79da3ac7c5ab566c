"""BERT's encoder from its published tensors, in this project's own blocks.

J. Devlin et al., BERT, NAACL 2019; arXiv:1810.04805.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float, Int, PyTree

from research.activations.catalog import lookup
from research.activations.record import Activation
from research.errors import DataError
from research.model_configs import MaskedLanguageModelConfig, TransformerConfig
from research.models.attention import Mask, padding_mask
from research.models.dropout import Dropout
from research.models.transformer import (
    Layer,
    TokenEmbedding,
    Transformer,
    describe_layers,
)
from research.surgery.checkpoint import Checkpoint, load

# Where the published names stand for ours; the last word of a path stands in LEAVES.
PLACES = {
    "words": "embeddings.word_embeddings",
    "segments": "embeddings.token_type_embeddings",
    "transformer": "embeddings.position_embeddings",
    "transformer.norm": "embeddings.LayerNorm",
}
LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "ffn.up": "intermediate.dense",
    "ffn.down": "output.dense",
    "norm2": "output.LayerNorm",
}
LEAVES = {
    "embedding": "weight",
    "positions": "weight",
    "kernel": "weight",
    "scale": "weight",
    "bias": "bias",
}
# The first checkpoints have TensorFlow's names of a norm's parameters.
RENAMED = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
PREFIX = "bert."
# What stands on the encoder, and a buffer that counts the positions: not of the encoder.
SKIPPED = ("pooler.", "cls.", "classifier.", "qa_outputs.", "embeddings.position_ids")
# Settings under which these tensors mean another model, by what they must be.
SETTINGS = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}
NO_DROPOUT = Dropout(0.0)


class Batch(NamedTuple):
    """Token ids, which of two segments each is of, and which are no padding."""

    tokens: Int[Any, "batch length"]
    segments: Int[Any, "batch length"]
    real: Bool[Any, "batch length"]


class Trace(NamedTuple):
    """What an encoder computes on the way.

    hidden: the embedding, then each layer's output. units: what each layer's activation
    gives.
    """

    hidden: tuple[Float[Array, "batch length width"], ...]
    units: tuple[Float[Array, "batch length ffn"], ...]


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

    def __call__(self, batch: Batch) -> Trace:
        mask, parts = padding_mask(batch.real), self.transformer
        embedded = self.words(batch.tokens) + self.segments(batch.segments)
        x = parts.norm(embedded + parts.positions[: batch.tokens.shape[1]][None])
        hidden, units = [x], []
        for layer in parts.layers:
            x, active = through(layer, x, mask)
            hidden.append(x)
            units.append(active)
        return Trace(tuple(hidden), tuple(units))


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """An encoder's structure and parameters.

    skipped: names of the checkpoint's tensors that are not of the encoder.
    """

    config: TransformerConfig
    activation: Activation
    vocabulary: int
    length: int
    graph: nnx.GraphDef
    params: PyTree
    skipped: tuple[str, ...]

    @property
    def title(self) -> str:
        """The model in one line."""
        return describe_layers("BERT", self.config, self.activation)


def through(
    layer: Layer, x: Float[Array, "batch length width"], mask: Mask
) -> tuple[Float[Array, "batch length width"], Float[Array, "batch length ffn"]]:
    """Returns a post-norm layer's output and what its activation gives on the way."""
    attended = layer.norm1(x + layer.attention(x, mask, NO_DROPOUT))
    units = layer.ffn.place(layer.ffn.up(attended), attended)
    return layer.norm2(attended + layer.ffn.down(units)), units


def trace(
    pretrained: Pretrained,
    params: PyTree,
    batch: Batch,
    *,
    swaps: Mapping[int, Activation],
) -> Trace:
    """Runs the encoder with another activation in some layers, all else as it was.

    Args:
      params: `pretrained.params`, by themselves so that a jitted caller can pass them.
      swaps: the activation by the layer's index, from 0; the others keep their own.
    """
    encoder: Encoder = nnx.merge(pretrained.graph, params, {})
    for index, activation in swaps.items():
        encoder.transformer.layers[index].ffn.place.activation = activation
    return encoder(batch)


def read_bert(checkpoint: Checkpoint) -> Pretrained:
    """Returns the encoder of a checkpoint.

    Raises:
      DataError: a field or a tensor that is missing or cannot be used, or a tensor that
        belongs to nothing here.
    """
    config = _config(checkpoint)
    activation = lookup(checkpoint.activation)
    if activation.kind != "elementwise":
        raise checkpoint.refused("hidden_act", "an activation without parameters")
    sizes = {
        "vocabulary": checkpoint.whole("vocab_size"),
        "segments": checkpoint.whole("type_vocab_size"),
        "length": checkpoint.whole("max_position_embeddings"),
    }

    def build() -> Encoder:
        return Encoder(config, activation, **sizes, rngs=nnx.Rngs(0))

    graph, shapes, _ = nnx.split(nnx.eval_shape(build), nnx.Param, ...)
    leaves = {path: leaf.shape for path, leaf in nnx.to_flat_state(shapes)}
    given = _by_plain_name(checkpoint)
    _check_tensors(checkpoint, given, leaves)
    return Pretrained(
        config=config,
        activation=activation,
        vocabulary=sizes["vocabulary"],
        length=sizes["length"],
        graph=graph,
        params=_params(checkpoint, given, list(leaves)),
        skipped=tuple(given[name] for name in given if name.startswith(SKIPPED)),
    )


def _config(checkpoint: Checkpoint) -> TransformerConfig:
    for field, wanted in SETTINGS.items():
        if checkpoint.config.get(field, wanted) != wanted:
            raise checkpoint.refused(field, str(wanted).lower())
    epsilon = checkpoint.config.get("layer_norm_eps")
    if not isinstance(epsilon, float) or not 0 < epsilon < 1:
        raise checkpoint.refused("layer_norm_eps", "a number above 0 and below 1")
    width, heads = map(checkpoint.whole, ("hidden_size", "num_attention_heads"))
    if width % heads:
        raise checkpoint.refused(
            "num_attention_heads", f"a divisor of hidden_size={width}"
        )
    depth, most = checkpoint.whole("num_hidden_layers"), len(checkpoint.tensors)
    # A damaged number is refused before so many layers are built.
    if depth > most:
        raise checkpoint.refused("num_hidden_layers", f"at most the {most} tensors")
    return MaskedLanguageModelConfig(
        width=width,
        heads=heads,
        depth=depth,
        ffn=checkpoint.whole("intermediate_size"),
        norm="post",
        epsilon=epsilon,
    )


def published_name(path: tuple[str | int, ...]) -> str:
    """Returns what a published BERT calls the parameter at a path of the encoder."""
    *above, leaf = path
    if above[:2] == ["transformer", "layers"]:
        part = LAYER[".".join(map(str, above[3:]))]
        return f"encoder.layer.{above[2]}.{part}.{LEAVES[str(leaf)]}"
    return f"{PLACES['.'.join(map(str, above))]}.{LEAVES[str(leaf)]}"


def _by_plain_name(checkpoint: Checkpoint) -> dict[str, str]:
    """Returns the checkpoint's names by those without prefix and in today's words."""
    plain: dict[str, str] = {}
    for name in checkpoint.tensors:
        short = name.removeprefix(PREFIX)
        for old, new in RENAMED.items():
            short = short.replace(old, new)
        if short in plain:
            raise DataError(
                f"{checkpoint.folder}: tensors {plain[short]} and {name} are one and "
                "the same"
            )
        plain[short] = name
    return plain


def _check_tensors(
    checkpoint: Checkpoint,
    given: Mapping[str, str],
    leaves: Mapping[tuple, tuple[int, ...]],
) -> None:
    """Checks that every parameter has its tensor, and every tensor a parameter or a skip."""
    wanted = {
        published_name(path): _theirs(path, shape) for path, shape in leaves.items()
    }
    for name, shape in wanted.items():
        if name not in given:
            raise DataError(
                f"{checkpoint.folder}: tensor {name} of shape {shape} is missing"
            )
        found = checkpoint.tensors[given[name]]
        if found.shape != shape:
            raise DataError(
                f"{found.file}: tensor {given[name]} has shape {found.shape}; by "
                f"config.json it must be {shape}"
            )
    for name, full in given.items():
        if name not in wanted and not name.startswith(SKIPPED):
            found = checkpoint.tensors[full]
            raise DataError(
                f"{found.file}: tensor {full} of shape {found.shape} belongs to no part "
                "of the encoder that config.json describes"
            )


def _theirs(path: tuple, shape: tuple[int, ...]) -> tuple[int, ...]:
    # torch's kernels are outputs × inputs.
    return shape[::-1] if path[-1] == "kernel" else shape


def _params(checkpoint: Checkpoint, given: Mapping[str, str], paths: list) -> PyTree:
    names = {path: given[published_name(path)] for path in paths}
    arrays = load(checkpoint, names.values())
    params: dict[Any, Any] = {}
    for path, name in names.items():
        *above, leaf = path
        place = params
        for word in above:
            place = place.setdefault(word, {})
        array: np.ndarray = arrays.pop(name)
        place[leaf] = jnp.asarray(array.T if leaf == "kernel" else array)
    return params
