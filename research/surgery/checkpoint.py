"""A published checkpoint in a local folder, as Hugging Face lays it out; no pickle is read.

Only the headers are read at first: names, types and shapes are checked before numbers
take memory.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401, tells NumPy of bfloat16
import numpy as np
from jaxtyping import Float32
from safetensors import SafetensorError, safe_open

from research.activations.names import canonical
from research.errors import ConfigError, DataError
from research.own_code import is_own
from research.records.folder import read_mapping
from research.settings import near, shown

FAMILIES = ("bert",)
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


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A folder's config and what tensors it holds.

    hidden_act: the activation as trained, as config.json has it; activation is the
    catalogue's name of it.
    """

    folder: Path
    config: Mapping[str, Any]
    family: str
    hidden_act: str
    activation: str
    tensors: Mapping[str, Stored]

    @property
    def config_path(self) -> Path:
        return self.folder / "config.json"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that hold the tensors."""
        return tuple(dict.fromkeys(each.file for each in self.tensors.values()))

    def refused(self, field: str, allowed: str) -> DataError:
        """Returns the refusal of a field of config.json."""
        where = f"{self.config_path}: {field}"
        if field not in self.config:
            return DataError(f"{where} is missing; it must be {allowed}")
        return DataError(f"{where}={shown(self.config[field])}: must be {allowed}")

    def whole(self, field: str) -> int:
        """Returns a field that must be a whole number above 0.

        Raises:
          DataError: it is missing or is none.
        """
        value = self.config.get(field)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.refused(field, "a whole number above 0")
        return value


def read_checkpoint(folder: Path) -> Checkpoint:
    """Reads config.json and the headers of a folder's tensors.

    Raises:
      DataError: a file that is missing or damaged, weights that are no safetensors, a
        family or an activation that is not known.
    """
    config = read_mapping(folder / "config.json")
    family = _word(config, "model_type", folder)
    if family not in FAMILIES:
        raise DataError(
            f"{folder / 'config.json'}: model_type={shown(family)}: must be one of "
            f"{', '.join(FAMILIES)}{near(family, FAMILIES)}"
        )
    hidden_act = _word(config, "hidden_act", folder)
    return Checkpoint(
        folder=folder,
        config=config,
        family=family,
        hidden_act=hidden_act,
        activation=_activation(hidden_act, folder),
        tensors=_headers(folder),
    )


def load(
    checkpoint: Checkpoint, names: Iterable[str]
) -> dict[str, Float32[np.ndarray, "..."]]:
    """Returns these tensors as float32.

    Raises:
      DataError: one is neither float32, float16 nor bfloat16, or is not finite.
    """
    loaded = {}
    for name in names:
        stored = checkpoint.tensors[name]
        where = f"{stored.file}: tensor {name}"
        if stored.dtype not in FLOATS:
            raise DataError(
                f"{where} is of type {stored.dtype}; must be one of {', '.join(FLOATS)}"
            )
        with _opened(stored.file) as file:
            loaded[name] = np.asarray(file.get_tensor(name)).astype(np.float32)
        if not np.isfinite(loaded[name]).all():
            raise DataError(f"{where} holds NaN or an infinity")
    return loaded


def _word(config: Mapping[str, Any], field: str, folder: Path) -> str:
    value = config.get(field)
    if field not in config:
        raise DataError(f"{folder / 'config.json'}: {field} is missing")
    if not isinstance(value, str) or not value.strip():
        raise DataError(
            f"{folder / 'config.json'}: {field}={shown(value)}: must be a name"
        )
    return value


def _activation(hidden_act: str, folder: Path) -> str:
    where = f"{folder / 'config.json'}: hidden_act="
    # A checkpoint comes from elsewhere, so that it may not name code to run.
    if is_own(hidden_act):
        raise DataError(
            f"{where}{shown(hidden_act)}: must be the name of an activation"
        )
    try:
        return canonical(hidden_act)
    except ConfigError as error:
        told = str(error).removeprefix("activations=")
        raise DataError(f"{where}{told}") from None


def _headers(folder: Path) -> dict[str, Stored]:
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
        f"AutoModel.from_pretrained({str(folder)!r}).save_pretrained('NEW_FOLDER')"
    )


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
