"""How far an arm's training is, and how fast it goes: what a progress line shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from research.records.events import RoundFinished, RunStarted

# Seconds of training before which its speed says little: the first epoch is slower.
SETTLED = 0.5


@dataclass(kw_only=True)
class Pace:
    """Counts of one arm, kept up by `count_round`.

    seeds: how many the arm has.
    last_epoch: the epoch that each seed has reached; seeds come in blocks.
    seed_steps, seconds: optimiser steps of single seeds, and the time they took.
    diverged: frozen lanes of each block, by its seeds.
    """

    seeds: int
    last_epoch: dict[int, int] = field(default_factory=dict)
    seed_steps: int = 0
    seconds: float = 0.0
    diverged: dict[tuple[int, ...], int] = field(default_factory=dict)


def count_round(pace: Pace, event: RoundFinished, steps_per_epoch: int) -> None:
    """Adds a round; its column of epoch 0 was evaluated, not trained.

    What an earlier process trained is told with no seconds, and says nothing of speed.
    """
    columns: int = next(iter(event.curves.values())).shape[1]
    trained = columns - (event.first_epoch == 0)
    reached = event.first_epoch + columns - 1
    pace.last_epoch.update((seed, reached) for seed in event.seeds)
    if event.seconds:
        pace.seed_steps += trained * len(event.seeds) * steps_per_epoch
    pace.seconds += event.seconds
    pace.diverged[event.seeds] = event.diverged


def epochs_done(pace: Pace, run: RunStarted) -> float:
    """Epochs done, as a mean over all seeds of the arm, in blocks begun or not."""
    return sum(pace.last_epoch.values()) / pace.seeds


def epochs_text(pace: Pace, run: RunStarted) -> str:
    return f"{int(epochs_done(pace, run))}/{run.epochs} epochs"


def speed(pace: Pace) -> float | None:
    """Seed-steps a second, None before the first timed round."""
    return pace.seed_steps / pace.seconds if pace.seed_steps and pace.seconds else None


def speed_text(pace: Pace) -> str:
    rate = speed(pace)
    return "" if rate is None else f"{rate:,.0f} seed-steps/s"


def seconds_left(pace: Pace, run: RunStarted) -> float | None:
    """Time for the arm's other epochs at its speed so far, None before it is known."""
    rate = speed(pace)
    epochs = (run.epochs - epochs_done(pace, run)) * pace.seeds
    if rate is None or (epochs and pace.seconds < SETTLED):
        return None
    return epochs * run.steps_per_epoch / rate


def duration_text(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3:05 min`, `2:07 h`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d} min"
    return f"{minutes // 60}:{minutes % 60:02d} h"


def result_text(pace: Pace, scores: Mapping[str, np.ndarray]) -> str:
    """The diverged lanes, if any, and the mean validation accuracy of the others."""
    lost = sum(pace.diverged.values())
    parts = [f"{lost} diverged"] if lost else []
    accuracy = scores.get("validation_accuracy", np.empty(0))
    finite = accuracy[np.isfinite(accuracy)]
    if finite.size:
        parts.append(f"validation {100 * finite.mean():.1f} %")
    return ", ".join(parts)
