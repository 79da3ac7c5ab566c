"""The multilayer perceptron: dense layers with the activation between them."""

import bisect
import itertools

from flax import nnx
from jax.nn import initializers
from jaxtyping import Array, Float

from research.activations.catalog import Activation
from research.model_configs import MLPConfig
from research.models.contract import KERNEL_INITIALIZERS, Model, from_nnx
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
        self, x: Float[Array, "batch inputs"]
    ) -> Float[Array, "batch outputs"]:
        for layer, place in zip(self.layers[:-1], self.places, strict=True):
            x = place(layer(x), x)
        return self.layers[-1](x)


def build_mlp(
    config: MLPConfig, activation: Activation, *, inputs: int, outputs: int
) -> Model:
    """Returns the MLP with this activation between `inputs` and `outputs` units.

    With a gated one every hidden layer has two projections and the width of
    `gated_widths`; a parametric one adds its parameters, one set a hidden layer.
    """
    hidden = _hidden(config, activation, inputs=inputs, outputs=outputs)
    widths = (inputs, *hidden, outputs)
    return from_nnx(
        lambda rngs: MLP(widths, activation, rngs=rngs),
        {
            "kernel": KERNEL_INITIALIZERS[config.initializer],
            "bias": initializers.zeros,
            **parameter_initializers(activation),
        },
    )


def describe_mlp(
    config: MLPConfig,
    activation: Activation | None = None,
    *,
    inputs: int,
    outputs: int,
) -> str:
    """Returns the model's one-line name, such as `MLP 2-64-64-1`.

    With an activation it is that arm's: `gated MLP 2-45-45-1`.
    """
    gated = "gated " if activation and activation.kind == "gated" else ""
    hidden = _hidden(config, activation, inputs=inputs, outputs=outputs)
    return f"{gated}MLP " + "-".join(map(str, (inputs, *hidden, outputs)))


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


def _hidden(
    config: MLPConfig, activation: Activation | None, *, inputs: int, outputs: int
) -> tuple[int, ...]:
    if activation is None or activation.kind != "gated":
        return config.hidden
    return gated_widths(config.hidden, inputs=inputs, outputs=outputs)
