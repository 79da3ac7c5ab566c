"""The float64 references held against the definitions themselves, in 200 digits."""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np

from research.probes.references import REFERENCES

DIGITS = 60
# 1 + tanh loses digits by the dozen, and so does numerical differentiation.
_DIGITS = 200
_POINTS_A_SIDE = 60
# Inputs and results below these matter to no type but float64.
_LARGEST, _SMALLEST = 100, 1e-45


def _logistic(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def _tanh_form(x: Any) -> Any:
    u = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)
    return x * (1 + mpmath.tanh(u)) / 2


def _elu(x: Any) -> Any:
    return x if x > 0 else mpmath.expm1(x)


def _selu(x: Any) -> Any:
    scale = mpmath.mpf("1.0507009873554804934193349852946")
    alpha = mpmath.mpf("1.6732632423543772848170429916717")
    return scale * (x if x > 0 else alpha * mpmath.expm1(x))


def _clip(x: Any, low: int, high: int) -> Any:
    return min(max(x, mpmath.mpf(low)), mpmath.mpf(high))


DEFINITIONS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "relu6": lambda x: _clip(x, 0, 6),
    "leaky_relu": lambda x: x if x > 0 else x / 100,
    "relu2": lambda x: max(x, mpmath.mpf(0)) ** 2,
    "gelu": lambda x: x * mpmath.ncdf(x),
    "gelu_tanh": _tanh_form,
    "quick_gelu": lambda x: x * _logistic(mpmath.mpf("1.702") * x),
    "silu": lambda x: x * _logistic(x),
    "mish": lambda x: x * mpmath.tanh(mpmath.log(1 + mpmath.exp(x))),
    "elu": _elu,
    "celu": _elu,
    "selu": _selu,
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "squareplus": lambda x: (x + mpmath.sqrt(x * x + 4)) / 2,
    "log_sigmoid": lambda x: mpmath.log(_logistic(x)),
    "sigmoid": _logistic,
    "tanh": mpmath.tanh,
    "soft_sign": lambda x: x / (1 + abs(x)),
    "hard_tanh": lambda x: _clip(x, -1, 1),
    "hard_sigmoid": lambda x: _clip(x + 3, 0, 6) / 6,
    "hard_swish": lambda x: x * _clip(x + 3, 0, 6) / 6,
    "identity": lambda x: x,
}


def worst_relative_error(name: str) -> float:
    """Returns the largest relative error of a function's references, over all orders.

    Points lie between 1e-6 and 100 on both sides of 0. What is smaller than float32's
    last subnormal number is held to that.
    """
    return max(
        error
        for order in range(len(REFERENCES[name]))
        for error in _relative_errors(name, order)
    )


def true_value(name: str, x: float) -> float:
    """Returns f(x) by its definition, however small."""
    with mpmath.workdps(_DIGITS + int(abs(x))):
        return float(DEFINITIONS[name](mpmath.mpf(x)))


def _relative_errors(name: str, order: int) -> Iterator[float]:
    size = np.geomspace(1e-6, _LARGEST, _POINTS_A_SIDE)
    x = np.concatenate([-size, size])
    found = REFERENCES[name][order](x)
    with mpmath.workdps(_DIGITS):
        for point, value in zip(x, found, strict=True):
            true = mpmath.diff(DEFINITIONS[name], mpmath.mpf(float(point)), order)
            yield float(abs(value - true) / max(abs(true), _SMALLEST))
