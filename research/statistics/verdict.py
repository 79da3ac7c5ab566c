"""The verdict: one word for what the evidence supports, and why."""

from dataclasses import dataclass
from typing import Literal

from research.statistics.power import SMALLEST_N

Verdict = Literal["better", "worse", "equivalent", "undecided"]

# 1 - 0.95 is not 0.05 in floating point; a p that equals the level reaches it.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on; differences turned so that positive is better.

    `interval` has the confidence 1 - a, `equivalence_interval` 1 - 2a (None: one seed).
    `diverged` counts the lanes of both arms.
    """

    n: int
    interval: tuple[float, float] | None
    equivalence_interval: tuple[float, float] | None
    p_adjusted: float
    smallest_p_adjusted: float
    identical: bool
    varies: bool
    diverged: int


def decide(
    evidence: Evidence, *, margin: float | None, confidence: float
) -> tuple[Verdict, str]:
    """The verdict and its note.

    Below six seeds `undecided`. `equivalent` when the 1 - 2a interval lies inside the
    margin and no lane diverged (two one-sided tests, Schuirmann 1987). Else `better`
    or `worse` when the adjusted p is at most a and the 1 - a interval leaves 0.
    Else `undecided`. Without a margin nothing but identity is `equivalent`.
    """
    if evidence.interval is None or evidence.equivalence_interval is None:
        return "undecided", "no verdict from one seed"
    if evidence.n < SMALLEST_N:
        return "undecided", _few_seeds_note(evidence)
    if evidence.identical and not evidence.diverged:
        return "equivalent", "identical on this metric"
    if evidence.identical:
        return "undecided", f"identical on this metric, but {_divergence(evidence)}"
    if not evidence.varies:
        return "undecided", "the seeds do not vary: every difference is the same"
    low, high = evidence.interval
    level = 1 - confidence
    leaves_zero = low > 0 or high < 0
    significant = evidence.p_adjusted <= level + _ROUNDING and leaves_zero
    inside = _inside(evidence.equivalence_interval, margin)
    if inside and not evidence.diverged:
        return "equivalent", _equivalent_note(significant)
    if significant:
        nearest = min(abs(low), abs(high))
        return "better" if low > 0 else "worse", _size_note(nearest, margin)
    difference = _no_difference_note(evidence, level, leaves_zero)
    return (
        "undecided",
        f"{difference}; {_no_equivalence_note(evidence, margin, inside)}",
    )


def _inside(interval: tuple[float, float], margin: float | None) -> bool:
    return margin is not None and -margin < interval[0] and interval[1] < margin


def _few_seeds_note(evidence: Evidence) -> str:
    """Why two to five seeds give no verdict, and what they look like."""
    note = f"fewer than six seeds: no verdict from {evidence.n}"
    if evidence.identical:
        return f"{note}; identical on this metric so far"
    if not evidence.varies:
        return f"{note}; the seeds do not vary"
    return note


def _equivalent_note(significant: bool) -> str:
    if significant:
        return "real but smaller than the margin"
    return "no difference is shown, and one as large as the margin is ruled out"


def _size_note(nearest: float, margin: float | None) -> str:
    """How the interval's end nearest to 0 lies to the margin."""
    if margin is None:
        return "no margin was given: whether by an amount that matters is not judged"
    if nearest > margin:
        return "by more than the margin"
    return "by an amount not yet shown to exceed the margin"


def _no_difference_note(evidence: Evidence, level: float, leaves_zero: bool) -> str:
    """Which condition of a difference failed."""
    p, smallest = evidence.p_adjusted, evidence.smallest_p_adjusted
    if not leaves_zero and p <= level + _ROUNDING:
        return f"p {p:.3g} reaches {level:.3g}, but the interval includes 0"
    if not leaves_zero:
        return "no difference is shown: the interval includes 0"
    if smallest > level + _ROUNDING:
        return (
            f"the interval leaves 0, but p cannot be below {smallest:.3g} here "
            f"and {level:.3g} is asked for"
        )
    return f"the interval leaves 0, but p {p:.3g} does not reach {level:.3g}"


def _no_equivalence_note(evidence: Evidence, margin: float | None, inside: bool) -> str:
    """Which condition of equivalence failed."""
    if margin is None:
        return "no margin was given: equivalence is not judged"
    if not inside:
        return "one as large as the margin is not ruled out"
    return f"inside the margin, but {_divergence(evidence)}"


def _divergence(evidence: Evidence) -> str:
    lanes = "1 lane" if evidence.diverged == 1 else f"{evidence.diverged} lanes"
    return f"{lanes} diverged, and then nothing is called equivalent"
