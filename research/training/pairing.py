"""Pairing is checked: the arms' seeds really started and drew alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.training import checksums
from research.training.lanes import TrainedArm


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """What the checksums of the arms say.

    verified: weights of equal path and shape, rows drawn and splits agree on every seed.
    weights_share_by_arm: how many of an arm's initial weights stand in leaves that the
      reference has too, as a share of the larger of the two arms. A gated arm's layers
      have another shape, and so weights of their own.
    weights_share_compared: the least of these shares.
    identical_arms: groups of arms whose final parameters and losses are bit-equal on
      every seed.
    problems: one sentence for each thing that does not agree.
    """

    verified: bool
    seeds_checked: int
    weights_share_compared: float
    weights_share_by_arm: dict[str, float]
    identical_arms: tuple[tuple[str, ...], ...]
    problems: tuple[str, ...]


def check_pairing(
    arms: Mapping[str, TrainedArm],
    *,
    vary: tuple[str, ...],
    reference: str | None = None,
) -> Pairing:
    """Compares the arms seed by seed, and the seeds of an arm.

    Args:
      reference: the arm that the shares of weights refer to, by default the first.
    """
    first = next(iter(arms))
    problems: list[str] = []
    owners: dict[str, str] = {}
    for name, arm in arms.items():
        for path in arm.weights:
            owners.setdefault(path, name)
        problems += _differences(name, arms, owners, first)
        problems += _repetitions(name, arm, vary)
    base = arms[reference or first].weights
    shares = {name: _share(arm.weights, base) for name, arm in arms.items()}
    return Pairing(
        verified=not problems,
        seeds_checked=len(arms[first].seeds),
        weights_share_compared=min(shares.values()),
        weights_share_by_arm=shares,
        identical_arms=_identical(arms),
        problems=tuple(problems),
    )


def _share(weights: Mapping[str, Any], base: Mapping[str, Any]) -> float:
    mine, theirs = (sum(map(checksums.numbers_in, each)) for each in (weights, base))
    shared = sum(checksums.numbers_in(path) for path in weights if path in base)
    return shared / max(mine, theirs)


def _differences(
    name: str, arms: Mapping[str, TrainedArm], owners: Mapping[str, str], first: str
) -> list[str]:
    """Compares with the first arm, and each leaf with the first arm that has it."""
    arm = arms[name]
    pairs: dict[str, tuple[str, Any, Any]] = {
        f"initial weights {path}": (owner, sums, arms[owner].weights[path])
        for path, sums in arm.weights.items()
        if (owner := owners[path]) != name
    }
    pairs["the split"] = (first, arm.splits, arms[first].splits)
    drawn, base = (each.scored.rows_checksum for each in (arm, arms[first]))
    pairs["the rows drawn"] = (first, drawn, base)
    return [
        f"{name}: {what} differ from {owner}'s for seed {arm.seeds[unequal][0]} "
        f"({unequal.sum()} of {len(arm.seeds)} seeds)"
        for what, (owner, mine, theirs) in pairs.items()
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
