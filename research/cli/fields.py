"""From the text of `--config.field=text` to the field and its value."""

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from research.config import ExperimentConfig
from research.config_values import Field, convert, fields_of, refused
from research.errors import ConfigError
from research.model_configs import MODELS
from research.settings import shown
from research.task_configs import TASKS

# The sections that have several classes, each with the names of these.
CHOICES = {"task": tuple(TASKS.by_name), "model": tuple(MODELS.by_name)}


def fields_with(names: Mapping[str, str]) -> dict[str, Field]:
    """Returns every field by its path, with the task and model of these names."""
    return {field.path: field for field in fields_of(ExperimentConfig, names=names)}


def _all_fields() -> dict[str, Field]:
    every: dict[str, Field] = {}
    for section, words in CHOICES.items():
        for word in words:
            every |= {
                path: field
                for path, field in fields_with({section: word}).items()
                if path not in every
            }
    return every


# The fields of every task and model; of those that share a path, the first's.
FIELDS = _all_fields()
_READ: dict[type, Callable[[str], Any]] = {int: int, float: float, str: str}


def nearest_field(name: str) -> str:
    """Returns the path of the field that a wrong name most likely meant, or nothing.

    `learning_rate` and `lr` find optimizer.learning_rate, `modle.hidden` model.hidden,
    `modle.act` activations.
    """
    word = name.rpartition(".")[2]
    last = {path: path.rpartition(".")[2] for path in FIELDS}
    same = [path for path in last if word in (last[path], _initials(last[path]))]
    if len(same) == 1:
        return same[0]
    begun = [path for path in last if len(word) > 2 and last[path].startswith(word)]
    if len(begun) == 1:
        return begun[0]
    close = difflib.get_close_matches(name, FIELDS, n=1)
    if close:
        return close[0]
    close = difflib.get_close_matches(word, last.values(), n=1)
    return next((path for path in last if last[path] in close), "")


def _initials(word: str) -> str:
    """Returns `lr` for learning_rate, and a single word as it is."""
    parts = word.split("_")
    return "".join(part[0] for part in parts) if len(parts) > 1 else word


def read_field(path: str, text: str, *, names: Mapping[str, str] | None = None) -> Any:
    """Returns the checked value of `--config.path=text`; None where it is emptied.

    Args:
      names: of the task and the model whose fields there are.

    Raises:
      ConfigError: no such field, or a text that is none of its values.
    """
    field = fields_with(names or {}).get(path)
    if field is None:
        raise _unknown(path, text, names or {})
    try:
        return _value(field, text.strip())
    except ConfigError as error:
        raise ConfigError(f"--config.{error}") from None


def _value(field: Field, text: str) -> Any:
    if field.optional and text in ("", field.check.empty):
        return None
    if field.kind is str or not field.many:
        return convert(field, _scalar(field, text))
    for opening, closing in ("()", "[]"):
        if text.startswith(opening) and text.endswith(closing):
            text = text[1:-1]
    words = text.removesuffix(",").split(",")
    return convert(field, tuple(_scalar(field, word) for word in words))


def _scalar(field: Field, text: str) -> Any:
    # Python reads 1_0 as 10; whoever writes it has mistyped.
    if field.kind is not str and "_" in text:
        raise refused(field, text)
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


def _unknown(path: str, text: str, names: Mapping[str, str]) -> ConfigError:
    known = fields_with(names)
    below = [each for each in known if each.startswith(f"{path}.")]
    if below:
        if text in CHOICES.get(path, ()):
            return ConfigError(
                f"--config.{path}={shown(text)}: is a section; did you mean "
                f"--config.{path}.name={text}?"
            )
        return ConfigError(
            f"--config.{path}={shown(text)}: is a section; its fields are "
            f"{', '.join(below)}"
        )
    section = path.partition(".")[0]
    owners = [
        word
        for word in CHOICES.get(section, ())
        if path in fields_with({section: word})
    ]
    if owners:
        there = ", ".join(each for each in known if each.startswith(f"{section}."))
        return ConfigError(
            f"--config.{path}={shown(text)}: belongs to {section}.name="
            f"{' or '.join(owners)}, not to {names.get(section, '')}, which has {there}"
        )
    name, near = shown(path)[1:-1], nearest_field(path)
    hint = f"did you mean --config.{near}?" if near else "--help lists the fields"
    return ConfigError(f"--config.{name}={shown(text)}: no such field; {hint}")
