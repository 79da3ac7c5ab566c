"""What is known of one activation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from research.activations.names import file_safe

# What an activation of each kind is called with.
CALLED_WITH = {
    "elementwise": ("x",),
    "gated": ("gate", "value"),
    "parametric": ("x", "parameters"),
}


@dataclass(frozen=True, kw_only=True)
class Activation:
    """An activation function and what is known of it.

    name: the canonical name, with the arguments that differ from the defaults.
    kind: how `fn` is called, and what a model must give it:
      elementwise: fn(x);
      gated: fn(gate, value), two projections of one input;
      parametric: fn(x, parameters), a mapping of scalars that the model owns and trains,
        one set a layer.
    points: pairs (x, f(x)) from outside this code, for tests and reports.
    limits: f(x) as x goes to -∞ and to +∞.
    arguments: what stood in brackets, where it differs from the default.
    parameters: name and initial value of each parameter of a parametric one.

    For points and limits, f is the `curve`.
    """

    name: str
    fn: Callable[..., Float[Array, "..."]]
    formula: str
    source: str
    points: tuple[tuple[float, float], ...] = ()
    limits: tuple[float, float] | None = None
    kind: str = "elementwise"
    arguments: tuple[tuple[str, float], ...] = ()
    parameters: tuple[tuple[str, float], ...] = ()

    def __call__(self, *given: Any) -> Float[Array, "..."]:
        """Returns fn of what its kind asks for.

        Raises:
          TypeError: it is called as one of another kind.
        """
        wanted = CALLED_WITH[self.kind]
        if len(given) != len(wanted):
            raise TypeError(
                f"{self.name} is {self.kind}: call it as activation({', '.join(wanted)})"
            )
        return self.fn(*given)

    @property
    def slug(self) -> str:
        """The name that files and folders carry."""
        return file_safe(self.name)

    def initial_parameters(self) -> dict[str, Float[Array, ""]]:
        """Returns what a model starts a parametric one with; empty for other kinds."""
        return {name: jnp.float32(value) for name, value in self.parameters}

    def curve(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Returns the function of one array that figures and tables show.

        A gated one as a function of its gate with value 1, a parametric one at its
        initial parameters.
        """
        if self.kind == "gated":
            return self.fn(x, jnp.ones_like(x))
        if self.kind == "parametric":
            return self.fn(x, self.initial_parameters())
        return self.fn(x)
