"""BERT's encoder from its published tensors.

J. Devlin et al., BERT, NAACL 2019; arXiv:1810.04805.
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import PyTree

from research.activations.catalog import lookup
from research.errors import DataError
from research.model_configs import MaskedLanguageModelConfig, TransformerConfig
from research.surgery.checkpoint import Checkpoint, load
from research.surgery.encoder import Encoder, Pretrained

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
