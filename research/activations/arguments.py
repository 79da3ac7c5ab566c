"""Arguments in brackets, as in `leaky_relu(negative_slope=0.3)`. Text only: no JAX here.

Values are literals and nothing is evaluated: numbers, names such as tanh, True, False.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from research.errors import ConfigError
from research.settings import near, shown

Literal = float | bool | str

_WORD = re.compile(r"(?P<name>[^()]*)(?:\((?P<inside>.*)\)\s*)?", re.DOTALL)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAME = re.compile(r"(?P<quote>['\"]?)(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P=quote)")
_FLAGS = {"True": True, "False": False}


@dataclass(frozen=True, kw_only=True)
class Argument:
    """An argument of an activation: its name, its default, what it may be.

    read: literal -> the value that the function gets; None for one that is not allowed.
    """

    name: str
    default: Literal
    allowed: str
    read: Callable[[Literal], Literal | None]


def _number(name: str, default: float, low: float, high: float) -> Argument:
    def read(value: Literal) -> Literal | None:
        number = isinstance(value, float) and low <= value <= high
        return value if number else None

    allowed = f"a number from {low:g} to {high:g}"
    return Argument(name=name, default=default, allowed=allowed, read=read)


def _form(name: str, default: str, words: Mapping[Literal, str]) -> Argument:
    def read(value: Literal) -> Literal | None:
        return None if isinstance(value, float) else words.get(value)

    allowed = f"one of {', '.join(map(str, words))}"
    return Argument(name=name, default=default, allowed=allowed, read=read)


_ALPHA = _number("alpha", 1.0, 1e-3, 1e3)
# True and False are what JAX calls the two forms.
_APPROXIMATE = _form(
    "approximate", "none", {"none": "none", "tanh": "tanh", False: "none", True: "tanh"}
)

# The arguments of each activation that has any, in the order of its canonical name.
ARGUMENTS: dict[str, tuple[Argument, ...]] = {
    "leaky_relu": (_number("negative_slope", 0.01, -100.0, 100.0),),
    "elu": (_ALPHA,),
    "celu": (_ALPHA,),
    "squareplus": (_number("b", 4.0, 1e-3, 1e3),),
    "gelu": (_APPROXIMATE,),
    "geglu": (_APPROXIMATE,),
    # The initial value of the parameter, called init as in PyTorch.
    "prelu": (_number("init", 0.25, -100.0, 100.0),),
    "swish_beta": (_number("init", 1.0, -100.0, 100.0),),
}


def split_word(word: str) -> tuple[str, str | None]:
    """Returns the name before the brackets, and what they hold; None without brackets."""
    match = _WORD.fullmatch(word)
    if match is None:
        return word.strip(), None
    return match["name"].strip(), match["inside"]


def read(name: str, inside: str | None, *, where: str) -> dict[str, Literal]:
    """Returns the arguments that brackets hold and that differ from the defaults.

    Args:
      where: how a refusal begins: the field and the whole word.

    Raises:
      ConfigError: an unknown or doubled argument, or a value that is not allowed.
    """
    known = {argument.name: argument for argument in ARGUMENTS.get(name, ())}
    given: dict[str, Literal] = {}
    for part in inside.split(",") if inside and inside.strip() else ():
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if not known:
            raise ConfigError(f"{where}: {name} takes no arguments")
        if not equals:
            raise ConfigError(
                f"{where}: {shown(key)} must be written as name=value; {_has(name)}"
            )
        if key not in known:
            raise ConfigError(
                f"{where}: {name} has no argument {shown(key)}; {_has(name)}"
                f"{near(key, known)}"
            )
        if key in given:
            raise ConfigError(f"{where}: {key} is given twice")
        given[key] = _value(known[key], text, where)
    return {
        key: given[key]
        for key, argument in known.items()
        if given.get(key, argument.default) != argument.default
    }


def _value(argument: Argument, text: str, where: str) -> Literal:
    literal = _literal(text)
    value = None if literal is None else argument.read(literal)
    if value is None:
        raise ConfigError(
            f"{where}: {argument.name}={shown(text)[1:-1]} must be {argument.allowed}"
        )
    return value


def _literal(text: str) -> Literal | None:
    """Reads a number, a flag or a name, in quotes or not; None for all else."""
    if _NUMBER.fullmatch(text):
        number = float(text) + 0.0  # no -0.0
        return number if math.isfinite(number) else None
    match = _NAME.fullmatch(text)
    return None if match is None else _FLAGS.get(match["name"], match["name"])


def _has(name: str) -> str:
    arguments = ARGUMENTS[name]
    told = (f"{a.name}={written_value(a.default)}" for a in arguments)
    return f"it has {', '.join(told)}"


def written(name: str, arguments: Mapping[str, Literal]) -> str:
    """Returns the canonical text: `leaky_relu(negative_slope=0.3)`, or the bare name."""
    if not arguments:
        return name
    told = (f"{key}={written_value(value)}" for key, value in arguments.items())
    return f"{name}({','.join(told)})"


def written_value(value: Literal) -> str:
    """Writes a value so that it is read back the same; no sign that a folder drops."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0").replace("e+", "e")
    return str(value)
