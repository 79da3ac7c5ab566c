"""Names of activations as people write them. Text only: nothing here imports JAX."""

import dataclasses
import re

from research.activations import arguments
from research.activations.aliases import ALIASES as ALIASES
from research.activations.aliases import REFUSED, REMARKS
from research.config import VARIATIONS, ExperimentConfig
from research.errors import ConfigError
from research.own_code import FORMS, is_own, short_name
from research.settings import near, shown

# Canonical names, in the order of the catalogue.
NAMES = (
    "relu",
    "relu6",
    "leaky_relu",
    "prelu",
    "relu2",
    "gelu",
    "gelu_tanh",
    "quick_gelu",
    "silu",
    "swish_beta",
    "mish",
    "elu",
    "celu",
    "selu",
    "softplus",
    "squareplus",
    "log_sigmoid",
    "sigmoid",
    "tanh",
    "soft_sign",
    "hard_tanh",
    "hard_sigmoid",
    "hard_swish",
    "identity",
    "glu",
    "bilinear",
    "reglu",
    "geglu",
    "geglu_tanh",
    "swiglu",
)

# A form that arguments choose and that has a name of its own.
FORMS_BY_NAME = {
    "gelu(approximate=tanh)": "gelu_tanh",
    "geglu(approximate=tanh)": "geglu_tanh",
}
# Canonical names of a function that another canonical name has, too.
SAME_FUNCTION = {
    "celu": "elu",
    "leaky_relu(negative_slope=0)": "relu",
    "leaky_relu(negative_slope=1)": "identity",
}


def canonical(word: str) -> str:
    """Returns the catalogue's name for a name or alias, with arguments not the default.

    A user's own passes unchanged.

    Raises:
      ConfigError: no activation of this name, or arguments that it cannot take.
    """
    return _known(word, "activations")


def arms_of(config: ExperimentConfig) -> tuple[tuple[str, ...], str]:
    """Returns a config's canonical arms and the reference among them.

    Raises:
      ConfigError: what `arms` refuses; mode=null needs the reference alone.
    """
    fewest = 1 if config.mode == "null" else 2
    return arms(config.activations, config.reference, fewest=fewest)


def canonical_config(config: ExperimentConfig) -> ExperimentConfig:
    """Returns a config whose arms have their canonical names, and `vary` its order."""
    names, reference = arms_of(config)
    vary = tuple(word for word in VARIATIONS if word in config.vary)
    return dataclasses.replace(
        config, activations=names, reference=reference, vary=vary
    )


def _known(word: str, field: str) -> str:
    if is_own(word):
        return word
    given, inside = arguments.split_word(word)
    where, plain = f"{field}={shown(word)}", _plain(given)
    name = ALIASES.get(plain, plain)
    if plain in REFUSED:
        raise ConfigError(f"{where}: {plain}: {REFUSED[plain]}")
    if is_own(given):
        raise ConfigError(
            f"{where}: a function of your own takes no arguments in brackets; give its "
            "parameters defaults"
        )
    if name not in NAMES:
        raise ConfigError(
            f"{where}: unknown activation; allowed are {', '.join(NAMES)}, {FORMS}"
            f"{near(plain.partition('(')[0], (*NAMES, *ALIASES))}"
        )
    if plain in REMARKS and inside and inside.strip():
        raise ConfigError(f"{where}: takes no arguments; {REMARKS[plain]}")
    text = arguments.written(name, arguments.read(name, inside, where=where))
    return FORMS_BY_NAME.get(text, text)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def parsed(name: str) -> tuple[str, dict[str, arguments.Literal]]:
    """Splits a canonical name into the catalogue's name and the arguments."""
    base, inside = arguments.split_word(name)
    return base, arguments.read(base, inside, where=name)


def remarks(words: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what a reader should know of how these words were read."""
    known = (REMARKS.get(_plain(arguments.split_word(word)[0])) for word in words)
    return tuple(remark for remark in known if remark)


def slug(word: str) -> str:
    """Returns the name that an arm's files and folders carry."""
    return file_safe(short_name(word) if is_own(word) else canonical(word))


def file_safe(name: str) -> str:
    """Returns a name of letters, digits, dots, dashes and underscores alone."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")


def arms(
    words: tuple[str, ...], reference: str | None, *, fewest: int = 2
) -> tuple[tuple[str, ...], str]:
    """Returns the canonical arms and the reference among them, by default the first.

    Raises:
      ConfigError: an unknown name, two names of one function or of one folder, a
        single arm, a reference that is no arm.
    """
    names = distinct(words)
    if len(names) < fewest:
        raise ConfigError(
            f"activations={','.join(words)}: must be two arms or more, the reference "
            "among them"
        )
    chosen = names[0] if reference is None else _known(reference, "reference")
    if chosen not in names:
        raise ConfigError(
            f"reference={shown(reference)}: must be one of the activations, "
            f"{', '.join(words)}"
        )
    return names, chosen


def distinct(words: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the canonical names of words that all mean different functions.

    Raises:
      ConfigError: an unknown name, two names of one function or of one folder.
    """
    taken: dict[str, str] = {}
    for word in words:
        for key in (f"function {_function(word)}", f"folder {slug(word)}"):
            if key in taken:
                raise _same(taken[key], word)
            taken[key] = word
    return tuple(canonical(word) for word in words)


def _function(word: str) -> str:
    """Returns the first of the canonical names that a function has."""
    name = canonical(word)
    return SAME_FUNCTION.get(name, name)


def _same(first: str, second: str) -> ConfigError:
    if _function(first) == _function(second):
        reason = f"are the same function, {_function(first)}"
    else:
        reason = f"would share the folder {slug(first)}: rename one of the files"
    return ConfigError(f"activations={first},{second}: {first} and {second} {reason}")
