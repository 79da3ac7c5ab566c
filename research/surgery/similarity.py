"""What a swap leaves of the similarities between sentences, with bootstrap intervals.

The sentence is the unit: sentences are drawn with replacement, the same for every arm, and
an interval's ends are quantiles of what the resamples give (Efron 1979, Annals of
Statistics 7). A pair of a sentence with its own copy is left out of a resample, for it is
similar under any encoder.
"""

import functools
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float64, Int

RESAMPLES = 1_000
SEED = 0


@dataclass(frozen=True)
class Estimate:
    """A number and the ends of its interval; NaN where it is not defined."""

    value: float
    ci_low: float
    ci_high: float


def mean_over_sentences(
    values: Float[np.ndarray, " sentences"] | Bool[np.ndarray, " sentences"],
    *,
    confidence: float,
    weights: Float[np.ndarray, " sentences"] | None = None,
) -> Estimate:
    """Returns the mean, with its interval.

    Args:
      weights: what each sentence counts, such as its tokens; all the same if not given.
    """
    exact = np.asarray(values, np.float64)
    weigh = np.ones_like(exact) if weights is None else np.asarray(weights, np.float64)
    # A resample of sentences that count nothing would have no mean.
    exact, weigh = exact[weigh > 0], weigh[weigh > 0]
    counts = _counts(len(exact))
    means = counts @ (exact * weigh) / (counts @ weigh)
    return _estimate(np.average(exact, weights=weigh), means, confidence)


def cosines(
    one: Float[np.ndarray, "rows width"], other: Float[np.ndarray, "others width"]
) -> Float64[np.ndarray, "rows others"]:
    """Returns the cosine of every row of the one with every row of the other."""
    return _unit(one) @ _unit(other).T


def row_cosines(
    one: Float[np.ndarray, "rows width"], other: Float[np.ndarray, "rows width"]
) -> Float64[np.ndarray, " rows"]:
    """Returns the cosine of each row of the one with the same row of the other."""
    return (_unit(one) * _unit(other)).sum(axis=1)


def nearest(
    similarities: Float64[np.ndarray, "rows rows"],
) -> Int[np.ndarray, " rows"]:
    """Returns the place of each row's most similar other row."""
    others = similarities.copy()
    np.fill_diagonal(others, -np.inf)
    return others.argmax(axis=1)


def mean_similarity(
    similarities: Float64[np.ndarray, "rows rows"], *, confidence: float
) -> Estimate:
    """Returns the mean similarity of different sentences, with its interval."""
    others = similarities.copy()
    np.fill_diagonal(others, 0.0)
    n = len(others)
    counts = _counts(n)
    # Of a resample's n² pairs, those of a sentence with itself or a copy do not count.
    sums = np.sum(counts @ others * counts, axis=1)
    means = sums / (n**2 - np.sum(counts**2, axis=1))
    return _estimate(others.sum() / (n**2 - n), means, confidence)


def spearman_of_pairs(
    before: Float64[np.ndarray, "rows rows"],
    after: Float64[np.ndarray, "rows rows"],
    *,
    confidence: float,
) -> Estimate:
    """Returns Spearman's ρ between the similarities of the same pairs, with its interval.

    C. Spearman 1904; ties have their mean rank, and every resample is ranked anew.
    """
    first, second = np.triu_indices(len(before), k=1)
    groups = [
        np.unique(matrix[first, second], return_inverse=True)[1]
        for matrix in (before, after)
    ]
    rho = weighted_spearman(*groups, weights=np.ones(len(first)))
    resampled = [
        weighted_spearman(*groups, weights=count[first] * count[second])
        for count in _counts(len(before))
    ]
    return _estimate(rho, np.array(resampled), confidence)


def weighted_spearman(
    one: Int[np.ndarray, " pairs"],
    other: Int[np.ndarray, " pairs"],
    *,
    weights: Float64[np.ndarray, " pairs"],
) -> float:
    """Returns Spearman's ρ of values that each count `weights` times; NaN if all tie.

    Args:
      one: the place of each value among the different ones, in their order.
    """
    x, y = (_centred_ranks(each, weights) for each in (one, other))
    # Plain sums: the BLAS wakes its threads for every product this small.
    weighted = weights * x
    scale = np.sqrt(np.sum(weighted * x) * np.sum(weights * y * y))
    return float(np.sum(weighted * y) / scale) if scale else float("nan")


def _centred_ranks(
    group: Int[np.ndarray, " pairs"], weights: Float64[np.ndarray, " pairs"]
) -> Float64[np.ndarray, " pairs"]:
    """Returns midranks, less their weighted mean."""
    held = np.bincount(group, weights)
    return (np.cumsum(held) - held / 2)[group] - weights.sum() / 2


def _unit(rows: Float[np.ndarray, "rows width"]) -> Float64[np.ndarray, "rows width"]:
    exact = np.asarray(rows, np.float64)
    return exact / np.linalg.norm(exact, axis=1, keepdims=True)


@functools.lru_cache(maxsize=2)
def _counts(n: int) -> Float64[np.ndarray, "resamples n"]:
    """Returns how often each resample has each sentence."""
    generator = np.random.default_rng(SEED)
    drawn = generator.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    return drawn.astype(np.float64)


def _estimate(
    value: np.floating | float,
    resampled: Float64[np.ndarray, " resamples"],
    confidence: float,
) -> Estimate:
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Estimate(float(value), float(low), float(high))
