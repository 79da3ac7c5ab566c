"""Judging arms against a reference, paired by seed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from research.statistics import luck, paired
from research.statistics.bootstrap import bca_interval
from research.statistics.checks import check_scores, check_settings
from research.statistics.confidence_sequence import Looks
from research.statistics.divergence import divergence_note, mcnemar_p
from research.statistics.luck import FalseWinners, Shares
from research.statistics.multiplicity import holm
from research.statistics.power import seeds_needed, seeds_needed_range
from research.statistics.ranks import hodges_lehmann, wilcoxon_p
from research.statistics.signflip import SignFlip, sign_flip_test
from research.statistics.verdict import Evidence, Verdict, decide


@dataclass(frozen=True)
class OtherDesign:
    """What a comparison says when paired scores are taken as unpaired, or unpaired
    ones as paired row by row; `p_adjusted` as if all arms were."""

    paired: bool
    ci_low: float | None
    ci_high: float | None
    p_adjusted: float
    verdict: Verdict


@dataclass(frozen=True)
class Comparison:
    """An arm against the reference, as in summary.json; differences are raw.

    Raw is arm minus reference, whatever the good direction. None stands for a number
    that the scores do not define. `probability_better`, `one_seed`, `three_seeds` and
    `false_winners` count in the good direction. Unpaired runs have no `differences`;
    their `n` is that of the smaller arm, their effect `effect_size_d`. `other_design`
    is what the other way of comparing the same scores says, where there is one, and
    `sequence` the looks of the sequential plan.
    """

    arm: str
    reference: str
    n: int
    mean_difference: float
    std_difference: float | None
    ci_low: float | None
    ci_high: float | None
    p_value: float
    p_adjusted: float
    p_method: str
    smallest_p: float
    effect_size_dz: float | None
    probability_better: float
    correlation: float | None
    hodges_lehmann: float | None
    wilcoxon_p: float | None
    bca_low: float | None
    bca_high: float | None
    skewness: float | None
    verdict: Verdict
    note: str
    seeds_needed: int | None
    seeds_needed_range: tuple[int, int] | None
    mcnemar_p: float | None
    one_seed: Shares
    three_seeds: Shares | None
    false_winners: FalseWinners
    differences: tuple[float, ...]
    paired: bool = True
    n_arm: int | None = None
    n_reference: int | None = None
    effect_size_d: float | None = None
    other_design: OtherDesign | None = None
    sequence: Looks | None = None


@dataclass(frozen=True)
class Plan:
    """What was fixed before the scores were seen, and the number of arms compared."""

    higher_is_better: bool
    margin: float | None
    confidence: float
    test_train_ratio: float | None
    compared: int
    entropy: int

    @property
    def level(self) -> float:
        """The level that each of the arms compared is held to."""
        return (1 - self.confidence) / self.compared

    def generator(self, stream: int) -> np.random.Generator:
        """One stream a purpose and the same for every arm, so arms' order is nothing."""
        return np.random.default_rng([self.entropy, stream])


SIGN_FLIP, BOOTSTRAP, LUCK, PERMUTATION = range(4)


@dataclass(frozen=True)
class Pair:
    """One arm's and the reference's scores and diverged lanes, with their test."""

    arm: Float64[np.ndarray, "seeds"]
    reference: Float64[np.ndarray, "seeds"]
    differences: Float64[np.ndarray, "seeds"]
    arm_diverged: Bool[np.ndarray, "seeds"]
    reference_diverged: Bool[np.ndarray, "seeds"]
    test: SignFlip


def judge(
    scores: Mapping[str, Float64[np.ndarray, "seeds"]],
    *,
    reference: str,
    higher_is_better: bool,
    margin: float | None,
    confidence: float,
    generator: np.random.Generator,
    diverged: Mapping[str, Bool[np.ndarray, "seeds"]] | None = None,
    test_train_ratio: float | None = None,
) -> tuple[Comparison, ...]:
    """Compare every other arm with the reference, Holm-adjusted over the arms.

    The scores of all arms are in the order of the same seeds; a diverged lane carries
    the constant predictor's score and is marked in `diverged`. `margin` is in the
    metric's units; without one nothing but identity is called equivalent.
    `test_train_ratio` is n_test/n_train where the seeds also redraw the
    test set from one pool of data: the intervals are then Nadeau and Bengio's.
    Raises ValueError for scores that cannot be compared and settings out of range.
    """
    check_settings(margin, confidence, test_train_ratio)
    check_scores(scores, reference, diverged or {})
    plan = Plan(
        higher_is_better=higher_is_better,
        margin=margin,
        confidence=confidence,
        test_train_ratio=test_train_ratio,
        compared=len(scores) - 1,
        entropy=int(generator.integers(2**63)),
    )
    lost = diverged or {}
    pairs = {
        arm: pair_arms(
            values,
            scores[reference],
            plan,
            arm_diverged=lost.get(arm),
            reference_diverged=lost.get(reference),
        )
        for arm, values in scores.items()
        if arm != reference
    }
    adjusted = holm([pair.test.p_value for pair in pairs.values()])
    return tuple(
        compare_pair(arm, reference, pair, p_adjusted, plan)
        for (arm, pair), p_adjusted in zip(pairs.items(), adjusted, strict=True)
    )


def pair_arms(
    arm: Float64[np.ndarray, "seeds"],
    reference: Float64[np.ndarray, "seeds"],
    plan: Plan,
    *,
    arm_diverged: Bool[np.ndarray, "seeds"] | None = None,
    reference_diverged: Bool[np.ndarray, "seeds"] | None = None,
) -> Pair:
    """Pair an arm with the reference and test the mean difference."""
    differences = paired.paired_differences(arm, reference)
    none = np.zeros(len(differences), dtype=bool)
    return Pair(
        arm=arm,
        reference=reference,
        differences=differences,
        arm_diverged=none if arm_diverged is None else arm_diverged,
        reference_diverged=none if reference_diverged is None else reference_diverged,
        test=sign_flip_test(differences, plan.generator(SIGN_FLIP)),
    )


def _evidence(pair: Pair, p_adjusted: float, plan: Plan) -> Evidence:
    """The evidence for a verdict, turned so that positive is better."""
    good = pair.differences if plan.higher_is_better else -pair.differences
    interval, equivalence_interval = (
        paired.t_interval(
            good, confidence=confidence, test_train_ratio=plan.test_train_ratio
        )
        for confidence in (plan.confidence, 2 * plan.confidence - 1)
    )
    return Evidence(
        n=len(good),
        interval=interval,
        equivalence_interval=equivalence_interval,
        p_adjusted=p_adjusted,
        smallest_p_adjusted=min(1.0, plan.compared * pair.test.smallest_p),
        identical=not good.any(),
        varies=bool(np.ptp(good) > 0),
        diverged=int(pair.arm_diverged.sum() + pair.reference_diverged.sum()),
    )


def verdict_and_note(pair: Pair, p_adjusted: float, plan: Plan) -> tuple[Verdict, str]:
    """The verdict, its note, and what the note says of diverged lanes."""
    evidence = _evidence(pair, p_adjusted, plan)
    verdict, note = decide(evidence, margin=plan.margin, confidence=plan.confidence)
    if evidence.diverged:
        words = divergence_note(
            pair.differences, pair.arm_diverged, pair.reference_diverged
        )
        note = f"{note}; {words}"
    return verdict, note


def seeds_still_needed(
    differences: Float64[np.ndarray, "seeds"], verdict: Verdict, plan: Plan
) -> tuple[int | None, tuple[int, int] | None]:
    """Seeds needed and their range, where the verdict is open and the sd is known."""
    deviation = paired.standard_deviation(differences)
    if verdict != "undecided" or not deviation or plan.margin is None:
        return None, None
    level = plan.level
    ratio = plan.test_train_ratio
    return seeds_needed(
        deviation, margin=plan.margin, level=level, test_train_ratio=ratio
    ), seeds_needed_range(
        deviation,
        len(differences),
        margin=plan.margin,
        level=level,
        confidence=plan.confidence,
        test_train_ratio=ratio,
    )


def _bca(
    differences: Float64[np.ndarray, "seeds"], plan: Plan
) -> tuple[float, float] | None:
    """The BCa interval; None where seeds share test rows, for it resamples seeds."""
    if plan.test_train_ratio is not None:
        return None
    return bca_interval(
        differences, confidence=plan.confidence, generator=plan.generator(BOOTSTRAP)
    )


def _method(test: SignFlip, plan: Plan) -> str:
    """How p was found, and what it leaves out."""
    if plan.test_train_ratio is None:
        return test.method
    return f"{test.method}, as if the seeds shared no test rows"


def compare_pair(
    arm: str, reference: str, pair: Pair, p_adjusted: float, plan: Plan
) -> Comparison:
    """All that summary.json says of one arm against the reference."""
    d, good = pair.differences, plan.higher_is_better
    low, high = paired.t_interval(
        d, confidence=plan.confidence, test_train_ratio=plan.test_train_ratio
    ) or (None, None)
    bca_low, bca_high = _bca(d, plan) or (None, None)
    verdict, note = verdict_and_note(pair, p_adjusted, plan)
    needed, needed_range = seeds_still_needed(d, verdict, plan)
    return Comparison(
        arm=arm,
        reference=reference,
        n=len(d),
        mean_difference=paired.mean(d),
        std_difference=paired.standard_deviation(d),
        ci_low=low,
        ci_high=high,
        p_value=pair.test.p_value,
        p_adjusted=p_adjusted,
        p_method=_method(pair.test, plan),
        smallest_p=pair.test.smallest_p,
        effect_size_dz=paired.effect_size_dz(d),
        probability_better=paired.probability_better(d, higher_is_better=good),
        correlation=paired.correlation(pair.arm, pair.reference),
        hodges_lehmann=paired.cleared(
            hodges_lehmann(d),
            size=max(np.abs(pair.arm).max(), np.abs(pair.reference).max()),
        ),
        wilcoxon_p=wilcoxon_p(d),
        bca_low=bca_low,
        bca_high=bca_high,
        skewness=paired.skewness(d),
        verdict=verdict,
        note=note,
        seeds_needed=needed,
        seeds_needed_range=needed_range,
        mcnemar_p=mcnemar_p(pair.arm_diverged, pair.reference_diverged),
        one_seed=luck.one_seed(d, higher_is_better=good),
        three_seeds=luck.three_seeds(
            d, higher_is_better=good, generator=plan.generator(LUCK)
        ),
        false_winners=luck.false_winners(
            d,
            luck.seed_counts(len(d)),
            higher_is_better=good,
            generator=plan.generator(LUCK),
        ),
        differences=tuple(d.tolist()),
        n_arm=len(d),
        n_reference=len(d),
    )
