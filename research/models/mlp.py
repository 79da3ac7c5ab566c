"""The multilayer perceptron: dense layers with the activation between them."""

import itertools

from flax import nnx
from jax.nn import initializers
from jaxtyping import Array, Float

from research.activations.catalog import Activation
from research.config import MLPConfig
from research.models.contract import KERNEL_INITIALIZERS, Model, from_nnx


class MLP(nnx.Module):
    """Dense layers, the activation after each but the last."""

    def __init__(
        self, widths: tuple[int, ...], activation: Activation, *, rngs: nnx.Rngs
    ):
        self.layers = nnx.List(
            nnx.Linear(width_in, width_out, rngs=rngs)
            for width_in, width_out in itertools.pairwise(widths)
        )
        self.activation = activation

    def __call__(
        self, x: Float[Array, "batch inputs"]
    ) -> Float[Array, "batch outputs"]:
        for layer in self.layers[:-1]:
            x = self.activation.fn(layer(x))
        return self.layers[-1](x)


def build_mlp(
    config: MLPConfig, activation: Activation, *, inputs: int, outputs: int
) -> Model:
    """Returns the MLP with this activation between `inputs` and `outputs` units."""
    widths = (inputs, *config.hidden, outputs)
    return from_nnx(
        lambda rngs: MLP(widths, activation, rngs=rngs),
        {
            "kernel": KERNEL_INITIALIZERS[config.initializer],
            "bias": initializers.zeros,
        },
    )


def describe_mlp(config: MLPConfig, *, inputs: int, outputs: int) -> str:
    """Returns the model's one-line name, such as `MLP 2-64-64-1`."""
    return "MLP " + "-".join(map(str, (inputs, *config.hidden, outputs)))
