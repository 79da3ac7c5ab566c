"""Elementwise activations: pure functions of one array, keeping its shape and dtype.

All take float16, bfloat16, float32 and, where JAX has it on, float64; integers raise a
TypeError. All are differentiable again and again, right at ±∞ in value and slope, and
pass NaN on in both. `python -m research.probes.accuracy` measures their errors.
"""

from research.activations.algebraic import soft_sign, squareplus
from research.activations.elu import SELU_ALPHA, SELU_SCALE, celu, elu, selu
from research.activations.gelu import gelu, gelu_tanh, quick_gelu, silu
from research.activations.piecewise import (
    hard_sigmoid,
    hard_swish,
    hard_tanh,
    identity,
    leaky_relu,
    relu,
    relu2,
    relu6,
)
from research.activations.sigmoid import log_sigmoid, mish, sigmoid, softplus, tanh

__all__ = [
    "SELU_ALPHA",
    "SELU_SCALE",
    "celu",
    "elu",
    "gelu",
    "gelu_tanh",
    "hard_sigmoid",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log_sigmoid",
    "mish",
    "quick_gelu",
    "relu",
    "relu2",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softplus",
    "squareplus",
    "tanh",
]
