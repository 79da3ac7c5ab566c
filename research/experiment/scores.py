"""From trained lanes to the per-seed table."""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float64

from research.tasks.contract import Task
from research.training.lanes import TrainedArm, held_once

Columns = Mapping[str, np.ndarray]


def lean(task: Task, arm: TrainedArm, *, last: bool) -> TrainedArm:
    """Returns lanes with their columns, and by test row the primary metric alone.

    Hundreds of rows a lane are most of what is known of it; one of the metrics, and the
    rows themselves once, are all that is asked for when the arms are judged.

    Args:
      last: the parameters after the last epoch decide, not the selected ones.
    """
    scored = arm.scored
    values = np.asarray((scored.test_last if last else scored.test)[task.primary])
    right = values.astype(bool)
    kept = {task.primary: right if (right == values).all() else values}
    return dataclasses.replace(
        arm,
        columns=score_columns(task, arm),
        scored=scored._replace(
            test={} if last else kept,
            test_last=kept if last else {},
            test_rows=held_once(np.asarray(scored.test_rows)),
            test_weight=held_once(np.asarray(scored.test_weight)),
        ),
    )


def score_columns(task: Task, arm: TrainedArm) -> dict[str, np.ndarray]:
    """Returns the columns of per_seed.csv after `seed`, one entry a lane.

    A diverged lane scores what the best constant prediction does, on every metric.
    """
    scored = arm.scored
    alive = np.asarray(scored.alive)
    weights = np.asarray(scored.test_weight, np.float64)
    columns = {
        "status": np.where(alive, "done", "diverged"),
        "steps": np.asarray(scored.steps),
    }
    parts = (("test_{}", scored.test), ("test_{}_last", scored.test_last))
    for pattern, values in parts:
        for name, value in values.items():
            mean = np.average(np.asarray(value, np.float64), weights=weights, axis=1)
            reported = np.asarray(task.metrics[name].of_mean(mean), np.float64)
            columns[pattern.format(name)] = _fill(task, name, reported, alive)
    for name, value in scored.validation.items():
        mean = np.asarray(value, np.float64)
        columns[f"validation_{name}"] = _fill(task, name, mean, alive)
    for name in ("best_epoch", "zero_units", "dead_units"):
        columns[name] = np.asarray(getattr(scored, name))
    return columns


def _fill(task: Task, metric: str, means: np.ndarray, alive: np.ndarray) -> np.ndarray:
    return np.where(alive, means, task.metrics[metric].constant_predictor)


def table(
    arms: Mapping[str, Columns],
    *,
    seeds: Mapping[str, Sequence[int]],
    learning_rate: float,
) -> tuple[list[str], list[list]]:
    """Returns the header and the rows of per_seed.csv."""
    names = list(next(iter(arms.values())))
    rows = [
        [arm, learning_rate, seed, *(columns[name][i].item() for name in names)]
        for arm, columns in arms.items()
        for i, seed in enumerate(seeds[arm])
    ]
    return ["arm", "learning_rate", "seed", *names], rows


def per_example(
    task: Task, arm: TrainedArm, *, last: bool
) -> Float64[np.ndarray, "seeds rows"] | Bool[np.ndarray, "seeds rows"]:
    """Returns the primary metric of every lane on each of its test rows.

    A row's weight is in its value, so that the mean over rows is the lane's score; a
    diverged lane has the best constant predictor's score on every row.

    Args:
      last: of the parameters after the last epoch, not of the selected ones.
    """
    scored = arm.scored
    values = np.asarray((scored.test_last if last else scored.test)[task.primary])
    alive, weights = np.asarray(scored.alive), np.asarray(scored.test_weight)
    if values.dtype == bool and alive.all() and np.ptp(weights) == 0:
        return values
    weights = weights.astype(float)
    weighted = values * weights / weights.mean(axis=1, keepdims=True)
    constant = task.metrics[task.primary].constant_predictor
    return np.where(alive[:, None], weighted, constant)
