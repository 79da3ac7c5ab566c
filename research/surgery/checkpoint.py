"""A published checkpoint in a local folder, as Hugging Face lays it out; no pickle is read.

Only the headers are read at first: names, types and shapes are checked before numbers
take memory.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from research.activations.names import canonical
from research.errors import ConfigError, DataError
from research.own_code import is_own
from research.records.folder import read_mapping
from research.settings import near, shown
from research.surgery.tensors import Stored, load_tensors, read_headers

# The field of config.json that names the activation, by model_type.
ACTIVATION_FIELDS = {
    "bert": "hidden_act",
    "roberta": "hidden_act",
    "distilbert": "activation",
    "gpt2": "activation_function",
    "vit": "hidden_act",
}


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A folder's config and what tensors it holds.

    hidden_act: the activation as config.json has it; activation is the catalogue's name
    of the one as trained.
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

    @property
    def activation_field(self) -> str:
        """The field of config.json that names the activation."""
        return ACTIVATION_FIELDS[self.family]

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

    def fraction(self, field: str, *, absent: float | None = None) -> float:
        """Returns a field that must be a number from 0 to below 1.

        Args:
          absent: what it is where it is missing or null; None where it must be there.

        Raises:
          DataError: it is none.
        """
        value: Any = self.config.get(field)
        match value:
            case None if absent is not None:
                return absent
            case int() | float() if not isinstance(value, bool) and 0 <= value < 1:
                return float(value)
        raise self.refused(field, "a number from 0 to below 1")


def read_checkpoint(folder: Path, *, trained: str | None = None) -> Checkpoint:
    """Reads config.json and the headers of a folder's tensors.

    Args:
      trained: the activation as trained, where config.json does not say the truth.

    Raises:
      ConfigError: `trained` names no activation.
      DataError: a file that is missing or damaged, weights that are no safetensors, a
        family or an activation that is not known.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    config = read_mapping(folder / "config.json")
    family = _word(config, "model_type", folder)
    if family not in ACTIVATION_FIELDS:
        raise DataError(
            f"{folder / 'config.json'}: model_type={shown(family)}: must be one of "
            f"{', '.join(ACTIVATION_FIELDS)}{near(family, ACTIVATION_FIELDS)}"
        )
    field = ACTIVATION_FIELDS[family]
    hidden_act = _word(config, field, folder)
    where = f"{folder / 'config.json'}: {field}={shown(hidden_act)}"
    return Checkpoint(
        folder=folder,
        config=config,
        family=family,
        hidden_act=hidden_act,
        activation=_activation(hidden_act, where)
        if trained is None
        else _given(trained),
        tensors=read_headers(folder),
    )


def load(
    checkpoint: Checkpoint, names: Iterable[str]
) -> dict[str, Float32[np.ndarray, "..."]]:
    """Returns these tensors as float32.

    Raises:
      DataError: one is neither float32, float16 nor bfloat16, or is not finite.
    """
    return load_tensors(checkpoint.tensors, names)


def _word(config: Mapping[str, Any], field: str, folder: Path) -> str:
    value = config.get(field)
    if field not in config:
        raise DataError(f"{folder / 'config.json'}: {field} is missing")
    if not isinstance(value, str) or not value.strip():
        raise DataError(
            f"{folder / 'config.json'}: {field}={shown(value)}: must be a name"
        )
    return value


def _activation(hidden_act: str, where: str) -> str:
    # A checkpoint comes from elsewhere, so that it may not name code to run.
    if is_own(hidden_act):
        raise DataError(f"{where}: must be the name of an activation")
    try:
        return canonical(hidden_act)
    except ConfigError as error:
        raise DataError(f"{where}: {_reason(error, hidden_act)}") from None


def _given(trained: str) -> str:
    where = f"trained={shown(trained)}"
    if is_own(trained):
        raise ConfigError(f"{where}: must be the name of an activation")
    try:
        return canonical(trained)
    except ConfigError as error:
        raise ConfigError(f"{where}: {_reason(error, trained)}") from None


def _reason(error: ConfigError, word: str) -> str:
    return str(error).removeprefix(f"activations={shown(word)}: ")
