"""The multilayer perceptron: dense layers with the activation between them."""

import bisect
import itertools
import math

from flax import nnx
from jax.nn import initializers
from jaxtyping import Array, Float

from research.activations.catalog import Activation
from research.errors import ConfigError
from research.model_configs import MLPConfig
from research.models.contract import KERNEL_INITIALIZERS, Model, Shapes, from_nnx
from research.models.places import Place, parameter_initializers


class MLP(nnx.Module):
    """Dense layers, the activation after each but the last."""

    def __init__(
        self, widths: tuple[int, ...], activation: Activation, *, rngs: nnx.Rngs
    ):
        pairs = tuple(itertools.pairwise(widths))
        self.layers = nnx.List(nnx.Linear(a, b, rngs=rngs) for a, b in pairs)
        self.places = nnx.List(
            Place(activation, a, b, rngs=rngs) for a, b in pairs[:-1]
        )

    def __call__(
        self, x: Float[Array, "batch *inputs"]
    ) -> Float[Array, "batch outputs"]:
        x = x.reshape(x.shape[0], -1)
        for layer, place in zip(self.layers[:-1], self.places, strict=True):
            x = place(layer(x), x)
        return self.layers[-1](x)


def build_mlp(config: MLPConfig, activation: Activation, shapes: Shapes) -> Model:
    """Returns the MLP with this activation between the task's inputs and outputs.

    With a gated one every hidden layer has two projections and the width of
    `gated_widths`; a parametric one adds its parameters, one set a hidden layer.

    Raises:
      ConfigError: the task's inputs are tokens, or it asks for more than one row of outputs.
    """
    widths = _widths(config, activation, shapes)
    return from_nnx(
        lambda rngs: MLP(widths, activation, rngs=rngs),
        {
            "kernel": KERNEL_INITIALIZERS[config.initializer],
            "bias": initializers.zeros,
            **parameter_initializers(activation),
        },
    )


def describe_mlp(
    config: MLPConfig, activation: Activation | None, shapes: Shapes
) -> str:
    """Returns the model's one-line name, such as `MLP 2-64-64-1`.

    With an activation it is that arm's: `gated MLP 2-45-45-1`.
    """
    gated = "gated " if activation and activation.kind == "gated" else ""
    return f"{gated}MLP " + "-".join(map(str, _widths(config, activation, shapes)))


def gated_widths(
    hidden: tuple[int, ...], *, inputs: int, outputs: int
) -> tuple[int, ...]:
    """Returns the hidden widths at which a gated MLP is nearest to the plain one's size.

    All widths are scaled by one factor, and rounded; biases count. Of two equally near
    the narrower. 64-64 between 2 inputs and 1 output, with 4,417 parameters, becomes
    45-45 with 4,456: 0.9 % more.
    """
    widest = max(hidden)

    def scaled(most: int) -> tuple[int, ...]:
        return tuple(max(round(width * most / widest), 1) for width in hidden)

    def size(most: int) -> int:
        return count_parameters((inputs, *scaled(most), outputs), projections=2)

    wanted = count_parameters((inputs, *hidden, outputs), projections=1)
    above = bisect.bisect_left(range(1, widest + 1), wanted, key=size) + 1
    near = (max(above - 1, 1), min(above, widest))
    return scaled(min(near, key=lambda most: abs(size(most) - wanted)))


def count_parameters(widths: tuple[int, ...], *, projections: int) -> int:
    """Returns the kernels' and biases' numbers with so many projections a hidden layer."""
    sizes = [(a + 1) * b for a, b in itertools.pairwise(widths)]
    return projections * sum(sizes[:-1]) + sizes[-1]


def _widths(
    config: MLPConfig, activation: Activation | None, shapes: Shapes
) -> tuple[int, ...]:
    if shapes.vocabulary is not None or len(shapes.outputs) > 1:
        raise ConfigError(
            "model.name=mlp: takes rows of numbers or images and gives one output row "
            "each; this task's inputs are sequences of tokens"
        )
    inputs, outputs = math.prod(shapes.inputs.shape), math.prod(shapes.outputs)
    hidden = config.hidden
    if activation is not None and activation.kind == "gated":
        hidden = gated_widths(hidden, inputs=inputs, outputs=outputs)
    return (inputs, *hidden, outputs)
