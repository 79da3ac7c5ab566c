"""t tests of two independent groups, from their moments: Welch's and the pooled one."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from scipy import special

from research.statistics import paired


@dataclass(frozen=True)
class Moments:
    """Mean, sample standard deviation (divisor n - 1) and size of one group."""

    mean: float
    std: float
    n: int


@dataclass(frozen=True)
class TTest:
    """Difference of two means (arm minus reference) and its two-sided t test.

    `p_value` is None where neither group varies and the means differ.
    """

    difference: float
    standard_error: float
    degrees_of_freedom: float
    p_value: float | None

    def interval(self, confidence: float) -> tuple[float, float]:
        """difference ± t(df) · standard error."""
        quantile = float(special.stdtrit(self.degrees_of_freedom, (1 + confidence) / 2))
        half_width = quantile * self.standard_error
        return self.difference - half_width, self.difference + half_width


def moments(scores: Float64[np.ndarray, "runs"]) -> Moments:
    """Moments of at least two scores, cleared of rounding where nothing varies."""
    deviation = paired.standard_deviation(scores)
    if deviation is None:
        raise ValueError("one score has no standard deviation")
    rounding = paired.ROUNDING * float(np.abs(scores).max())
    return Moments(
        paired.mean(scores), deviation if deviation > rounding else 0.0, len(scores)
    )


def welch_t(arm: Moments, reference: Moments) -> TTest:
    """Welch's t test: each group has a variance of its own.

    se² = a + b with a = s₁²/n₁, b = s₂²/n₂; df = (a + b)²/(a²/(n₁-1) + b²/(n₂-1))
    (Welch 1947, Biometrika 34; Satterthwaite 1946).
    """
    errors = [group.std / math.sqrt(group.n) for group in (arm, reference)]
    error = math.hypot(*errors)
    if error == 0:
        return _test(arm, reference, 0.0, float(arm.n + reference.n - 2))
    shares = [(each / error) ** 2 for each in errors]  # of the variance; they sum to 1
    groups = (arm, reference)
    spent = sum(s * s / (g.n - 1) for s, g in zip(shares, groups, strict=True))
    return _test(arm, reference, error, 1 / spent)


def student_t(arm: Moments, reference: Moments) -> TTest:
    """Student's t test with the pooled variance, as published tables use it.

    se = s_p·sqrt(1/n₁ + 1/n₂), df = n₁ + n₂ - 2 (Student 1908, Biometrika 6).
    """
    error = pooled_std(arm, reference) * math.sqrt(1 / arm.n + 1 / reference.n)
    return _test(arm, reference, error, float(arm.n + reference.n - 2))


def pooled_std(arm: Moments, reference: Moments) -> float:
    """s_p = sqrt(((n₁-1)·s₁² + (n₂-1)·s₂²)/(n₁ + n₂ - 2))."""
    freedom = arm.n + reference.n - 2
    weights = [math.sqrt((group.n - 1) / freedom) for group in (arm, reference)]
    return math.hypot(weights[0] * arm.std, weights[1] * reference.std)


def effect_size_d(arm: Moments, reference: Moments) -> float | None:
    """Cohen's d = difference/s_p of independent groups; None where nothing varies."""
    deviation = pooled_std(arm, reference)
    return _difference(arm, reference) / deviation if deviation else None


def _difference(arm: Moments, reference: Moments) -> float:
    """Difference of the means, exactly 0 where they differ by rounding alone."""
    difference = arm.mean - reference.mean
    size = max(abs(arm.mean), abs(reference.mean))
    return 0.0 if abs(difference) <= paired.ROUNDING * size else difference


def _test(arm: Moments, reference: Moments, error: float, freedom: float) -> TTest:
    difference = _difference(arm, reference)
    if error:
        p = 2 * float(special.stdtr(freedom, -abs(difference / error)))
    else:
        p = None if difference else 1.0
    return TTest(difference, error, freedom, p)
