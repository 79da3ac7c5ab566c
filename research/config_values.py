"""From a nested mapping to a checked `ExperimentConfig`, and back."""

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from research.config import (
    Check,
    ConfigError,
    ExperimentConfig,
    MLPConfig,
    MoonsConfig,
    near,
)

# The section classes that a `name` field chooses between.
SECTIONS: dict[str, dict[str, type]] = {
    "task": {"moons": MoonsConfig},
    "model": {"mlp": MLPConfig},
}
WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


@dataclass(frozen=True)
class Field:
    """One leaf of the config: where it is, what it holds, its limits."""

    path: str
    kind: type
    many: bool
    optional: bool
    default: Any
    text: str
    check: Check


def split_words(text: str) -> tuple[str, ...]:
    """Splits on the commas outside brackets: `a,f(x=1,y=2)` has two words."""
    words, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            words.append(text[start:position])
            start = position + 1
    words.append(text[start:])
    return tuple(word.strip() for word in words)


def fields_of(section: type, prefix: str = "") -> Iterator[Field]:
    """Yields every leaf below a section class, depth first, in the order of its definition."""
    hints = typing.get_type_hints(section)
    for field in dataclasses.fields(section):
        path, hint = prefix + field.name, hints[field.name]
        if dataclasses.is_dataclass(hint):
            assert isinstance(hint, type)
            yield from fields_of(hint, path + ".")
        else:
            yield _leaf(path, hint, field)


def _leaf(path: str, hint: Any, field: dataclasses.Field) -> Field:
    many = typing.get_origin(hint) is tuple
    optional = isinstance(hint, types.UnionType)
    kind = typing.get_args(hint)[0] if many or optional else hint
    return Field(
        path=path,
        kind=kind,
        many=many,
        optional=optional,
        default=field.default,
        text=field.metadata["help"],
        check=field.metadata["check"],
    )


def convert(field: Field, value: Any) -> Any:
    """Turns a raw value into the field's type and checks its limits.

    Raises:
      ConfigError: the value has another type, or lies outside the limits.
    """
    if value is None and field.optional:
        return None
    if not field.many:
        return _element(field, value)
    if isinstance(value, str):
        value = split_words(value)
    elif not isinstance(value, (tuple, list)):
        value = (value,)
    if not value:
        raise ConfigError(f"{field.path}=(): at least one value is needed")
    return tuple(_element(field, item) for item in value)


def _element(field: Field, value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    right = isinstance(value, field.kind) and not (
        isinstance(value, bool) and field.kind is not bool
    )
    if field.kind is float and whole:
        value, right = float(value), True
    if not right:
        raise ConfigError(
            f"{field.path}={value!r}: must be {WORDS[field.kind]} ({field.check.allowed})"
        )
    if not field.check.accepts(value):
        hint = (
            near(value, field.check.allowed.removeprefix("one of ").split(", "))
            if field.kind is str
            else ""
        )
        raise ConfigError(
            f"{field.path}={value!r}: must be {field.check.allowed}{hint}"
        )
    return value


def from_mapping(mapping: Mapping[str, Any]) -> ExperimentConfig:
    """Builds the frozen config from a nested mapping that names every field or fewer.

    Raises:
      ConfigError: an unknown field, a wrong type, a value outside its limits.
    """
    config = _build(ExperimentConfig, mapping, "")
    _check_whole(config)
    return config


def section_class(path: str, default: type, mapping: Mapping[str, Any]) -> type:
    """Returns the class of a section, which its `name` chooses where there is a choice."""
    known = SECTIONS.get(path)
    if known is None or "name" not in mapping:
        return default
    name = mapping["name"]
    if name not in known:
        raise ConfigError(
            f"{path}.name={name!r}: must be one of {', '.join(known)}{near(str(name), known)}"
        )
    return known[name]


def _build(section: type, mapping: Mapping[str, Any], prefix: str) -> Any:
    hints = typing.get_type_hints(section)
    known = {field.name: field for field in dataclasses.fields(section)}
    for name in mapping:
        if name not in known:
            raise ConfigError(
                f"{prefix}{name}: no such field; "
                f"{prefix.rstrip('.') or 'the config'} has {', '.join(known)}"
                f"{near(str(name), known)}"
            )
    values = {}
    for name, value in mapping.items():
        path, hint = prefix + name, hints[name]
        if not dataclasses.is_dataclass(hint):
            values[name] = convert(_leaf(path, hint, known[name]), value)
            continue
        assert isinstance(hint, type)
        if not isinstance(value, Mapping):
            raise ConfigError(f"{path}={value!r}: is a section; set {path}.<field>")
        values[name] = _build(section_class(path, hint, value), value, path + ".")
    return section(**values)


def _check_whole(config: ExperimentConfig) -> None:
    """Checks what only several fields together can tell."""
    for path, words in (("activations", config.activations), ("vary", config.vary)):
        doubled = [word for word in words if words.count(word) > 1]
        if doubled:
            raise ConfigError(f"{path}: {doubled[0]} is named twice")
    if len(config.optimizer.learning_rate) > 1:
        raise ConfigError(
            f"optimizer.learning_rate={config.optimizer.learning_rate}: "
            "one value only; run one experiment per learning rate"
        )
    task = config.task
    train = task.samples - task.test_samples - task.validation_samples
    if train < config.batch_size:
        raise ConfigError(
            f"batch_size={config.batch_size}: larger than the training part, {train} rows "
            "(task.samples - task.test_samples - task.validation_samples)"
        )


def to_mapping(config: Any) -> dict[str, Any]:
    """Returns the nested plain mapping of a config, complete, as config.json holds it."""
    return dataclasses.asdict(config)


def default_config():
    """Returns an ml_collections ConfigDict of every field with its default, to be overridden.

    Lists of words are one text divided by commas; empty optional fields are typed placeholders.
    """
    from ml_collections import config_dict

    def build(section: type) -> config_dict.ConfigDict:
        tree = config_dict.ConfigDict()
        for field in dataclasses.fields(section):
            hint = typing.get_type_hints(section)[field.name]
            if dataclasses.is_dataclass(hint):
                assert isinstance(hint, type)
                tree[field.name] = build(hint)
                continue
            leaf = _leaf(field.name, hint, field)
            if leaf.optional and leaf.default is None:
                tree[field.name] = config_dict.placeholder(leaf.kind)
            elif leaf.many and leaf.kind is str:
                tree[field.name] = ",".join(leaf.default)
            else:
                tree[field.name] = leaf.default
        return tree

    return build(ExperimentConfig)
