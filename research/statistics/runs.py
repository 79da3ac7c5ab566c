"""Judging anybody's runs: paired by seed where the seeds match, unpaired elsewhere."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from research.statistics import unpaired
from research.statistics.checks import check_settings
from research.statistics.comparison import (
    Comparison,
    OtherDesign,
    Pair,
    Plan,
    compare_pair,
    pair_arms,
    verdict_and_note,
)
from research.statistics.multiplicity import holm
from research.statistics.paired import t_interval
from research.statistics.unpaired import Groups

FEWEST_RUNS = 2  # below it an arm's spread is not known at all


@dataclass(frozen=True)
class Runs:
    """One arm's scores and their seed ids, None where the runs have none."""

    scores: Float64[np.ndarray, "runs"]
    seeds: tuple[str, ...] | None


def judge_runs(
    runs: Mapping[str, Runs],
    *,
    reference: str,
    higher_is_better: bool,
    margin: float | None,
    confidence: float,
    generator: np.random.Generator,
) -> tuple[Comparison, ...]:
    """Compare every other arm with the reference, Holm-adjusted over the arms.

    An arm with the reference's seeds is paired with it, whatever their order; one with
    other seeds, or none, is compared unpaired (Welch's interval, a permutation test).
    Each comparison carries what the other design says: paired scores taken as unpaired,
    and as many scores without seeds paired in their order.

    Raises ValueError where the seeds of an arm and the reference overlap in part, an
    arm has fewer than two runs, a score is not finite or a setting is out of range.
    """
    check_settings(margin, confidence, None)
    _check_runs(runs, reference)
    plan = Plan(
        higher_is_better=higher_is_better,
        margin=margin,
        confidence=confidence,
        test_train_ratio=None,
        compared=len(runs) - 1,
        entropy=int(generator.integers(2**63)),
    )
    base = runs[reference]
    names = [arm for arm in runs if arm != reference]
    cases = [_case(runs[arm], base, plan) for arm in names]
    others = [
        _other(runs[arm], base, case, plan)
        for arm, case in zip(names, cases, strict=True)
    ]
    adjusted = holm([case.test.p_value for case in cases])
    adjusted_others = holm(
        [
            (other or case).test.p_value
            for other, case in zip(others, cases, strict=True)
        ]
    )
    found = []
    for arm, case, p, other, p_other in zip(
        names, cases, adjusted, others, adjusted_others, strict=True
    ):
        told = _other_design(other, p_other, plan) if other else None
        if isinstance(case, Pair):
            comparison = compare_pair(arm, reference, case, p, plan)
        else:
            comparison = unpaired.compare_groups(arm, reference, case, p, plan)
        found.append(dataclasses.replace(comparison, other_design=told))
    return tuple(found)


def is_paired(arm: Runs, reference: Runs) -> bool:
    """Tells whether both have the same seeds, in whatever order.

    Raises ValueError where they share some and not all.
    """
    if arm.seeds is None or reference.seeds is None:
        return False
    mine, theirs = set(arm.seeds), set(reference.seeds)
    if mine != theirs and mine & theirs:
        raise ValueError("the seeds of an arm and of the reference overlap in part")
    return mine == theirs


def _check_runs(runs: Mapping[str, Runs], reference: str) -> None:
    if reference not in runs or len(runs) < 2:
        raise ValueError(f"{reference!r} and another arm are needed, not {list(runs)}")
    for arm, each in runs.items():
        if len(each.scores) < FEWEST_RUNS or not np.isfinite(each.scores).all():
            raise ValueError(f"{arm!r} needs two or more scores, and finite ones")


def _case(arm: Runs, base: Runs, plan: Plan) -> Pair | Groups:
    if not is_paired(arm, base):
        return unpaired.group_arms(arm.scores, base.scores, plan)
    assert arm.seeds is not None
    assert base.seeds is not None
    places = {seed: place for place, seed in enumerate(arm.seeds)}
    order = [places[seed] for seed in base.seeds]
    return pair_arms(arm.scores[order], base.scores, plan)


def _other(
    arm: Runs, base: Runs, case: Pair | Groups, plan: Plan
) -> Pair | Groups | None:
    """The same scores in the other design; None where there is none."""
    if isinstance(case, Pair):
        return unpaired.group_arms(arm.scores, base.scores, plan)
    ordered = arm.seeds is None and base.seeds is None
    if ordered and len(arm.scores) == len(base.scores):
        return pair_arms(arm.scores, base.scores, plan)
    return None


def _other_design(case: Pair | Groups, p_adjusted: float, plan: Plan) -> OtherDesign:
    if isinstance(case, Pair):
        verdict, _ = verdict_and_note(case, p_adjusted, plan)
        interval = t_interval(case.differences, confidence=plan.confidence)
    else:
        verdict, _ = unpaired.verdict_and_note(case, p_adjusted, plan)
        interval = case.welch.interval(plan.confidence)
    low, high = interval or (None, None)
    return OtherDesign(isinstance(case, Pair), low, high, p_adjusted, verdict)
