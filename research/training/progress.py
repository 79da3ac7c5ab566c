"""How far a block of lanes is: what its training goes on from."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from research.errors import DataError
from research.training.problem import LaneState

_STATE, _CURVE = "state/", "curves/"


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A block of lanes between two rounds.

    epochs: how many are done.
    curves: name -> [seeds, epochs + 1]; column 0 is before training.
    epoch_seconds: of an epoch of the fastest round so far, of those that were timed.
    seconds: of the training so far.
    """

    epochs: int
    states: LaneState
    curves: Mapping[str, np.ndarray]
    epoch_seconds: float = math.inf
    seconds: float = 0.0

    def fastest(self, epochs: int) -> float:
        """Returns the seconds of an epoch of the fastest round, or else of all of them."""
        timed = math.isfinite(self.epoch_seconds)
        return self.epoch_seconds if timed else self.seconds / epochs


class Trace:
    """What a block has delivered, told to the observers as it comes, and its times.

    keep: fetches the block's own lanes from the devices.
    """

    def __init__(
        self, begun: Progress, keep: Callable[[Any], Any], tell: Callable[..., None]
    ):
        self._keep, self._tell = keep, tell
        self._pieces, self._epoch_seconds = [begun.curves], begun.epoch_seconds
        self._mark = time.perf_counter()
        self._began = self._mark - begun.seconds
        # Whether the round before ended when its mark says, so that this one is timed.
        self._exact = True
        self._say(0, begun.curves, 0.0)

    def deliver(self, first: int, count: int, curves: Mapping[str, Any]) -> float:
        """Waits for a round's curves and returns the seconds since the round before.

        They are the round's own where the host came before the device was ready, this
        time and the time before. Where it came late, it is not known when a round ended.
        """
        in_time = not all(values.is_ready() for values in curves.values())
        arrived = {
            name: values[:, :count] for name, values in self._keep(curves).items()
        }
        seconds = time.perf_counter() - self._mark
        self._pieces.append(arrived)
        if in_time and self._exact:
            self._epoch_seconds = min(self._epoch_seconds, seconds / count)
        self._mark, self._exact = self._mark + seconds, in_time
        self._say(first + 1, arrived, seconds)
        return seconds

    def forget_time(self) -> None:
        """Begins the next round's time now, for it begins now."""
        self._mark, self._exact = time.perf_counter(), True

    def progress(self, epochs: int, states: LaneState) -> Progress:
        """Returns how far the block is, with these states after so many epochs."""
        pieces = self._pieces
        return Progress(
            epochs=epochs,
            states=states,
            curves={
                name: np.concatenate([piece[name] for piece in pieces], axis=1)
                for name in pieces[0]
            },
            epoch_seconds=self._epoch_seconds,
            seconds=time.perf_counter() - self._began,
        )

    def _say(self, first: int, curves: Mapping[str, Any], seconds: float) -> None:
        frozen = int(np.isnan(curves["validation_loss"][:, -1]).sum())
        self._tell(first_epoch=first, curves=curves, diverged=frozen, seconds=seconds)


def to_arrays(progress: Progress, *, lanes: int) -> dict[str, np.ndarray]:
    """Returns what the first lanes of a block go on from, as named arrays."""
    leaves = enumerate(jax.tree.leaves(progress.states))
    return {
        "epochs": np.asarray(progress.epochs),
        "epoch_seconds": np.asarray(progress.epoch_seconds),
        "seconds": np.asarray(progress.seconds),
        **{f"{_STATE}{place}": np.asarray(leaf)[:lanes] for place, leaf in leaves},
        **{f"{_CURVE}{name}": values for name, values in progress.curves.items()},
    }


def from_arrays(arrays: Mapping[str, np.ndarray], like: LaneState) -> Progress:
    """Returns the progress that `to_arrays` gave, laid out as `like` is.

    The lanes are filled up with the last one, as a block is.

    Raises:
      DataError: these are states of another model.
    """
    leaves, tree = jax.tree.flatten(like)
    names = [f"{_STATE}{place}" for place in range(len(leaves))]
    if set(names) != {name for name in arrays if name.startswith(_STATE)}:
        raise DataError("checkpoints/underway: holds lanes of another model")
    found = [
        _laid_out(arrays[name], leaf) for name, leaf in zip(names, leaves, strict=True)
    ]
    return Progress(
        epochs=int(arrays["epochs"]),
        states=jax.tree.unflatten(tree, found),
        curves={
            name.removeprefix(_CURVE): values
            for name, values in arrays.items()
            if name.startswith(_CURVE)
        },
        epoch_seconds=float(arrays["epoch_seconds"]),
        seconds=float(arrays["seconds"]),
    )


def _laid_out(values: np.ndarray, like: Any) -> jax.Array:
    if (values.shape[1:], values.dtype) != (like.shape[1:], like.dtype):
        raise DataError("checkpoints/underway: holds lanes of another model")
    missing = like.shape[0] - values.shape[0]
    widths = [(0, missing)] + [(0, 0)] * (values.ndim - 1)
    return jax.device_put(np.pad(values, widths, "edge"), like.sharding)
