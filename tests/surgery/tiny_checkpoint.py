"""The tiny published checkpoints, and copies of them that are changed or damaged."""

import json
import shutil
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file, save_file

from research.surgery.encoder import Batch, Images

ALL = Path(__file__).parent
FOLDER = ALL / "tiny_bert"


def copied(folder: Path, name: str = "tiny_bert") -> Path:
    """Copies a checkpoint into a new folder, without what is expected of it."""
    ignored = shutil.ignore_patterns("expected.npz")
    return Path(shutil.copytree(ALL / name, folder, ignore=ignored))


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


def published(name: str = "tiny_bert") -> dict[str, np.ndarray]:
    """Returns the published code's numbers, and what it was given."""
    with np.load(ALL / name / "expected.npz") as arrays:
        return dict(arrays)


def batch(arrays, name: str) -> Batch:
    """Returns the tokens that the published code was given; without segments they are 0."""
    tokens = arrays[f"{name}_input_ids"]
    segments = arrays.get(f"{name}_token_type_ids", np.zeros_like(tokens))
    return Batch(
        jnp.asarray(tokens, jnp.int32),
        jnp.asarray(segments, jnp.int32),
        jnp.asarray(arrays[f"{name}_attention_mask"] == 1),
    )


def inputs(arrays) -> Batch | Images:
    """Returns what the published code was given: sentences or images."""
    if "images_pixel_values" in arrays:
        # torch has the channels before the rows.
        return Images(jnp.asarray(arrays["images_pixel_values"].transpose(0, 2, 3, 1)))
    return batch(arrays, "sentences")
