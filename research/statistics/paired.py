"""Moments and t intervals of scores and of paired differences."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64
from scipy import special

# Scores are sums of many float64 operations; what differs by less than this share
# of their size is the same number written in two ways.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Description:
    """One arm's scores over its seeds; None where one seed leaves it undefined."""

    n: int
    mean: float
    std: float | None
    ci_low: float | None
    ci_high: float | None


@dataclass(frozen=True)
class DifferenceInterval:
    """Mean paired difference (arm minus reference) and its t interval, no test."""

    n: int
    mean_difference: float | None
    ci_low: float | None
    ci_high: float | None


def paired_differences(
    arm: Float64[np.ndarray, "seeds"], reference: Float64[np.ndarray, "seeds"]
) -> Float64[np.ndarray, "seeds"]:
    """arm minus reference, seed by seed, cleared of floating-point rounding.

    Zeros become exactly 0 and a constant difference exactly constant, so that the
    degenerate cases can be told by equality everywhere else.
    """
    differences = arm - reference
    size = np.maximum(np.abs(arm), np.abs(reference))
    differences = np.where(np.abs(differences) <= ROUNDING * size, 0.0, differences)
    if np.ptp(differences) <= ROUNDING * size.max():
        return np.full_like(differences, np.median(differences))
    return differences


def cleared(value: float | None, *, size: float) -> float | None:
    """The value, exactly 0 where it is rounding of numbers of this size."""
    return 0.0 if value is not None and abs(value) <= ROUNDING * size else value


def mean(values: Float[np.ndarray, "seeds"]) -> float:
    """Arithmetic mean; the same to the last bit in every order of the values."""
    return math.fsum(values) / len(values)


def standard_deviation(values: Float[np.ndarray, "seeds"]) -> float | None:
    """Sample standard deviation (divisor n - 1); None for one value."""
    if len(values) < 2:
        return None
    if np.ptp(values) == 0:
        return 0.0
    centred = values - mean(values)
    scale = np.abs(centred).max()  # squares of very small or large scores stay finite
    return float(
        scale * math.sqrt(math.fsum((centred / scale) ** 2 / (len(values) - 1)))
    )


def t_interval(
    values: Float[np.ndarray, "seeds"],
    *,
    confidence: float,
    test_train_ratio: float | None = None,
) -> tuple[float, float] | None:
    """Student's t interval of the mean; None for one value.

    mean ± t(n-1) · s · sqrt(1/n + r). r is 0 for independent values. For scores over
    random splits of one data set r = n_test/n_train (Nadeau and Bengio 2003, "Inference
    for the generalization error", Machine Learning 52).
    """
    n, deviation = len(values), standard_deviation(values)
    if deviation is None:
        return None
    error = deviation * math.sqrt(1 / n + (test_train_ratio or 0.0))
    half_width = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    return mean(values) - half_width, mean(values) + half_width


def describe(scores: Float64[np.ndarray, "seeds"], *, confidence: float) -> Description:
    """Mean, standard deviation and t interval of one arm's scores.

    Raises ValueError when there is no score or one is not finite.
    """
    if len(scores) == 0 or not np.isfinite(scores).all():
        raise ValueError("describe needs at least one score, and finite ones")
    low, high = t_interval(scores, confidence=confidence) or (None, None)
    deviation = standard_deviation(scores)
    return Description(len(scores), mean(scores), deviation, low, high)


def difference_interval(
    arm: Float[np.ndarray, "seeds"],
    reference: Float[np.ndarray, "seeds"],
    *,
    confidence: float,
    test_train_ratio: float | None = None,
) -> DifferenceInterval:
    """Mean paired difference of an exploratory metric with its t interval.

    Seeds on which either score is not finite (a diverged lane's loss) are left out;
    `n` counts the rest. A mean or an interval that has no value is None.
    """
    kept = np.isfinite(arm) & np.isfinite(reference)
    if not kept.any():
        return DifferenceInterval(0, None, None, None)
    pair = arm[kept].astype(np.float64), reference[kept].astype(np.float64)
    differences = paired_differences(*pair)
    low, high = t_interval(
        differences, confidence=confidence, test_train_ratio=test_train_ratio
    ) or (None, None)
    return DifferenceInterval(len(differences), mean(differences), low, high)


def effect_size_dz(differences: Float64[np.ndarray, "seeds"]) -> float | None:
    """d_z = mean/sd of the paired differences; None where the sd is 0 or undefined.

    Pairing inflates it against Cohen's d of independent groups.
    """
    deviation = standard_deviation(differences)
    return mean(differences) / deviation if deviation else None


def skewness(differences: Float64[np.ndarray, "seeds"]) -> float | None:
    """Adjusted Fisher-Pearson G1 = n/((n-1)(n-2)) · Σ((d - mean)/s)³.

    None below three values and where nothing varies (Joanes and Gill 1998).
    """
    n, deviation = len(differences), standard_deviation(differences)
    if n < 3 or not deviation:
        return None
    cubes = ((differences - mean(differences)) / deviation) ** 3
    return n / ((n - 1) * (n - 2)) * math.fsum(cubes)


def probability_better(
    differences: Float64[np.ndarray, "seeds"], *, higher_is_better: bool
) -> float:
    """Share of seeds on which the arm scores better, ties counting a half."""
    better = differences > 0 if higher_is_better else differences < 0
    return float(np.mean(better) + np.mean(differences == 0) / 2)


def correlation(
    arm: Float64[np.ndarray, "seeds"], reference: Float64[np.ndarray, "seeds"]
) -> float | None:
    """Pearson's r of the arms' scores over the seeds: what pairing bought.

    None below three seeds and where an arm's scores do not vary.
    """
    if len(arm) < 3:
        return None
    standardised = []
    for scores in (arm, reference):
        deviation = standard_deviation(scores)
        if not deviation or deviation <= ROUNDING * np.abs(scores).max():
            return None
        standardised.append((scores - mean(scores)) / deviation)
    r = math.fsum(standardised[0] * standardised[1]) / (len(arm) - 1)
    return max(-1.0, min(1.0, r))
