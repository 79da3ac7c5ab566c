"""From a nested mapping to a checked `ExperimentConfig`, and back."""

import dataclasses
import math
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.config import SUB_RUN_IDS, ExperimentConfig
from research.errors import ConfigError
from research.settings import LARGEST, Check, Sections, near, shown
from research.task_configs import MoonsConfig


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


def fields_of(
    section: type, prefix: str = "", *, names: Mapping[str, str] | None = None
) -> Iterator[Field]:
    """Yields every leaf below a section class, depth first, in order of definition.

    Args:
      names: of the sections that have several classes, by path: {"task": "moons"};
        one that is not named has its default's.
    """
    hints = typing.get_type_hints(section)
    for field in dataclasses.fields(section):
        path, sections = prefix + field.name, field.metadata.get("sections")
        if sections is None:
            yield _leaf(path, hints[field.name], field)
            continue
        chosen = sections.of((names or {}).get(path, sections.default))
        assert chosen is not None
        for leaf in fields_of(chosen, path + ".", names=names):
            chooses = sections.default and leaf.path == f"{path}.name"
            yield dataclasses.replace(leaf, check=sections.check) if chooses else leaf


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
    if field.optional and (value is None or value == (field.check.empty or None)):
        return None
    if not field.many:
        return _element(field, value)
    if isinstance(value, str) and field.kind is str:
        value = split_words(value)
    elif not isinstance(value, (tuple, list)):
        value = (value,)
    if not value:
        raise ConfigError(f"{field.path}=(): at least one value is needed")
    return tuple(_element(field, item) for item in value)


def _element(field: Field, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    number = _finite_float(value) if field.kind is float else value
    if isinstance(number, bool) or not isinstance(number, field.kind):
        raise refused(field, value)
    if not field.check.accepts(number):
        raise refused(field, value)
    return number


def _finite_float(value: Any) -> Any:
    """Takes whole numbers as floats; one beyond the floats counts as infinite."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf


def refused(field: Field, value: Any) -> ConfigError:
    """Returns the refusal of a value: the field, the value, what is allowed."""
    hint = near(value, field.check.names) if isinstance(value, str) else ""
    return ConfigError(
        f"{field.path}={shown(value)}: must be {field.check.allowed}{hint}"
    )


def from_mapping(mapping: Mapping[Any, Any]) -> ExperimentConfig:
    """Builds the frozen config from a nested mapping that names every field or fewer.

    Raises:
      ConfigError: an unknown field, a wrong type, a value outside its limits, or values
        that do not go together.
    """
    config = each_checked(mapping)
    _check_together(config)
    return config


def each_checked(mapping: Mapping[Any, Any]) -> ExperimentConfig:
    """Builds the config with each field checked alone, as a part that others override.

    Raises:
      ConfigError: an unknown field, a wrong type, a value outside its limits.
    """
    if not isinstance(mapping, Mapping):
        raise ConfigError(f"config={shown(mapping)}: must be a mapping of fields")
    return _build(ExperimentConfig, mapping, "")


def _build(section: type, mapping: Mapping[Any, Any], prefix: str) -> Any:
    hints = typing.get_type_hints(section)
    known = {field.name: field for field in dataclasses.fields(section)}
    values = {}
    for name, value in mapping.items():
        if name not in known:
            raise _unknown(prefix, name, tuple(known))
        path, sections = prefix + name, known[name].metadata.get("sections")
        if sections is None:
            values[name] = convert(_leaf(path, hints[name], known[name]), value)
            continue
        if not isinstance(value, Mapping):
            raise ConfigError(
                f"{path}={shown(value)}: is a section; set {path}.<field>"
            )
        chosen = _class_of(sections, path, value.get("name", sections.default))
        values[name] = _build(chosen, value, path + ".")
    return section(**values)


def _class_of(sections: Sections, path: str, name: Any) -> type:
    """Returns the class of a section by its name.

    Raises:
      ConfigError: there is none of this name.
    """
    chosen = sections.of(name) if isinstance(name, str) else None
    if chosen is None:
        hint = near(name, sections.by_name) if isinstance(name, str) else ""
        raise ConfigError(
            f"{path}.name={shown(name)}: must be {sections.check.allowed}{hint}"
        )
    return chosen


def _unknown(prefix: str, name: Any, known: tuple[str, ...]) -> ConfigError:
    owner = prefix.rstrip(".") or "the config"
    field = f"{prefix}{name if isinstance(name, str) else shown(name)}"
    return ConfigError(
        f"{field}: no such field; {owner} has {', '.join(known)}"
        f"{near(str(name), known)}"
    )


def _check_together(config: ExperimentConfig) -> None:
    """Checks what only several values together can tell."""
    for path, words in (("activations", config.activations), ("vary", config.vary)):
        doubled = [word for word in words if words.count(word) > 1]
        if doubled:
            raise ConfigError(f"{path}={','.join(words)}: {doubled[0]} is named twice")
    rates = ",".join(f"{rate:g}" for rate in config.optimizer.learning_rate)
    if len(config.optimizer.learning_rate) > 1:
        raise ConfigError(
            f"optimizer.learning_rate={rates}: "
            "one value only; run one experiment per learning rate"
        )
    groups = {"null": 1, "variance": len(config.vary) * config.backgrounds}
    ids = config.seeds + groups.get(config.mode, 0) * SUB_RUN_IDS
    if config.first_seed + ids - 1 > LARGEST:
        raise ConfigError(
            f"first_seed={config.first_seed}: must leave the last seed's id, "
            f"first_seed + {ids} - 1, at most {LARGEST}"
        )
    _check_mode(config)
    reasons = {
        "split": config.task.fixed_split,
        "test_split": config.task.fixed_split or config.task.fixed_test_split,
    }
    fixed = [word for word in config.vary if reasons.get(word)]
    if fixed:
        left = ",".join(word for word in config.vary if word not in fixed)
        raise ConfigError(
            f"vary={','.join(config.vary)}: {fixed[0]} cannot vary with "
            f"task.name={config.task.name}, {reasons[fixed[0]]}; "
            f"use vary={left or 'init'}"
        )
    _check_rows(config)


def _check_mode(config: ExperimentConfig) -> None:
    """Checks what goes with a mode and a plan of seeds."""
    sequential = config.seeds_plan == "sequential"
    if sequential and config.mode != "compare":
        raise ConfigError(
            f"seeds_plan=sequential: goes with mode=compare alone, not {config.mode}"
        )
    if "test_split" in config.vary and (sequential or config.mode == "variance"):
        which = "seeds_plan=sequential" if sequential else "mode=variance"
        raise ConfigError(
            f"vary={','.join(config.vary)}: test_split cannot vary with {which}, "
            "for the seeds would share test rows"
        )
    if config.mode != "compare" and not 2 <= config.seeds <= SUB_RUN_IDS:
        raise ConfigError(
            f"seeds={config.seeds}: must be from 2 to {SUB_RUN_IDS} with "
            f"mode={config.mode}"
        )
    if config.mode == "variance" and len(config.vary) < 2:
        raise ConfigError(
            f"vary={','.join(config.vary)}: mode=variance tells sources apart and needs "
            "two or more of init, order, split"
        )


def _check_rows(config: ExperimentConfig) -> None:
    """Checks that make_moons leaves a training part, and that it holds a batch."""
    task = config.task
    if not isinstance(task, MoonsConfig):
        return
    held_out = task.test_samples + task.validation_samples
    train = task.samples - held_out
    if train < 1:
        raise ConfigError(
            f"task.samples={task.samples}: must be more than {held_out}, the rows of "
            "task.test_samples and task.validation_samples, or none is left to train on"
        )
    if train < config.batch_size:
        raise ConfigError(
            f"batch_size={config.batch_size}: must be at most {train}, the rows of the "
            "training part (task.samples - task.test_samples - task.validation_samples)"
        )


def to_mapping(config: Any) -> dict[str, Any]:
    """Returns a config as a nested plain mapping, complete, as config.json holds it."""
    return dataclasses.asdict(config)


def default_config(*, task: str = "moons", model: str = "mlp") -> Any:
    """Returns an ml_collections ConfigDict of every field with its default.

    Lists of words are one text divided by commas; empty optional fields are typed
    placeholders.
    """
    return to_config_dict(
        each_checked({"task": {"name": task}, "model": {"name": model}})
    )


def renamed(config: ExperimentConfig, names: Mapping[str, str]) -> ExperimentConfig:
    """Returns a config with other tasks or models by name: {"task": "digits"}.

    Where the class of a section changes, its fields have their defaults.

    Raises:
      ConfigError: there is none of this name.
    """
    sections = {
        path: to_mapping(getattr(config, path))
        if getattr(config, path).name == name
        else {"name": name}
        for path, name in names.items()
    }
    return each_checked({**to_mapping(config), **sections})


def to_config_dict(config: Any) -> Any:
    """Returns a config as an ml_collections ConfigDict, in the form that flags take.

    It takes values of every type: they are checked here afterwards, by their fields.
    """
    from ml_collections import config_dict

    tree = config_dict.ConfigDict(type_safe=False)
    hints = typing.get_type_hints(type(config))
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            tree[field.name] = to_config_dict(value)
            continue
        leaf = _leaf(field.name, hints[field.name], field)
        if leaf.optional:
            tree[field.name] = config_dict.placeholder(leaf.kind)
            tree[field.name] = value
        else:
            words = leaf.many and leaf.kind is str
            tree[field.name] = ",".join(value) if words else value
    return tree


def flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Returns the leaves of a nested mapping by their paths, `task.noise`."""
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping):
            leaves |= flat(value, f"{prefix}{name}.")
        else:
            leaves[prefix + name] = value
    return leaves
