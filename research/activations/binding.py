"""A record of the table with the arguments that stood in brackets."""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping

from research.activations.arguments import (
    ARGUMENTS,
    Literal,
    written,
    written_value,
)
from research.activations.record import Activation


def _leaky(slope: float) -> tuple[float, float]:
    return (-math.inf * math.copysign(1, slope) if slope else 0.0, math.inf)


def _swish(beta: float) -> tuple[float, float]:
    if beta == 0:
        return (-math.inf, math.inf)
    return (0.0, math.inf) if beta > 0 else (-math.inf, 0.0)


# The limits at -∞ and +∞ of what takes a number, as a function of that number.
_LIMITS: dict[str, Callable[[float], tuple[float, float]]] = {
    "leaky_relu": _leaky,
    "prelu": _leaky,
    "swish_beta": _swish,
    "elu": lambda alpha: (-alpha, math.inf),
    "celu": lambda alpha: (-alpha, math.inf),
    "squareplus": lambda b: (0.0, math.inf),
}


def bind(record: Activation, arguments: Mapping[str, Literal]) -> Activation:
    """Returns the record with these arguments, all that differ from the defaults.

    The formula shows their values; the known points hold at the defaults alone.
    """
    defaults = {a.name: a.default for a in ARGUMENTS.get(record.name, ())}
    values = {**defaults, **arguments}
    words = {name: written_value(value) for name, value in values.items()}
    record = dataclasses.replace(record, formula=record.formula.format(**words))
    if not arguments:
        return record
    [(name, value)] = arguments.items()
    assert isinstance(value, float)
    if record.kind == "parametric":
        [(parameter, _)] = record.parameters
        changed = {"parameters": ((parameter, value),)}
    else:
        changed = {"fn": functools.partial(record.fn, **{name: value})}
    return dataclasses.replace(
        record,
        **changed,
        name=written(record.name, arguments),
        points=(),
        limits=_LIMITS[record.name](value),
        arguments=((name, value),),
    )
