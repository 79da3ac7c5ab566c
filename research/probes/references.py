"""The activations in float64, by formulas that lose nothing: what errors are measured from.

Each entry gives f, f' and, where it is measured, f''. All are written independently of
research.activations and use NumPy and SciPy alone; mpmath_check.py holds them against
the definitions in 200 digits. At a kink they take the sides that the activations state.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy.special import erfcx, expit, log1p

Reals = Float[np.ndarray, " points"]
Reference = Callable[[Reals], Reals]

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554804934, 1.6732632423543772848
_TANH_LINEAR, _TANH_CUBIC = np.sqrt(2 / np.pi), 0.044715


def _density(x: Reals) -> Reals:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def _normal(x: Reals) -> Reals:
    a = np.abs(x)
    tail = erfcx(a / np.sqrt(2)) / 2 * np.exp(-a * a / 2)
    return np.where(x < 0, tail, 1 - tail)


def _curve(x: Reals) -> Reals:
    return 2 * _TANH_LINEAR * (x + _TANH_CUBIC * x**3)


def _curve1(x: Reals) -> Reals:
    return 2 * _TANH_LINEAR * (1 + 3 * _TANH_CUBIC * x**2)


def _curve2(x: Reals) -> Reals:
    return 12 * _TANH_LINEAR * _TANH_CUBIC * x


def _bell(z: Reals) -> Reals:
    """Returns σ'(z)."""
    return expit(z) * expit(-z)


def _gelu_tanh1(x: Reals) -> Reals:
    return expit(_curve(x)) + x * _curve1(x) * _bell(_curve(x))


def _gelu_tanh2(x: Reals) -> Reals:
    z1, odd = _curve1(x), np.tanh(_curve(x) / 2)
    return _bell(_curve(x)) * (2 * z1 + x * (_curve2(x) - z1 * z1 * odd))


def _sigmoid_gated1(scale: float) -> Reference:
    return lambda x: expit(scale * x) + scale * x * _bell(scale * x)


def _mish(x: Reals) -> Reals:
    e = np.exp(-np.abs(x))
    below, above = (
        e * (e + 2) / (e * (e + 2) + 2),
        (1 + 2 * e) / (1 + 2 * e + 2 * e * e),
    )
    return x * np.where(x < 0, below, above)


def _mish1(x: Reals) -> Reals:
    # With e = exp(-|x|), numerator and denominator times e⁴ where x > 0.
    e = np.exp(-np.abs(x))
    w, d = e * (e + 2), 1 + 2 * e + 2 * e * e
    near = np.clip(x, -800, 800)
    below = e * ((e + 2) * (w + 2) + 4 * near * (1 + e)) / (w + 2) ** 2
    above = ((1 + 2 * e) * d + 4 * near * e * e * (1 + e)) / d**2
    return np.where(x < 0, below, above)


def _softplus(x: Reals) -> Reals:
    return np.maximum(x, 0) + log1p(np.exp(-np.abs(x)))


def _elu(scale: float, alpha: float, width: float) -> tuple[Reference, Reference]:
    height = scale * alpha

    def slope(x: Reals) -> Reals:
        below = height / width * np.exp(np.minimum(x, 0) / width)
        return np.where(x > 0, scale, below)

    return (
        lambda x: np.where(
            x > 0, scale * x, height * np.expm1(np.minimum(x, 0) / width)
        ),
        slope,
    )


def _root(x: Reals) -> Reals:
    return np.sqrt(x * x + 4)


def _squareplus(x: Reals) -> Reals:
    return np.where(x < 0, 2 / (_root(x) + np.abs(x)), (x + _root(x)) / 2)


def _clipped(low: float, high: float, inside: Reference, slope: float):
    """Returns value and slope of a function constant below low and above high."""
    ends = inside(np.array([low, high]))
    return (
        lambda x: np.where(x <= low, ends[0], np.where(x >= high, ends[1], inside(x))),
        lambda x: np.where((x <= low) | (x >= high), 0.0, slope),
    )


REFERENCES: dict[str, tuple[Reference, ...]] = {
    "relu": (lambda x: np.maximum(x, 0), lambda x: (x > 0) * 1.0),
    "relu6": _clipped(0.0, 6.0, lambda x: x, 1.0),
    "leaky_relu": (
        lambda x: np.where(x < 0, 0.01 * x, x),
        lambda x: np.where(x < 0, 0.01, 1),
    ),
    "relu2": (lambda x: np.maximum(x, 0) ** 2, lambda x: 2 * np.maximum(x, 0)),
    "gelu": (
        lambda x: x * _normal(x),
        lambda x: _normal(x) + x * _density(x),
        lambda x: (2 - x * x) * _density(x),
    ),
    "gelu_tanh": (lambda x: x * expit(_curve(x)), _gelu_tanh1, _gelu_tanh2),
    "quick_gelu": (lambda x: x * expit(1.702 * x), _sigmoid_gated1(1.702)),
    "silu": (
        lambda x: x * expit(x),
        _sigmoid_gated1(1.0),
        lambda x: _bell(x) * (2 - x * np.tanh(x / 2)),
    ),
    "mish": (_mish, _mish1),
    "elu": _elu(1.0, 1.0, 1.0),
    "celu": _elu(1.0, 1.0, 1.0),
    "selu": _elu(_SELU_SCALE, _SELU_ALPHA, 1.0),
    "softplus": (_softplus, expit),
    "squareplus": (_squareplus, lambda x: _squareplus(x) / _root(x)),
    "log_sigmoid": (lambda x: -_softplus(-x), lambda x: expit(-x)),
    "sigmoid": (expit, _bell),
    "tanh": (np.tanh, lambda x: 4 * _bell(2 * x)),
    "soft_sign": (
        lambda x: x / (1 + np.abs(x)),
        lambda x: 1 / (1 + np.abs(x)) ** 2,
    ),
    "hard_tanh": _clipped(-1.0, 1.0, lambda x: x, 1.0),
    "hard_sigmoid": _clipped(-3.0, 3.0, lambda x: (x + 3) / 6, 1 / 6),
    "hard_swish": (
        lambda x: np.where(x <= -3, 0.0, np.where(x >= 3, x, x * (x + 3) / 6)),
        lambda x: np.where(x <= -3, 0.0, np.where(x >= 3, 1.0, (2 * x + 3) / 6)),
    ),
    "identity": (lambda x: x, np.ones_like),
}
