"""The BCa bootstrap interval of a mean difference."""

import numpy as np
from jaxtyping import Float64
from scipy import special

from research.statistics.paired import mean

SMALLEST_N = 10  # below it a bootstrap of the mean covers far less than it says
_RESAMPLES = 10_000
_MOST_DRAWS = 50_000_000  # bounds the time: above n = 5000 fewer resamples are drawn
_DRAWS_AT_ONCE = 1_000_000  # bounds the memory
_TIE = 1e-9  # of the largest |d|: means of equal steps differ by rounding


def bca_interval(
    differences: Float64[np.ndarray, "seeds"],
    *,
    confidence: float,
    generator: np.random.Generator,
) -> tuple[float, float] | None:
    """Bias-corrected and accelerated interval of the mean; None below ten values.

    Endpoints are the quantiles Φ(z0 + (z0 + z)/(1 - a(z0 + z))) of the resampled means
    (Efron 1987, "Better bootstrap confidence intervals", JASA 82).
    """
    if len(differences) < SMALLEST_N:
        return None
    centre = mean(differences)
    if np.ptp(differences) == 0:
        return centre, centre
    means = _resampled_means(np.sort(differences), generator)
    rounding = _TIE * np.abs(differences).max()
    tied = np.abs(means - centre) <= rounding
    below = np.mean(~tied & (means < centre)) + np.mean(tied) / 2
    floor = 1 / (len(means) + 1)
    bias = special.ndtri(np.clip(below, floor, 1 - floor))
    centred = (differences - centre) / np.abs(differences - centre).max()
    acceleration = np.sum(centred**3) / (6 * np.sum(centred**2) ** 1.5)
    tail = (1 - confidence) / 2
    shifted = bias + special.ndtri(np.array([tail, 1 - tail]))
    levels = special.ndtr(bias + shifted / (1 - acceleration * shifted))
    low, high = np.quantile(means, levels)
    return float(low), float(high)


def _resampled_means(
    ordered: Float64[np.ndarray, "seeds"], generator: np.random.Generator
) -> Float64[np.ndarray, "resamples"]:
    """Means of resamples, each drawn with its mirror image (antithetic).

    A rank r is drawn together with n-1-r, so that negated differences give exactly
    the negated means: no interval depends on which arm is called the reference.
    """
    n = len(ordered)
    pairs = max(1_000, min(_RESAMPLES, _MOST_DRAWS // n)) // 2
    at_once = max(1, _DRAWS_AT_ONCE // n)
    means = []
    for start in range(0, pairs, at_once):
        size = (min(at_once, pairs - start), n)
        ranks = generator.integers(n, size=size, dtype=np.int32)
        means += [ordered[ranks].mean(axis=1), ordered[n - 1 - ranks].mean(axis=1)]
    return np.concatenate(means)
