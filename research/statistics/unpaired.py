"""An arm against the reference where their runs share no seeds."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from research.statistics import luck, paired, welch
from research.statistics.comparison import LUCK, PERMUTATION, Comparison, Plan
from research.statistics.permutation import Permutation, permutation_test
from research.statistics.ranks import median_of_differences
from research.statistics.unpaired_power import runs_needed_for_margin
from research.statistics.verdict import Evidence, Verdict, decide


@dataclass(frozen=True)
class Groups:
    """One arm's and the reference's scores, with the tests of their means."""

    arm: Float64[np.ndarray, "runs"]
    reference: Float64[np.ndarray, "others"]
    moments: tuple[welch.Moments, welch.Moments]
    welch: welch.TTest
    test: Permutation


def group_arms(
    arm: Float64[np.ndarray, "runs"],
    reference: Float64[np.ndarray, "others"],
    plan: Plan,
) -> Groups:
    """Test the difference of two arms' means, of two or more runs each."""
    moments = welch.moments(arm), welch.moments(reference)
    return Groups(
        arm=arm,
        reference=reference,
        moments=moments,
        welch=welch.welch_t(*moments),
        test=permutation_test(arm, reference, plan.generator(PERMUTATION)),
    )


def verdict_and_note(
    groups: Groups, p_adjusted: float, plan: Plan
) -> tuple[Verdict, str]:
    """The verdict by the rules of the paired one; `n` is that of the smaller arm."""
    test = groups.welch
    interval, equivalence_interval = (
        _turned(test.interval(confidence), plan.higher_is_better)
        for confidence in (plan.confidence, 2 * plan.confidence - 1)
    )
    evidence = Evidence(
        n=min(len(groups.arm), len(groups.reference)),
        interval=interval,
        equivalence_interval=equivalence_interval,
        p_adjusted=p_adjusted,
        smallest_p_adjusted=min(1.0, plan.compared * groups.test.smallest_p),
        identical=test.difference == 0 and test.standard_error == 0,
        varies=test.standard_error > 0,
        diverged=0,
    )
    return decide(evidence, margin=plan.margin, confidence=plan.confidence)


def _turned(interval: tuple[float, float], higher: bool) -> tuple[float, float]:
    low, high = interval
    return (low, high) if higher else (-high, -low)


def compare_groups(
    arm: str, reference: str, groups: Groups, p_adjusted: float, plan: Plan
) -> Comparison:
    """All that summary.json says of one arm against the reference, unpaired."""
    verdict, note = verdict_and_note(groups, p_adjusted, plan)
    needed, needed_range = _runs(groups, verdict, plan)
    low, high = groups.welch.interval(plan.confidence)
    good = plan.higher_is_better
    one = luck.one_run_of_each(groups.arm, groups.reference, higher_is_better=good)
    counts = luck.seed_counts(min(len(groups.arm), len(groups.reference)))
    curve = luck.unpaired_false_winners(
        groups.arm,
        groups.reference,
        tuple(dict.fromkeys((*counts, 3))),
        higher_is_better=good,
        generator=plan.generator(LUCK),
    )
    return Comparison(
        arm=arm,
        reference=reference,
        n=min(len(groups.arm), len(groups.reference)),
        mean_difference=groups.welch.difference,
        std_difference=None,
        ci_low=low,
        ci_high=high,
        p_value=groups.test.p_value,
        p_adjusted=p_adjusted,
        p_method=groups.test.method,
        smallest_p=groups.test.smallest_p,
        effect_size_dz=None,
        probability_better=one.arm + one.neither / 2,
        correlation=None,
        hodges_lehmann=paired.cleared(
            median_of_differences(groups.arm, groups.reference),
            size=max(np.abs(groups.arm).max(), np.abs(groups.reference).max()),
        ),
        wilcoxon_p=None,
        bca_low=None,
        bca_high=None,
        skewness=None,
        verdict=verdict,
        note=note,
        seeds_needed=needed,
        seeds_needed_range=needed_range,
        mcnemar_p=None,
        one_seed=one,
        three_seeds=luck.at(curve, 3),
        false_winners=luck.only(curve, counts),
        differences=(),
        paired=False,
        n_arm=len(groups.arm),
        n_reference=len(groups.reference),
        effect_size_d=welch.effect_size_d(*groups.moments),
    )


def _runs(
    groups: Groups, verdict: Verdict, plan: Plan
) -> tuple[int | None, tuple[int, int] | None]:
    """Runs of each arm needed and their range, where the verdict is open."""
    if verdict != "undecided" or plan.margin is None:
        return None, None
    return runs_needed_for_margin(
        welch.pooled_std(*groups.moments),
        len(groups.arm) + len(groups.reference) - 2,
        margin=plan.margin,
        level=plan.level,
        confidence=plan.confidence,
    )
