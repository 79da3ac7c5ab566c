"""What a run tells those who watch it. Observers get events; they never steer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True)
class RunStarted:
    """Before anything is trained.

    seeds: of every arm, but of those in `other_seeds`; under a sequential plan the most
      that there may be.
    """

    title: str
    arms: tuple[str, ...]
    reference: str
    seeds: tuple[int, ...]
    epochs: int
    steps_per_epoch: int
    config: Mapping[str, Any]
    other_seeds: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def seeds_of(self, arm: str) -> tuple[int, ...]:
        """Returns the seeds of an arm."""
        return self.other_seeds.get(arm, self.seeds)


@dataclass(frozen=True, kw_only=True)
class ArmStarted:
    """An arm's program is being compiled; its first round follows."""

    arm: str


@dataclass(frozen=True, kw_only=True)
class RoundFinished:
    """A round of epochs of one block of an arm's lanes.

    curves: metric name to array [lanes, epochs of this round]; NaN once a lane is frozen.
    first_epoch: the epoch of column 0; 0 is the state before training.
    seconds: wall time of the round, compilation left out.
    """

    arm: str
    seeds: tuple[int, ...]
    first_epoch: int
    curves: Mapping[str, np.ndarray]
    diverged: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ArmFinished:
    """All lanes of an arm are trained and scored.

    seeds: of these lanes.
    scores: per-seed column name to array [lanes], as in per_seed.csv.
    """

    arm: str
    seeds: tuple[int, ...]
    scores: Mapping[str, np.ndarray]
    learning_rate: float


@dataclass(frozen=True, kw_only=True)
class RunFinished:
    """The verdict is in: summary.json as a mapping, and the figures by name (PNG files)."""

    summary: Mapping[str, Any]
    figures: Mapping[str, str]


Event = RunStarted | ArmStarted | RoundFinished | ArmFinished | RunFinished
Observer = Callable[[Event], None]
