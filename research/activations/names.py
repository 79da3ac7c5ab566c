"""Names of activations as people write them. Text only: nothing here imports JAX."""

import re

from research.config import ConfigError, near, shown
from research.own_code import FORMS, is_own, short_name

# Canonical names, in the order of the catalogue.
NAMES = (
    "relu",
    "gelu",
    "gelu_tanh",
    "quick_gelu",
    "silu",
    "mish",
    "tanh",
    "sigmoid",
    "softplus",
    "elu",
    "selu",
    "leaky_relu",
    "relu2",
    "identity",
)

# Names that other libraries and checkpoints use for the same functions.
ALIASES = {
    "gelu_exact": "gelu",
    "gelu_erf": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "gelu_sigmoid": "quick_gelu",
    "swish": "silu",
    "squared_relu": "relu2",
    "relu_squared": "relu2",
    "leakyrelu": "leaky_relu",
    "linear": "identity",
    "none": "identity",
}


def canonical(word: str) -> str:
    """Returns the catalogue's name for a name or alias; a user's own passes unchanged.

    Raises:
      ConfigError: no activation of this name.
    """
    return _known(word, "activations")


def _known(word: str, field: str) -> str:
    if is_own(word):
        return word
    name = ALIASES.get(word.lower(), word.lower())
    if name not in NAMES:
        raise ConfigError(
            f"{field}={shown(word)}: unknown activation; allowed are "
            f"{', '.join(NAMES)}, {FORMS}"
            f"{near(word.lower(), (*NAMES, *ALIASES))}"
        )
    return name


def slug(word: str) -> str:
    """Returns the name that an arm's files and folders carry."""
    return file_safe(short_name(word) if is_own(word) else canonical(word))


def file_safe(name: str) -> str:
    """Returns a name of letters, digits, dots, dashes and underscores alone."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")


def arms(words: tuple[str, ...], reference: str | None) -> tuple[tuple[str, ...], str]:
    """Returns the canonical arms and the reference among them, by default the first.

    Raises:
      ConfigError: an unknown name, two names of one function or of one folder, a
        single arm, a reference that is no arm.
    """
    taken: dict[str, str] = {}
    for word in words:
        if slug(word) in taken:
            raise _same(taken[slug(word)], word)
        taken[slug(word)] = word
    names = tuple(canonical(word) for word in words)
    if len(names) < 2:
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


def _same(first: str, second: str) -> ConfigError:
    if canonical(first) == canonical(second):
        reason = f"are the same function, {canonical(first)}"
    else:
        reason = f"would share the folder {slug(first)}: rename one of the files"
    return ConfigError(f"activations={first},{second}: {first} and {second} {reason}")
