"""The scale of luck: how far groups of one arm's own seeds drift apart."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float64

from research.statistics.paired import ROUNDING, standard_deviation

FEWEST_SEEDS = 4  # below it a half is one seed, and there are at most three splits
_PUBLISHED = (1, 3, 5)  # seeds a group that papers use
_MOST_SPLITS = 50_000
_DRAWS = 10_000
_MOST_VALUES = 20_000_000  # bounds the time: halves of over 1000 seeds have fewer draws
_VALUES_AT_ONCE = 1_000_000  # bounds the memory
_MOST_KEPT = 128
_DECIDING = 0.95


@dataclass(frozen=True)
class Drift:
    """How far the means of two disjoint groups of an arm's seeds lie apart.

    `median`, `p90`, `p95` and `largest` are of the distance |mean - mean|, in the
    metric's units; each is a distance that was found, so that at least that share of
    the splits lies within it. `sd` is that of the signed difference. `exact` tells all
    splits from draws of them.
    """

    seeds: int
    splits: int
    exact: bool
    sd: float
    median: float
    p90: float
    p95: float
    largest: float


@dataclass(frozen=True)
class LuckScale:
    """Drift between random halves of an arm's seeds, and between smaller groups.

    `groups` are of 1, 3 and 5 seeds, as far as the seeds reach. `differences` are those
    of the halves, sorted and symmetric: all of them, or 256 quantiles.
    """

    n: int
    halves: Drift
    groups: tuple[Drift, ...]
    differences: tuple[float, ...]


def luck_scale(
    scores: Float64[np.ndarray, "seeds"], *, generator: np.random.Generator
) -> LuckScale | None:
    """How far two groups of one arm's seeds differ by luck; None below four seeds.

    Over all splits where there are at most 50,000, else over seeded draws. Two disjoint
    groups of k differ with the standard deviation s · sqrt(2/k), exactly, so that what
    is drawn from the seeds at hand is what two groups of new seeds would show.
    """
    n = len(scores)
    if n < FEWEST_SEEDS:
        return None
    ordered = np.sort(scores - np.median(scores))
    size = float(np.abs(scores).max())
    sizes = (n // 2, *(k for k in _PUBLISHED if 2 * k <= n))
    found = {k: _distances(ordered, k, size, generator) for k in dict.fromkeys(sizes)}
    halves, *groups = (_drift(ordered, k, found[k]) for k in sizes)
    return LuckScale(n, halves, tuple(groups), _symmetric(found[n // 2]))


def _splits(n: int, k: int) -> int:
    """Number of unordered pairs of disjoint groups of k."""
    return math.comb(n, 2 * k) * math.comb(2 * k - 1, k - 1)


def _distances(
    ordered: Float64[np.ndarray, "seeds"],
    k: int,
    size: float,
    generator: np.random.Generator,
) -> Float64[np.ndarray, "splits"]:
    """Sorted distances of two groups' means, exactly 0 where they are rounding."""
    few = _splits(len(ordered), k) <= _MOST_SPLITS
    distances = _all_of(ordered, k) if few else _drawn(ordered, k, generator)
    return np.sort(np.where(distances <= ROUNDING * size, 0.0, distances))


def _all_of(
    ordered: Float64[np.ndarray, "seeds"], k: int
) -> Float64[np.ndarray, "splits"]:
    """Distances over every pair of groups: each 2k seeds, split in every way."""
    chosen = np.array(list(combinations(range(len(ordered)), 2 * k)))
    # The first seed stays in the first group, or every split would come twice.
    others = np.array(list(combinations(range(1, 2 * k), k - 1)), dtype=np.int64)
    signs = np.full((len(others), 2 * k), -1.0)
    signs[:, 0] = 1.0
    np.put_along_axis(signs, others, 1.0, axis=1)
    return np.abs(ordered[chosen] @ signs.T).ravel() / k


def _drawn(
    ordered: Float64[np.ndarray, "seeds"], k: int, generator: np.random.Generator
) -> Float64[np.ndarray, "splits"]:
    """Distances over shuffles, each cut into as many pairs of groups as it holds.

    Each shuffle of the ranks r is used with its mirror image n-1-r, so that negated
    scores have exactly the same distances.
    """
    n, pairs = len(ordered), len(ordered) // (2 * k)
    draws = max(1_000, min(_DRAWS, _MOST_VALUES // (2 * k))) // 2
    shuffles = math.ceil(draws / pairs)
    at_once = max(1, _VALUES_AT_ONCE // n)
    parts = []
    for start in range(0, shuffles, at_once):
        rows = min(at_once, shuffles - start)
        ranks = generator.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)
        ranks = ranks[:, : 2 * k * pairs].reshape(-1, 2, k)
        for values in (ordered[ranks], ordered[n - 1 - ranks]):
            means = values.mean(axis=2)
            parts.append(np.abs(means[:, 0] - means[:, 1]))
    return np.concatenate(parts)


def _drift(
    ordered: Float64[np.ndarray, "seeds"],
    k: int,
    distances: Float64[np.ndarray, "splits"],
) -> Drift:
    median, p90, p95 = np.quantile(
        distances, [0.5, 0.9, _DECIDING], method="inverted_cdf"
    )
    return Drift(
        seeds=k,
        splits=len(distances),
        exact=_splits(len(ordered), k) <= _MOST_SPLITS,
        sd=(standard_deviation(ordered) or 0.0) * math.sqrt(2 / k),
        median=float(median),
        p90=float(p90),
        p95=float(p95),
        largest=float(distances[-1]),
    )


def _symmetric(distances: Float64[np.ndarray, "splits"]) -> tuple[float, ...]:
    """Signed differences, sorted: which half is the first is nobody's choice."""
    kept = distances
    if len(distances) > _MOST_KEPT:
        levels = (np.arange(_MOST_KEPT) + 0.5) / _MOST_KEPT
        kept = np.quantile(distances, levels, method="inverted_cdf")
    return (*(-kept[::-1]).tolist(), *kept.tolist())
