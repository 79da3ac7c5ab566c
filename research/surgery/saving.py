"""A tuned model as a Hugging Face directory, which the published code opens."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from flax import nnx
from jaxtyping import PyTree
from safetensors.numpy import save_file

from research.activations.aliases import ALIASES
from research.activations.record import Activation
from research.errors import ConfigError
from research.settings import shown
from research.surgery.checkpoint import Checkpoint, read_checkpoint
from research.surgery.encoder import Pretrained
from research.surgery.families import FAMILIES
from research.surgery.naming import published
from research.surgery.reading import by_plain_name
from research.surgery.tensors import WHOLE, raw_tensor

# The catalogue's name -> the one of transformers' ACT2FN (5.24) for the same function.
PUBLISHED_NAMES = {
    "relu": "relu",
    "relu6": "relu6",
    "leaky_relu": "leaky_relu",
    "relu2": "relu2",
    "gelu": "gelu",
    "gelu_tanh": "gelu_pytorch_tanh",
    "quick_gelu": "quick_gelu",
    "silu": "silu",
    "mish": "mish",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "hard_swish": "hardswish",
    "identity": "linear",
}
# Of the tensors' file, which safetensors makes for its owner alone.
READABLE = 0o644
# What is copied of the source, where it has it.
COPIED = (
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "preprocessor_config.json",
)


def save(
    pretrained: Pretrained,
    params: PyTree,
    folder: Path,
    *,
    activation: Activation,
    source: Path,
) -> None:
    """Writes a model whose layers all have one activation, whole or not at all.

    Args:
      params: as `pretrained.params`.
      source: the folder that it was read from; what is not of the model, such as skipped
        tensors and the tokenizer, is taken from there unchanged.

    Raises:
      ConfigError: config.json has no word for the activation, or the folder is not empty.
      DataError: the source cannot be read.
    """
    checkpoint = read_checkpoint(source, trained=pretrained.activation.name)
    word = published_activation(checkpoint, activation)
    check_new(folder)
    beside = folder.with_name(f".{folder.name}.{os.getpid()}")
    beside.mkdir(parents=True)
    try:
        tensors = _tensors(pretrained, params, checkpoint)
        save_file(tensors, beside / WHOLE, metadata={"format": "pt"})
        (beside / WHOLE).chmod(READABLE)
        config = _config(checkpoint, word)
        (beside / "config.json").write_text(json.dumps(config, indent=2) + "\n")
        for name in COPIED:
            if (source / name).is_file():
                shutil.copyfile(source / name, beside / name)
        beside.replace(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def published_activation(checkpoint: Checkpoint, activation: Activation) -> str:
    """Returns config.json's word for an activation: the source's own where it means it.

    Raises:
      ConfigError: there is none, so that no published code could compute it.
    """
    own = checkpoint.hidden_act
    if ALIASES.get(own, own) == activation.name:
        return own
    if activation.name not in PUBLISHED_NAMES:
        raise ConfigError(
            f"activation={shown(activation.name)}: cannot be saved, since transformers "
            "has no name for it that config.json could hold; those with one are "
            f"{', '.join(PUBLISHED_NAMES)}"
        )
    return PUBLISHED_NAMES[activation.name]


def check_new(folder: Path) -> None:
    """Refuses a place where something is.

    Raises:
      ConfigError: it is a file, or a folder that is not empty.
    """
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists():
        raise ConfigError(f"{folder}: must be a new or an empty folder")


def _config(checkpoint: Checkpoint, activation: str) -> dict[str, Any]:
    config = dict(checkpoint.config) | {checkpoint.activation_field: activation}
    for field in ("torch_dtype", "dtype"):
        if field in config:
            config[field] = "float32"
    # A head's embedding is written once, so that it must be read as shared.
    if "tie_word_embeddings" in config:
        config["tie_word_embeddings"] = True
    return config


def _tensors(
    pretrained: Pretrained, params: PyTree, checkpoint: Checkpoint
) -> dict[str, np.ndarray]:
    """Returns the tensors by the source's names, in today's words."""
    family, given = FAMILIES[pretrained.family], by_plain_name(checkpoint)
    tensors = {
        name: raw_tensor(checkpoint.tensors[name], name) for name in pretrained.skipped
    }
    for name, array in published_tensors(pretrained, params).items():
        tensors[family.in_todays_words(given.get(name, name))] = array
    return tensors


def published_tensors(pretrained: Pretrained, params: PyTree) -> dict[str, np.ndarray]:
    """Returns the tensors that hold all parameters, by their names without the prefix."""
    leaves: Mapping = dict(nnx.to_flat_state(nnx.State(params)))
    shapes = {path: leaf.shape for path, leaf in leaves.items()}
    places = published(FAMILIES[pretrained.family].names, shapes)
    return {
        name: place.written(
            [np.asarray(leaves[path], np.float32) for path in place.paths]
        )
        for name, place in places.items()
    }
