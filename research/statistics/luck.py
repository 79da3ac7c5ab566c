"""What fewer seeds would have named: one, three, or a list of numbers of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from jaxtyping import Float64, Int

from research.statistics.paired import ROUNDING

_MOST_SUBSETS = 50_000  # all triples of up to 67 seeds
_DRAWS = 10_000
_MOST_VALUES = 20_000_000  # bounds the time: above n = 2000 fewer draws are made
_VALUES_AT_ONCE = 1_000_000  # bounds the memory
_TIE = 1e-9


@dataclass(frozen=True)
class Shares:
    """Share of draws that would name the arm, the reference, or neither (a tie)."""

    arm: float
    reference: float
    neither: float


@dataclass(frozen=True)
class FalseWinners:
    """`Shares` against the number of seeds; the four tuples run in parallel."""

    seeds: tuple[int, ...]
    arm: tuple[float, ...]
    reference: tuple[float, ...]
    neither: tuple[float, ...]


def seed_counts(n: int) -> tuple[int, ...]:
    """1, 2, 3, 5, 8, … up to half of n: larger draws are mostly the same seeds."""
    counts, following = [1], 2
    while following <= n // 2:
        counts, following = [*counts, following], counts[-1] + following
    return tuple(counts)


def one_seed(
    differences: Float64[np.ndarray, "seeds"], *, higher_is_better: bool
) -> Shares:
    """Share of seeds that alone would have named the arm, the reference, neither."""
    return _shares(np.sign(differences), higher_is_better)


def three_seeds(
    differences: Float64[np.ndarray, "seeds"],
    *,
    higher_is_better: bool,
    generator: np.random.Generator,
) -> Shares | None:
    """The same for the mean of three seeds, over all triples or draws of them.

    None below three seeds.
    """
    if len(differences) < 3:
        return None
    curve = false_winners(
        differences, [3], higher_is_better=higher_is_better, generator=generator
    )
    return Shares(curve.arm[0], curve.reference[0], curve.neither[0])


def false_winners(
    differences: Float64[np.ndarray, "seeds"],
    seeds: Sequence[int],
    *,
    higher_is_better: bool,
    generator: np.random.Generator,
) -> FalseWinners:
    """Whom the mean difference of k seeds drawn without replacement would name.

    Over all subsets of size k where there are at most 50,000, else over seeded draws.
    Raises ValueError for a k outside 1 … n.
    """
    n = len(differences)
    if not all(1 <= k <= n for k in seeds):
        raise ValueError(f"numbers of seeds must lie in 1 … {n}, not {list(seeds)}")
    ordered = np.sort(differences)
    drawn = [k for k in seeds if math.comb(n, k) > _MOST_SUBSETS]
    signs = _drawn_signs(ordered, drawn, generator) if drawn else {}
    for k in set(seeds) - set(drawn):
        signs[k] = _subset_signs(ordered[_subsets(n, k)])
    return _curve(seeds, [_shares(signs[k], higher_is_better) for k in seeds])


def _curve(seeds: Sequence[int], shares: Sequence[Shares]) -> FalseWinners:
    return FalseWinners(
        tuple(seeds),
        tuple(share.arm for share in shares),
        tuple(share.reference for share in shares),
        tuple(share.neither for share in shares),
    )


def at(curve: FalseWinners, seeds: int) -> Shares:
    """The shares at one of the curve's numbers of seeds."""
    place = curve.seeds.index(seeds)
    return Shares(curve.arm[place], curve.reference[place], curve.neither[place])


def only(curve: FalseWinners, seeds: Sequence[int]) -> FalseWinners:
    """The curve at some of its numbers of seeds."""
    return _curve(seeds, [at(curve, k) for k in seeds])


def one_run_of_each(
    arm: Float64[np.ndarray, "runs"],
    reference: Float64[np.ndarray, "others"],
    *,
    higher_is_better: bool,
) -> Shares:
    """Share of all pairs of one run of each arm that would name either, or neither.

    The arm's share, ties counting a half, is Mann and Whitney's U/(n₁n₂) (1947, Annals
    of Mathematical Statistics 18).
    """
    ordered = np.sort(reference)
    below = int(np.searchsorted(ordered, arm, side="left").sum())
    above = len(arm) * len(ordered) - int(
        np.searchsorted(ordered, arm, side="right").sum()
    )
    total = len(arm) * len(ordered)
    named = (below, above) if higher_is_better else (above, below)
    return Shares(named[0] / total, named[1] / total, (total - below - above) / total)


def unpaired_false_winners(
    arm: Float64[np.ndarray, "runs"],
    reference: Float64[np.ndarray, "others"],
    seeds: Sequence[int],
    *,
    higher_is_better: bool,
    generator: np.random.Generator,
) -> FalseWinners:
    """Whom the means of k runs of each arm, drawn with replacement, would name.

    For k = 1 over all pairs. Each draw is used with its mirror image and with the arms'
    parts in it exchanged, so that naming the arms, or the good direction, the other way
    round mirrors every share.
    """
    size = ROUNDING * max(np.abs(arm).max(), np.abs(reference).max())
    shares = []
    differences = _drawn_differences(np.sort(arm), np.sort(reference), seeds, generator)
    for k, drawn in zip(seeds, differences, strict=True):
        signs = np.where(np.abs(drawn) <= k * size, 0.0, np.sign(drawn))
        shares.append(_shares(signs, higher_is_better))
    if 1 in seeds:
        one = one_run_of_each(arm, reference, higher_is_better=higher_is_better)
        shares[seeds.index(1)] = one
    return _curve(seeds, shares)


def _drawn_differences(
    arm: Float64[np.ndarray, "runs"],
    reference: Float64[np.ndarray, "others"],
    seeds: Sequence[int],
    generator: np.random.Generator,
) -> Float64[np.ndarray, "counts draws"]:
    """Differences of the sums of the first k of drawn runs of each arm, sorted before."""
    most, columns = max(seeds), np.array(seeds) - 1
    draws = max(1_000, min(_DRAWS, _MOST_VALUES // most)) // 4
    at_once = max(1, _VALUES_AT_ONCE // most)
    parts = []
    for start in range(0, draws, at_once):
        places = generator.random((2, min(at_once, draws - start), most))
        for mine, theirs in (places, places[::-1]):
            ranks = (mine * len(arm)).astype(np.int64)
            others = (theirs * len(reference)).astype(np.int64)
            for a, b in ((arm, reference), (arm[::-1], reference[::-1])):
                sums = np.cumsum(a[ranks] - b[others], axis=1)
                parts.append(sums[:, columns])
    return np.concatenate(parts).T


def _shares(signs: Float64[np.ndarray, "draws"], higher_is_better: bool) -> Shares:
    """Shares of positive, negative and zero signs, in the good direction."""
    above, below = int(np.sum(signs > 0)), int(np.sum(signs < 0))
    named = (above, below) if higher_is_better else (below, above)
    neither = len(signs) - above - below
    return Shares(named[0] / len(signs), named[1] / len(signs), neither / len(signs))


def _subsets(n: int, k: int) -> Int[np.ndarray, "subsets k"]:
    """All index subsets of size k."""
    flat = chain.from_iterable(combinations(range(n), k))
    return np.fromiter(flat, dtype=np.int64, count=k * math.comb(n, k)).reshape(-1, k)


def _signs(
    sums: Float64[np.ndarray, "*draws"], sizes: Float64[np.ndarray, "*draws"]
) -> Float64[np.ndarray, "*draws"]:
    """Signs of sums, those within rounding of zero (against Σ|d|) being ties."""
    return np.where(np.abs(sums) <= _TIE * sizes, 0.0, np.sign(sums))


def _subset_signs(
    values: Float64[np.ndarray, "subsets k"],
) -> Float64[np.ndarray, "subsets"]:
    """Sign of each subset's sum."""
    return _signs(values.sum(axis=1), np.abs(values).sum(axis=1))


def _drawn_signs(
    ordered: Float64[np.ndarray, "seeds"],
    seeds: Sequence[int],
    generator: np.random.Generator,
) -> dict[int, Float64[np.ndarray, "draws"]]:
    """Signs of the sums of the first k of shuffled seeds, for every k at once.

    Each shuffle of the ranks r is used with its mirror image n-1-r, so that naming
    the arms the other way round mirrors every share exactly.
    """
    n, columns = len(ordered), np.array(seeds) - 1
    pairs = max(1_000, min(_DRAWS, _MOST_VALUES // n)) // 2
    at_once = max(1, _VALUES_AT_ONCE // n)
    parts = []
    for start in range(0, pairs, at_once):
        rows = min(at_once, pairs - start)
        ranks = generator.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)
        ranks = ranks[:, : max(seeds)]
        for values in (ordered[ranks], ordered[n - 1 - ranks]):
            sums = np.cumsum(values, axis=1)[:, columns]
            parts.append(_signs(sums, np.cumsum(np.abs(values), axis=1)[:, columns]))
    return dict(zip(seeds, np.concatenate(parts).T, strict=True))
