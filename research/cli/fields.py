"""From the text of `--config.field=text` to the field and its value."""

import difflib
from collections.abc import Callable
from typing import Any

from research.config import ConfigError, ExperimentConfig, shown
from research.config_values import Field, convert, fields_of, refused

FIELDS = {field.path: field for field in fields_of(ExperimentConfig)}
_READ: dict[type, Callable[[str], Any]] = {int: int, float: float, str: str}


def nearest_field(name: str) -> str:
    """Returns the path of the field that a wrong name most likely meant, or nothing.

    `learning_rate` and `lr` find optimizer.learning_rate, `modle.hidden` model.hidden.
    """
    word = name.rpartition(".")[2]
    last = {path: path.rpartition(".")[2] for path in FIELDS}
    same = [path for path in last if word in (last[path], _initials(last[path]))]
    if len(same) == 1:
        return same[0]
    close = difflib.get_close_matches(name, FIELDS, n=1)
    if close:
        return close[0]
    close = difflib.get_close_matches(word, last.values(), n=1)
    return next((path for path in last if last[path] in close), "")


def _initials(word: str) -> str:
    """Returns `lr` for learning_rate, and a single word as it is."""
    parts = word.split("_")
    return "".join(part[0] for part in parts) if len(parts) > 1 else word


def read_field(path: str, text: str) -> Any:
    """Returns the checked value of `--config.path=text`; None where it is emptied.

    Raises:
      ConfigError: no such field, or a text that is none of its values.
    """
    field = FIELDS.get(path)
    if field is None:
        raise _unknown(path, text)
    try:
        return _value(field, text.strip())
    except ConfigError as error:
        raise ConfigError(f"--config.{error}") from None


def _value(field: Field, text: str) -> Any:
    if field.optional and not text:
        return None
    if field.kind is str or not field.many:
        return convert(field, _scalar(field, text))
    for opening, closing in ("()", "[]"):
        if text.startswith(opening) and text.endswith(closing):
            text = text[1:-1]
    words = text.removesuffix(",").split(",")
    return convert(field, tuple(_scalar(field, word) for word in words))


def _scalar(field: Field, text: str) -> Any:
    try:
        return _READ[field.kind](text)
    except ValueError:
        raise refused(field, text) from None


def flag_text(value: Any) -> str:
    """Returns a value as absl and ml_collections read it back without loss."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return repr(value)


def _unknown(path: str, text: str) -> ConfigError:
    below = [known for known in FIELDS if known.startswith(f"{path}.")]
    if below:
        return ConfigError(
            f"--config.{path}={shown(text)}: is a section; its fields are "
            f"{', '.join(below)}"
        )
    name, near = shown(path)[1:-1], nearest_field(path)
    hint = f"did you mean --config.{near}?" if near else "--help lists the fields"
    return ConfigError(f"--config.{name}={shown(text)}: no such field; {hint}")
