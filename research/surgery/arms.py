"""What is swapped in, and in which layers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research.activations.catalog import lookup
from research.activations.names import canonical, distinct
from research.activations.record import Activation
from research.errors import ConfigError, DataError

# Layers count from 0, as the checkpoint's tensors do.
Layers = Literal["all", "each"] | tuple[int, ...]

WHY_NOT = {
    "gated": "needs a second projection, which the checkpoint does not hold",
    "parametric": "has parameters, which the checkpoint does not hold and only training "
    "could give",
}


@dataclass(frozen=True, kw_only=True)
class Arm:
    """An activation and the layers that it is swapped into; the reference has none."""

    slug: str
    activation: Activation
    layers: tuple[int, ...]

    @property
    def swaps(self) -> dict[int, Activation]:
        """The activation by the index of its layer."""
        return dict.fromkeys(self.layers, self.activation)


def swapped_in(words: Sequence[str], trained: str) -> tuple[Activation, ...]:
    """Returns what the words name beside the activation as trained.

    Args:
      trained: its canonical name.

    Raises:
      ConfigError: nothing is left, or two names of one function.
      DataError: one that the checkpoint has no place for.
    """
    others = tuple(word for word in words if canonical(word) != trained)
    if not others:
        raise ConfigError(
            f"--activations={','.join(words)}: names nothing to swap in beside {trained}, "
            "the activation as trained"
        )
    records = tuple(lookup(name) for name in distinct((trained, *others))[1:])
    for record in records:
        if record.kind in WHY_NOT:
            raise DataError(
                f"--activations={record.name}: is {record.kind}: {WHY_NOT[record.kind]}"
            )
    return records


def planned(
    trained: Activation, others: Sequence[Activation], *, layers: Layers, depth: int
) -> tuple[Arm, ...]:
    """Returns the reference, then every swap; with `each`, one for every layer.

    Raises:
      ConfigError: a layer that the model does not have.
    """
    if isinstance(layers, tuple) and max(layers) >= depth:
        raise ConfigError(
            f"--layers={','.join(map(str, layers))}: the checkpoint has layers 0 to "
            f"{depth - 1}"
        )
    reference = Arm(slug=trained.slug, activation=trained, layers=())
    if layers == "each":
        return (
            reference,
            *(
                Arm(slug=f"{other.slug}-layer{n}", activation=other, layers=(n,))
                for other in others
                for n in range(depth)
            ),
        )
    chosen = tuple(range(depth)) if layers == "all" else layers
    return (
        reference,
        *(Arm(slug=each.slug, activation=each, layers=chosen) for each in others),
    )
