"""Gated activations: an elementwise function of the gate, times the value.

Dauphin et al. 2017 (arXiv 1612.08083) for glu and bilinear, Shazeer 2020 (arXiv
2002.05202) for the others. With value 1 each is its elementwise function, bit for bit.
PyTorch's nn.GLU takes both in one array, the value first.
"""

from jaxtyping import Array, Float

from research.activations import elementwise


def glu(gate: Float[Array, "..."], value: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns σ(gate)·value."""
    return elementwise.sigmoid(gate) * value


def bilinear(
    gate: Float[Array, "..."], value: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns gate·value."""
    return gate * value


def reglu(gate: Float[Array, "..."], value: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns max(gate, 0)·value."""
    return elementwise.relu(gate) * value


def geglu(gate: Float[Array, "..."], value: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns gelu(gate)·value, with the exact gelu."""
    return elementwise.gelu(gate) * value


def geglu_tanh(
    gate: Float[Array, "..."], value: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns gelu_tanh(gate)·value, as T5 1.1 and Gemma have it."""
    return elementwise.gelu_tanh(gate) * value


def swiglu(
    gate: Float[Array, "..."], value: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns silu(gate)·value."""
    return elementwise.silu(gate) * value
