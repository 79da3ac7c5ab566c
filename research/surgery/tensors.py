"""Tensors of safetensors files: their headers first, then their numbers as float32."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401, tells NumPy of bfloat16
import numpy as np
from jaxtyping import Float32
from safetensors import SafetensorError, safe_open

from research.errors import DataError
from research.records.folder import read_mapping
from research.settings import shown

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
# What weights are read from, by safetensors' own names; all become float32.
FLOATS = ("F32", "F16", "BF16")
# Weights in other formats, most of them pickles.
OTHERS = (
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "tf_model.h5",
    "flax_model.msgpack",
)


@dataclass(frozen=True)
class Stored:
    """A tensor as its file's header tells of it."""

    file: Path
    dtype: str
    shape: tuple[int, ...]


def read_headers(folder: Path) -> dict[str, Stored]:
    """Returns what a folder's files of tensors hold, by the tensors' names.

    Raises:
      DataError: a file that is missing or damaged, or weights that are no safetensors.
    """
    if (folder / WHOLE).is_file():
        return _header(folder / WHOLE)
    if (folder / INDEX).is_file():
        return _sharded(folder / INDEX)
    other = next((name for name in OTHERS if (folder / name).is_file()), None)
    if other is None:
        raise DataError(f"{folder}: holds neither {WHOLE} nor {INDEX}")
    raise DataError(
        f"{folder / other}: is not read, only safetensors are (a pickle can run any "
        "code); where transformers and torch are and the file is trusted, convert it: "
        "load it with the class that config.json's architectures names, and call its "
        "save_pretrained('NEW_FOLDER')"
    )


def load_tensors(
    tensors: Mapping[str, Stored], names: Iterable[str]
) -> dict[str, Float32[np.ndarray, "..."]]:
    """Returns these tensors as float32.

    Raises:
      DataError: one is neither float32, float16 nor bfloat16, or is not finite.
    """
    loaded = {}
    for name in names:
        stored = tensors[name]
        where = f"{stored.file}: tensor {name}"
        if stored.dtype not in FLOATS:
            raise DataError(
                f"{where} is of type {stored.dtype}; must be one of {', '.join(FLOATS)}"
            )
        loaded[name] = raw_tensor(stored, name).astype(np.float32)
        if not np.isfinite(loaded[name]).all():
            raise DataError(f"{where} holds NaN or an infinity")
    return loaded


def raw_tensor(stored: Stored, name: str) -> np.ndarray:
    """Returns a tensor in the type that it is stored in."""
    with _opened(stored.file) as file:
        return np.asarray(file.get_tensor(name))


def _sharded(index: Path) -> dict[str, Stored]:
    """Reads the shards that an index names; each tensor must lie where it says."""
    places = read_mapping(index).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise DataError(f"{index}: weight_map must name a file for every tensor")
    for name, file in places.items():
        if not isinstance(file, str) or Path(file).name != file:
            raise DataError(
                f"{index}: weight_map: {name}={shown(file)}: must be a file beside it"
            )
    headers = {file: _header(index.with_name(file)) for file in set(places.values())}
    for name, file in places.items():
        if name not in headers[file]:
            raise DataError(f"{index.with_name(file)}: lacks tensor {name}")
    for file, header in headers.items():
        for name in header:
            if places.get(name) != file:
                raise DataError(f"{index}: weight_map lacks tensor {name} of {file}")
    return {name: headers[file][name] for name, file in places.items()}


def _header(path: Path) -> dict[str, Stored]:
    with _opened(path) as file:
        slices = {name: file.get_slice(name) for name in sorted(file.keys())}
        return {
            name: Stored(path, each.get_dtype(), tuple(each.get_shape()))
            for name, each in slices.items()
        }


def _opened(path: Path) -> Any:
    """Opens a file of tensors, its length checked against its header."""
    try:
        with path.open("rb"):
            pass
        return safe_open(str(path), framework="numpy")
    except OSError as error:
        raise DataError(f"{path}: cannot be read, {error.strerror}") from None
    except SafetensorError as error:
        raise DataError(f"{path}: is damaged, {error}") from None
