"""The tiny published BERT, and copies of it that are changed or damaged."""

import json
import shutil
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file, save_file

from research.surgery.encoder import Batch

FOLDER = Path(__file__).parent / "tiny_bert"
FILES = ("config.json", "model.safetensors", "vocab.txt")


def copied(folder: Path) -> Path:
    """Copies the checkpoint into a new folder."""
    folder.mkdir()
    for name in FILES:
        shutil.copy(FOLDER / name, folder)
    return folder


def configured(folder: Path, **fields) -> Path:
    """Sets fields of config.json; None takes one away."""
    path = folder / "config.json"
    config = json.loads(path.read_text()) | fields
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}))
    return folder


def changed(folder: Path, change) -> Path:
    """Writes the tensors as `change` returns them."""
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path)
    return folder


def published() -> dict[str, np.ndarray]:
    """Returns the published code's numbers, and what it was given."""
    with np.load(FOLDER / "expected.npz") as arrays:
        return dict(arrays)


def batch(arrays, name: str) -> Batch:
    """Returns what the published code was given."""
    return Batch(
        jnp.asarray(arrays[f"{name}_input_ids"], jnp.int32),
        jnp.asarray(arrays[f"{name}_token_type_ids"], jnp.int32),
        jnp.asarray(arrays[f"{name}_attention_mask"] == 1),
    )
