"""Where an activation stands in a model, with what its kind asks the model to own."""

from flax import nnx
from jax.nn import initializers
from jaxtyping import Array, Float

from research.activations.record import Activation
from research.models.contract import ACTIVATION_PARAMETERS, Initializer


class Place(nnx.Module):
    """One place of an activation behind a projection, which for a gated one is the gate.

    Elementwise: owns nothing. Gated: `value`, a second projection of the same input with
    a bias of its own. Parametric: one set of parameters, of this place alone.
    """

    def __init__(
        self, activation: Activation, width_in: int, width_out: int, *, rngs: nnx.Rngs
    ):
        self.activation = activation
        if activation.kind == "gated":
            self.value = nnx.Linear(width_in, width_out, rngs=rngs)
        if activation.kind == "parametric":
            initial = activation.initial_parameters()
            owned = {name: nnx.Param(value) for name, value in initial.items()}
            setattr(self, ACTIVATION_PARAMETERS, nnx.Dict(owned))

    def __call__(
        self, projected: Float[Array, "*rows units"], x: Float[Array, "*rows inputs"]
    ) -> Float[Array, "*rows units"]:
        """Returns the activation of what was projected from x."""
        if self.activation.kind == "gated":
            return self.activation.fn(projected, self.value(x))
        if self.activation.kind == "parametric":
            owned = getattr(self, ACTIVATION_PARAMETERS)
            return self.activation.fn(projected, {n: owned[n][...] for n in owned})
        return self.activation.fn(projected)


def parameter_initializers(activation: Activation) -> dict[str, Initializer]:
    """Returns the constant that each parameter of a parametric activation starts from."""
    return {name: initializers.constant(value) for name, value in activation.parameters}
