"""The permutation test of the difference between two independent groups' means."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from scipy import special

_LARGEST_EXACT = 1_000_000  # subsets: all of them up to 11 runs against 11
_MOST_DRAWS = 100_000
_MOST_VALUES = 100_000_000  # bounds the time: above 1000 runs fewer draws are made
_LARGEST_SAMPLED = 10_000  # runs of both groups; 10,000 draws are left there
_VALUES_AT_ONCE = 2_000_000  # bounds the memory
_TIE = 1e-9  # of Σ|x - mean|: equal steps of an accuracy differ by rounding


@dataclass(frozen=True)
class Permutation:
    """Two-sided p, the smallest p the data could have given, and how p was found."""

    p_value: float
    smallest_p: float
    method: str


def permutation_test(
    arm: Float64[np.ndarray, "runs"],
    reference: Float64[np.ndarray, "others"],
    generator: np.random.Generator,
) -> Permutation:
    """Two-sided p of H0: which group a run belongs to makes no difference to its score.

    The share of regroupings of the pooled scores whose means lie at least as far apart
    (Pitman 1937, JRSS Supplement 4). All of them up to a million; above that drawn
    ones, p = (1 + hits)/(1 + draws) (Phipson and Smyth 2010); above 10,000 runs by the
    normal limit.
    """
    pooled = np.concatenate([arm, reference])
    smaller = arm if len(arm) <= len(reference) else reference
    # Scaled before it is centred, so that very large scores stay finite.
    scale = float(np.abs(pooled).max()) or 1.0
    centre = math.fsum(pooled / scale) / len(pooled)
    centred = _oriented(np.sort(pooled / scale - centre))
    size = float(np.abs(centred).sum())
    if size <= 1e-12 * len(pooled):
        return Permutation(1.0, 1.0, "exact permutation")
    # The group's sum from its mean: the other group's is the same with the other sign.
    observed = abs(math.fsum(smaller / scale - centre)) - _TIE * size
    if math.comb(len(pooled), len(smaller)) <= _LARGEST_EXACT:
        return _exact(centred, len(smaller), observed, size)
    if len(pooled) <= _LARGEST_SAMPLED:
        return _sampled(centred, len(smaller), observed, generator)
    return _normal(centred, len(smaller), observed)


def _oriented(ordered: Float64[np.ndarray, "pooled"]) -> Float64[np.ndarray, "pooled"]:
    """The sorted values or their mirror image, the same one for both.

    So the same regroupings are drawn whichever of the arms, or of the directions, is
    named first.
    """
    sums = ordered + ordered[::-1]
    skewed = np.flatnonzero(np.abs(sums) > _TIE * np.abs(ordered).max())
    return -ordered[::-1] if len(skewed) and sums[skewed[0]] < 0 else ordered


def _exact(
    centred: Float64[np.ndarray, "pooled"], size: int, observed: float, total: float
) -> Permutation:
    sums = np.abs(_subset_sums(centred, size))
    smallest = np.mean(sums >= sums.max() - _TIE * total)
    p = float(np.mean(sums >= observed))
    return Permutation(p, float(smallest), "exact permutation")


def _subset_sums(
    values: Float64[np.ndarray, "pooled"], size: int
) -> Float64[np.ndarray, "subsets"]:
    """Sums of all subsets of this size, built up value by value."""
    sums = [np.zeros(1), *(np.empty(0) for _ in range(size))]  # by members so far
    for seen, value in enumerate(values.tolist(), start=1):
        needed = size - (len(values) - seen)  # fewer members cannot be filled up
        for members in range(min(seen, size), 0, -1):
            grown = np.concatenate([sums[members], sums[members - 1] + value])
            sums[members] = grown if members >= needed else np.empty(0)
        if needed > 0:
            sums[0] = np.empty(0)
    return sums[size]


def _sampled(
    centred: Float64[np.ndarray, "pooled"],
    size: int,
    observed: float,
    generator: np.random.Generator,
) -> Permutation:
    n = len(centred)
    draws = min(_MOST_DRAWS, _MOST_VALUES // n)
    at_once = max(1, _VALUES_AT_ONCE // n)
    hits = 0
    for start in range(0, draws, at_once):
        rows = min(at_once, draws - start)
        ranks = np.tile(np.arange(n, dtype=np.int16), (rows, 1))
        chosen = generator.permuted(ranks, axis=1, out=ranks)[:, :size]
        hits += int(np.sum(np.abs(centred[chosen].sum(axis=1)) >= observed))
    smallest = max(1 / math.comb(n, size), 1 / (1 + draws))
    return Permutation(
        (1 + hits) / (1 + draws), smallest, f"permutation, {draws} draws"
    )


def _normal(
    centred: Float64[np.ndarray, "pooled"], size: int, observed: float
) -> Permutation:
    """The group's sum has the variance m(N - m)/N · S² of a sample without return."""
    n = len(centred)
    variance = size * (n - size) / n * math.fsum(centred**2) / (n - 1)
    smallest = float(np.finfo(float).tiny)
    p = 2 * float(special.ndtr(-max(observed, 0.0) / math.sqrt(variance)))
    return Permutation(max(p, smallest), smallest, "normal limit of the permutation")
