"""Rank statistics of paired differences: Hodges-Lehmann and Wilcoxon."""

import math

import numpy as np
from jaxtyping import Float64, Int
from scipy import special

LARGEST_N = 5_000  # there are n(n+1)/2 Walsh averages
_LARGEST_EXACT = 500
_TIE = 1e-9  # of the largest |d|: equal steps of an accuracy differ by rounding


def hodges_lehmann(differences: Float64[np.ndarray, "seeds"]) -> float | None:
    """Median of the Walsh averages (d_i + d_j)/2, i <= j; None above n = 5000.

    Source: Hodges and Lehmann 1963, Annals of Mathematical Statistics 34.
    """
    n = len(differences)
    if n > LARGEST_N:
        return None
    averages = np.empty(n * (n + 1) // 2)
    start = 0
    for i, difference in enumerate(differences):
        averages[start : start + n - i] = difference / 2 + differences[i:] / 2
        start += n - i
    return float(np.median(averages))


def median_of_differences(
    arm: Float64[np.ndarray, "runs"], reference: Float64[np.ndarray, "others"]
) -> float | None:
    """Hodges and Lehmann's shift of two groups: the median of all x_i - y_j.

    None where there are more differences than 5000 paired seeds have Walsh averages.
    """
    if len(arm) * len(reference) > LARGEST_N * (LARGEST_N + 1) // 2:
        return None
    return float(np.median(arm[:, None] / 2 - reference[None, :] / 2)) * 2


def wilcoxon_p(differences: Float64[np.ndarray, "seeds"]) -> float | None:
    """Two-sided p of Wilcoxon's signed-rank test, midranks, zeros dropped.

    Exact up to 500 non-zero differences, above that by the normal limit with the
    variance of the midranks; None above n = 5000.
    Source: Wilcoxon 1945, Biometrics Bulletin 1.
    """
    if len(differences) > LARGEST_N:
        return None
    nonzero = differences[differences != 0]
    if len(nonzero) == 0:
        return 1.0
    ranks = _doubled_midranks(np.abs(nonzero))
    positive = int(ranks[nonzero > 0].sum())
    if len(nonzero) <= _LARGEST_EXACT:
        return _exact_p(ranks, positive)
    z = (positive - ranks.sum() / 2) / (math.sqrt(np.sum(ranks.astype(float) ** 2)) / 2)
    smallest = max(2.0 ** (1 - len(nonzero)), np.finfo(float).tiny)
    return max(float(2 * special.ndtr(-abs(z))), float(smallest))


def _doubled_midranks(
    sizes: Float64[np.ndarray, "nonzero"],
) -> Int[np.ndarray, "nonzero"]:
    """Twice the midranks (whole numbers), values closer than rounding being tied."""
    order = np.argsort(sizes)
    apart = np.diff(sizes[order]) > _TIE * sizes.max()
    group = np.concatenate([[0], np.cumsum(apart)])
    last = np.cumsum(np.bincount(group))  # 1-based rank of each group's last member
    first = np.concatenate([[0], last[:-1]]) + 1
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[order] = (first + last)[group]
    return ranks


def _exact_p(ranks: Int[np.ndarray, "nonzero"], positive: int) -> float:
    """Two-sided p from the distribution of the positive rank sum over all signs."""
    distribution = np.zeros(int(ranks.sum()) + 1)
    distribution[0] = 1.0
    reached = 0
    for rank in ranks.tolist():
        half = distribution[: reached + 1] / 2
        distribution[: reached + 1] = half
        distribution[rank : rank + reached + 1] += half
        reached += rank
    tail = min(distribution[: positive + 1].sum(), distribution[positive:].sum())
    return min(1.0, 2 * float(tail))
