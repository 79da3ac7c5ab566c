"""Pairing is checked: the arms' seeds really started and drew alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.training.run import TrainedArm


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """What the checksums of the arms say.

    verified: weights of equal path and shape, rows drawn and splits agree on every seed.
    weights_share_compared: share of an arm's initial leaves that every arm has too.
    identical_arms: groups of arms whose final parameters and losses are bit-equal on
      every seed.
    problems: one sentence for each thing that does not agree.
    """

    verified: bool
    seeds_checked: int
    weights_share_compared: float
    identical_arms: tuple[tuple[str, ...], ...]
    problems: tuple[str, ...]


def check_pairing(arms: Mapping[str, TrainedArm], *, vary: tuple[str, ...]) -> Pairing:
    """Compares every arm with the first, seed by seed, and the seeds of an arm."""
    first = next(iter(arms.values()))
    problems: list[str] = []
    shared = set(first.weights)
    for name, arm in arms.items():
        shared &= set(arm.weights)
        problems += _differences(name, arm, first)
        problems += _repetitions(name, arm, vary)
    most = max(len(arm.weights) for arm in arms.values())
    return Pairing(
        verified=not problems,
        seeds_checked=len(first.seeds),
        weights_share_compared=len(shared) / most,
        identical_arms=_identical(arms),
        problems=tuple(problems),
    )


def _differences(name: str, arm: TrainedArm, first: TrainedArm) -> list[str]:
    pairs: dict[str, tuple[Any, Any]] = {
        f"initial weights {path}": (arm.weights[path], first.weights[path])
        for path in arm.weights
        if path in first.weights
    }
    pairs["the split"] = (arm.splits, first.splits)
    pairs["the rows drawn"] = (arm.scored.rows_checksum, first.scored.rows_checksum)
    return [
        f"{name}: {what} differ from the first arm's for seed {arm.seeds[unequal][0]} "
        f"({unequal.sum()} of {len(arm.seeds)} seeds)"
        for what, (mine, theirs) in pairs.items()
        if (unequal := np.asarray(mine) != np.asarray(theirs)).any()
    ]


def _repetitions(name: str, arm: TrainedArm, vary: tuple[str, ...]) -> list[str]:
    """Finds seeds that started alike although the initial weights should vary."""
    if "init" not in vary or len(arm.seeds) < 2:
        return []
    starts = np.stack(list(arm.weights.values()), axis=1)
    different = len(np.unique(starts, axis=0))
    if different == len(arm.seeds):
        return []
    return [
        f"{name}: {len(arm.seeds)} seeds have only {different} different initial "
        "weights: the model's init does not use its key"
    ]


def _identical(arms: Mapping[str, TrainedArm]) -> tuple[tuple[str, ...], ...]:
    groups: dict[bytes, list[str]] = {}
    for name, arm in arms.items():
        loss = np.nan_to_num(arm.curves["train_loss"], nan=-1.0)
        end = arm.scored.final_checksum.tobytes() + loss.tobytes()
        groups.setdefault(end, []).append(name)
    return tuple(tuple(names) for names in groups.values() if len(names) > 1)
