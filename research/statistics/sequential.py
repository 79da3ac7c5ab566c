"""The sequential plan: when seeds may stop, and what the scores say once they have."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from research.statistics import paired
from research.statistics.checks import check_scores, check_settings
from research.statistics.comparison import (
    Comparison,
    Plan,
    judge,
    seeds_still_needed,
)
from research.statistics.confidence_sequence import (
    ConfidenceSequence,
    as_looks,
    bounded,
    first_decisive_n,
    sequence,
    smallest_p,
)
from research.statistics.divergence import divergence_note
from research.statistics.multiplicity import holm
from research.statistics.power import SMALLEST_N
from research.statistics.verdict import Evidence, Verdict, decide

P_METHOD = "scale-invariant mixture t, anytime-valid"
# Arms that are the same on every seed stop once it is shown that fewer than this share
# of seeds differs: a mean of one margin would then take differences of ten margins.
DIFFERING_SHARE = 0.1


@dataclass(frozen=True)
class Decision:
    """Each arm's verdict on the seeds so far, None where it is open, and why."""

    verdicts: Mapping[str, Verdict | None]
    notes: Mapping[str, str]

    @property
    def stop(self) -> bool:
        """Whether every arm has its verdict, so that no more seeds are needed."""
        return None not in self.verdicts.values()


@dataclass(frozen=True)
class _Arm:
    """One arm against the reference on the seeds so far."""

    differences: Float64[np.ndarray, "seeds"]
    sequence: ConfidenceSequence
    arm_diverged: Bool[np.ndarray, "seeds"]
    reference_diverged: Bool[np.ndarray, "seeds"]

    @property
    def p_value(self) -> float:
        """The running p; 1 before the first look."""
        return float(self.sequence.p[-1]) if len(self.sequence.p) else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """The last look's interval; without bounds before the first."""
        if not len(self.sequence.n):
            return -math.inf, math.inf
        return float(self.sequence.low[-1]), float(self.sequence.high[-1])

    @property
    def too_skewed(self) -> bool:
        """Whether the differences vary, but are too few for their skewness."""
        looked = len(self.sequence.n) > 0 and np.ptp(self.differences) > 0
        return bool(looked and not self.sequence.may_decide[-1])


def decide_sequential(
    scores: Mapping[str, Float64[np.ndarray, "seeds"]],
    *,
    reference: str,
    higher_is_better: bool,
    margin: float | None,
    confidence: float,
    diverged: Mapping[str, Bool[np.ndarray, "seeds"]] | None = None,
) -> Decision:
    """Whether the seeds so far give every arm its verdict; may be asked at any n.

    The scores are those that `judge` takes, in the order in which the seeds were
    added. Raises ValueError as `judge` does.
    """
    check_settings(margin, confidence, None)
    check_scores(scores, reference, diverged or {})
    plan = _plan(scores, higher_is_better, margin, confidence)
    arms = _arms(scores, reference, diverged or {}, plan)
    judged = {
        name: _verdict(arm, p_adjusted, plan)
        for (name, arm), p_adjusted in zip(arms.items(), _adjusted(arms), strict=True)
    }
    return Decision(
        verdicts={
            name: None if _is_open(arms[name], verdict, confidence) else verdict
            for name, (verdict, _) in judged.items()
        },
        notes={name: note for name, (_, note) in judged.items()},
    )


def judge_sequential(
    scores: Mapping[str, Float64[np.ndarray, "seeds"]],
    *,
    reference: str,
    higher_is_better: bool,
    margin: float | None,
    confidence: float,
    generator: np.random.Generator,
    diverged: Mapping[str, Bool[np.ndarray, "seeds"]] | None = None,
) -> tuple[Comparison, ...]:
    """What `judge` says, with interval, p and verdict of the confidence sequence.

    They hold although the number of seeds was chosen by looking, which those that
    `judge` gives do not. Raises ValueError as `judge` does.
    """
    compared = judge(
        scores,
        reference=reference,
        higher_is_better=higher_is_better,
        margin=margin,
        confidence=confidence,
        generator=generator,
        diverged=diverged,
    )
    plan = _plan(scores, higher_is_better, margin, confidence)
    arms = _arms(scores, reference, diverged or {}, plan)
    return tuple(
        _sequential(comparison, arms[comparison.arm], p_adjusted, plan)
        for comparison, p_adjusted in zip(compared, _adjusted(arms), strict=True)
    )


def _plan(
    scores: Mapping[str, Float64[np.ndarray, "seeds"]],
    higher_is_better: bool,
    margin: float | None,
    confidence: float,
) -> Plan:
    return Plan(
        higher_is_better=higher_is_better,
        margin=margin,
        confidence=confidence,
        test_train_ratio=None,
        compared=len(scores) - 1,
        entropy=0,  # nothing is drawn
    )


def _arms(
    scores: Mapping[str, Float64[np.ndarray, "seeds"]],
    reference: str,
    diverged: Mapping[str, Bool[np.ndarray, "seeds"]],
    plan: Plan,
) -> dict[str, _Arm]:
    """Every arm but the reference, with its confidence sequence."""
    none = np.zeros(len(scores[reference]), dtype=bool)
    arms = {}
    for name in scores:
        if name != reference:
            d = paired.paired_differences(scores[name], scores[reference])
            arms[name] = _Arm(
                differences=d,
                sequence=sequence(
                    d, confidence=plan.confidence, compared=plan.compared
                ),
                arm_diverged=diverged.get(name, none),
                reference_diverged=diverged.get(reference, none),
            )
    return arms


def _adjusted(arms: Mapping[str, _Arm]) -> tuple[float, ...]:
    """Holm over the running p values, which hold at whatever n the seeds stop."""
    return holm([arm.p_value for arm in arms.values()])


def _verdict(arm: _Arm, p_adjusted: float, plan: Plan) -> tuple[Verdict, str]:
    """The verdict of the last look and its note, `undecided` while too skewed."""
    if arm.too_skewed:
        return "undecided", _skewed_note(arm, plan)
    return decide(
        _evidence(arm, p_adjusted, plan), margin=plan.margin, confidence=plan.confidence
    )


def _evidence(arm: _Arm, p_adjusted: float, plan: Plan) -> Evidence:
    """The evidence of the last look, turned so that positive is better.

    Equivalence is asked of the 1 - a interval, the one that holds at every look.
    """
    d, (low, high) = arm.differences, arm.interval
    interval = (low, high) if plan.higher_is_better else (-high, -low)
    return Evidence(
        n=len(d),
        interval=interval if len(d) > 1 else None,
        equivalence_interval=interval if len(d) > 1 else None,
        p_adjusted=p_adjusted,
        smallest_p_adjusted=min(1.0, plan.compared * smallest_p(len(d))),
        identical=not d.any(),
        varies=bool(np.ptp(d) > 0),
        diverged=int(arm.arm_diverged.sum() + arm.reference_diverged.sum()),
    )


def _skewed_note(arm: _Arm, plan: Plan) -> str:
    """From which n the skewness so far would let the arm decide."""
    skewness = paired.skewness(arm.differences) or 0.0
    signed = f"{skewness:+.1f}".replace("-", "−")
    n = max(first_decisive_n(skewness, level=plan.level), len(arm.differences) + 1)
    return (
        f"the differences may be skewed ({signed} on {len(arm.differences)} seeds): "
        f"no decision before about {n} seeds"
    )


def _is_open(arm: _Arm, verdict: Verdict, confidence: float) -> bool:
    """Whether more seeds are needed for a verdict.

    n seeds without any difference show that fewer than a share q of seeds differs once
    (1 - q)^n <= 1 - confidence: 29 seeds at .95.
    """
    if arm.differences.any() or verdict == "undecided":
        return verdict == "undecided"
    enough = math.log(1 - confidence) / math.log(1 - DIFFERING_SHARE)
    return len(arm.differences) < max(SMALLEST_N, enough)


def _sequential(
    comparison: Comparison, arm: _Arm, p_adjusted: float, plan: Plan
) -> Comparison:
    """The fixed plan's comparison with all that looking would have made wrong."""
    verdict, note = _verdict(arm, p_adjusted, plan)
    if arm.arm_diverged.any() or arm.reference_diverged.any():
        words = divergence_note(
            arm.differences, arm.arm_diverged, arm.reference_diverged
        )
        note = f"{note}; {words}"
    needed, needed_range = seeds_still_needed(arm.differences, verdict, plan)
    low, high = arm.interval
    return dataclasses.replace(
        comparison,
        ci_low=bounded(low),
        ci_high=bounded(high),
        p_value=arm.p_value,
        p_adjusted=p_adjusted,
        p_method=P_METHOD,
        smallest_p=smallest_p(comparison.n),
        verdict=verdict,
        note=note,
        seeds_needed=needed,
        seeds_needed_range=needed_range,
        sequence=as_looks(arm.sequence),
    )
