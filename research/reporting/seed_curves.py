"""Curves of one arm gathered from its blocks of lanes, and their mean over seeds."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import stdtrit

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Band:
    """A mean over seeds with its interval, epoch by epoch; NaN where there is none."""

    mean: Float[np.ndarray, "epochs"]
    low: Float[np.ndarray, "epochs"]
    high: Float[np.ndarray, "epochs"]


@dataclass(frozen=True, kw_only=True)
class SeedCurves:
    """What an arm's lanes have delivered so far; column 0 is before training.

    An epoch counts only when all seeds have delivered it: a mean over the first
    block alone would be one over other seeds than the next arm's.

    places: the row of each seed.
    """

    places: Mapping[int, int]
    delivered: Bool[np.ndarray, "seeds epochs"]
    values: dict[str, np.ndarray]

    def add(
        self,
        seeds: tuple[int, ...],
        first_epoch: int,
        curves: Mapping[str, Float[np.ndarray, "lanes columns"]],
    ) -> Int[np.ndarray, "complete"]:
        """Stores a round; returns those of its epochs that all seeds have now."""
        rows = [self.places[seed] for seed in seeds]
        width = next(iter(curves.values())).shape[1]
        columns = slice(first_epoch, first_epoch + width)
        self.delivered[rows, columns] = True
        for name, curve in curves.items():
            if name not in self.values:
                self.values[name] = np.full(self.delivered.shape, np.nan, curve.dtype)
            self.values[name][rows, columns] = curve
        return first_epoch + np.flatnonzero(self.delivered[:, columns].all(axis=0))

    def diverged(
        self, epochs: Int[np.ndarray, "columns"]
    ) -> Int[np.ndarray, "columns"]:
        """Counts the lanes that are frozen at each epoch: no curve of theirs goes on.

        Not one curve alone: before training there is no training loss.
        """
        stopped = [~np.isfinite(table[:, epochs]) for table in self.values.values()]
        return np.all(stopped, axis=0).sum(axis=0)


def empty_curves(seeds: tuple[int, ...], epochs: int) -> SeedCurves:
    """The curves of an arm before its first round."""
    delivered = np.zeros((len(seeds), epochs + 1), dtype=bool)
    return SeedCurves(places=_places(seeds), delivered=delivered, values={})


def chosen(curves: SeedCurves, seeds: tuple[int, ...]) -> SeedCurves:
    """The curves of some of the seeds alone."""
    rows = [curves.places[seed] for seed in seeds]
    return SeedCurves(
        places=_places(seeds),
        delivered=curves.delivered[rows],
        values={name: table[rows] for name, table in curves.values.items()},
    )


def _places(seeds: tuple[int, ...]) -> dict[int, int]:
    return {seed: place for place, seed in enumerate(seeds)}


def mean_band(values: Float[np.ndarray, "seeds epochs"]) -> Band:
    """Mean over the seeds that are finite, and the 95 % t interval of that mean.

    mean ± t(0.975, n - 1) · s / √n, n the finite seeds of an epoch (Student 1908).
    The band needs two of them; the mean needs one.
    """
    finite = np.isfinite(values)
    count = finite.sum(axis=0)
    known = np.where(finite, values.astype(np.float64), 0.0)
    mean = np.where(count > 0, known.sum(axis=0) / np.maximum(count, 1), np.nan)
    squares = (np.where(finite, known - mean, 0.0) ** 2).sum(axis=0)
    freedom = np.maximum(count - 1, 1)
    error = np.sqrt(squares / freedom / np.maximum(count, 1))
    half = np.where(count > 1, stdtrit(freedom, 0.5 + CONFIDENCE / 2) * error, np.nan)
    return Band(mean, mean - half, mean + half)
