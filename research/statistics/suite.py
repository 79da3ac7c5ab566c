"""Several tasks as one suite: ranks, Friedman's test, and interquartile means."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from scipy import special

from research.statistics.multiplicity import holm
from research.statistics.paired import ROUNDING

FEWEST_TASKS = 3  # ranks over fewer tasks are not tested
_MOST_PATTERNS = 100_000
_MOST_VALUES = 50_000_000  # bounds the time of the bootstrap
_TIE = 1e-9  # relative: sums of squares of ranks are sums of quarters


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that no arm ranks differently, over tasks.

    `statistic` is χ² with k - 1 degrees of freedom, `f_statistic` Iman and Davenport's F
    (None where all tasks agree, which makes it infinite). `p_permutation` permutes the
    ranks within the tasks.
    """

    statistic: float
    p_value: float
    f_statistic: float | None
    f_degrees: tuple[int, int]
    f_p_value: float | None
    p_permutation: float
    permutation_method: str


@dataclass(frozen=True)
class Against:
    """An arm's average rank against the reference's (below 0: better), z and Holm."""

    arm: str
    rank_difference: float
    z: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True)
class Iqm:
    """An arm's interquartile mean and its difference to the reference, with intervals."""

    arm: str
    iqm: float
    ci_low: float
    ci_high: float
    difference: float | None
    difference_low: float | None
    difference_high: float | None


def task_ranks(
    means: Float64[np.ndarray, "tasks arms"], *, higher_is_better: Sequence[bool]
) -> Float64[np.ndarray, "tasks arms"]:
    """Ranks of the arms within each task, 1 the best; ties share their mean rank."""
    signs = np.where(higher_is_better, -1.0, 1.0)[:, None]
    return np.stack([_ranks(row) for row in signs * means])


def _ranks(values: Float64[np.ndarray, "arms"]) -> Float64[np.ndarray, "arms"]:
    """Midranks; values that differ by rounding alone are tied."""
    order = np.argsort(values)
    apart = np.diff(values[order]) > ROUNDING * np.abs(values).max()
    group = np.concatenate([[0], np.cumsum(apart)])
    last = np.cumsum(np.bincount(group))
    ranks = np.empty(len(values))
    ranks[order] = ((np.concatenate([[0], last[:-1]]) + 1 + last) / 2)[group]
    return ranks


def friedman(
    ranks: Float64[np.ndarray, "tasks arms"], generator: np.random.Generator
) -> Friedman | None:
    """Friedman's test with ties, Iman and Davenport's F, and the permutation p.

    χ² = (k-1)·Σ(R_j - N(k+1)/2)²/(Σr² - Nk(k+1)²/4); F = (N-1)χ²/(N(k-1) - χ²) with
    k-1 and (k-1)(N-1) degrees of freedom (Friedman 1937; Iman and Davenport 1980,
    Communications in Statistics A9; Demšar 2006, JMLR 7). None below three tasks.
    """
    tasks, arms = ranks.shape
    if tasks < FEWEST_TASKS:
        return None
    centred = ranks - (arms + 1) / 2
    spread, between = np.sum(centred**2), np.sum(centred.sum(axis=0) ** 2)
    statistic = float((arms - 1) * between / spread) if spread else 0.0
    degrees = (arms - 1, (arms - 1) * (tasks - 1))
    left = tasks * (arms - 1) - statistic
    agree = left <= _TIE * tasks * (arms - 1)
    f = None if agree else (tasks - 1) * statistic / left
    p, method = _permutation_p(centred, float(between), generator)
    return Friedman(
        statistic=statistic,
        p_value=float(special.chdtrc(arms - 1, statistic)),
        f_statistic=f,
        f_degrees=degrees,
        f_p_value=None if f is None else float(special.fdtrc(*degrees, f)),
        p_permutation=p,
        permutation_method=method,
    )


def _permutation_p(
    centred: Float64[np.ndarray, "tasks arms"],
    between: float,
    generator: np.random.Generator,
) -> tuple[float, str]:
    """Share of arrangements of the ranks within tasks that spread the sums as much."""
    tasks, arms = centred.shape
    bound = between * (1 - _TIE) - _TIE
    # The first task may stay: exchanging the arms everywhere changes nothing.
    if math.factorial(arms) ** (tasks - 1) <= _MOST_PATTERNS:
        sums = centred[:1]
        for row in centred[1:]:
            arranged = np.array(list(itertools.permutations(row)))
            sums = (sums[:, None] + arranged[None]).reshape(-1, arms)
        return float(np.mean(np.sum(sums**2, axis=1) >= bound)), "exact"
    sums = np.zeros((_MOST_PATTERNS, arms))
    for row in centred:
        # Sorted, so that the arms' order changes nothing.
        sums += generator.permuted(np.tile(np.sort(row), (_MOST_PATTERNS, 1)), axis=1)
    hits = int(np.sum(np.sum(sums**2, axis=1) >= bound))
    return (1 + hits) / (1 + _MOST_PATTERNS), f"{_MOST_PATTERNS} draws"


def against_reference(
    ranks: Float64[np.ndarray, "tasks arms"], arms: Sequence[str], *, reference: str
) -> tuple[Against, ...]:
    """Each arm's average rank against the reference's, Holm-adjusted.

    z = (R_i - R_ref)/sqrt(k(k+1)/(6N)), a standard normal (Demšar 2006). Empty below
    three tasks.
    """
    tasks, count = ranks.shape
    if tasks < FEWEST_TASKS:
        return ()
    averages = dict(zip(arms, ranks.mean(axis=0).tolist(), strict=True))
    error = math.sqrt(count * (count + 1) / (6 * tasks))
    names = [arm for arm in arms if arm != reference]
    differences = [averages[arm] - averages[reference] for arm in names]
    p_values = [2 * float(special.ndtr(-abs(d) / error)) for d in differences]
    return tuple(
        Against(arm, d, d / error, p, p_adjusted)
        for arm, d, p, p_adjusted in zip(
            names, differences, p_values, holm(p_values), strict=True
        )
    )


def interquartile_mean(
    scores: Float64[np.ndarray, "*draws scores"],
) -> Float64[np.ndarray, "*draws"] | np.float64:
    """Mean of the middle half: a quarter of the scores is left out at each end."""
    cut = scores.shape[-1] // 4
    ordered = np.sort(scores, axis=-1)
    return ordered[..., cut : scores.shape[-1] - cut].mean(axis=-1)


def iqm_intervals(
    tasks: Sequence[Mapping[str, Float64[np.ndarray, "seeds"]]],
    *,
    reference: str,
    confidence: float,
    generator: np.random.Generator,
) -> tuple[Iqm, ...]:
    """Each arm's interquartile mean over tasks and seeds, by a stratified bootstrap.

    Seeds are drawn with replacement within each task, the same for every arm, which
    keeps them paired; intervals are the percentiles (Agarwal et al. 2021, arXiv
    2108.13264). The scores of each task are in the order of the same seeds.
    """
    places = _resamples([len(task[reference]) for task in tasks], generator)
    pooled = {arm: np.concatenate([task[arm] for task in tasks]) for arm in tasks[0]}
    drawn = {arm: interquartile_mean(scores[places]) for arm, scores in pooled.items()}
    points = {arm: float(interquartile_mean(scores)) for arm, scores in pooled.items()}
    levels = [(1 - confidence) / 2, (1 + confidence) / 2]
    found = []
    for arm, point in points.items():
        low, high = np.quantile(drawn[arm], levels).tolist()
        difference = ends = None
        if arm != reference:
            difference = point - points[reference]
            ends = np.quantile(drawn[arm] - drawn[reference], levels).tolist()
        found.append(Iqm(arm, point, low, high, difference, *(ends or (None, None))))
    return tuple(found)


def _resamples(counts: Sequence[int], generator: np.random.Generator) -> np.ndarray:
    """Places [resamples, scores] in the pooled scores, drawn within each task."""
    draws = max(1_000, min(10_000, _MOST_VALUES // (10 * sum(counts))))
    starts = np.cumsum([0, *counts[:-1]])
    return np.concatenate(
        [
            start + generator.integers(count, size=(draws, count), dtype=np.int32)
            for start, count in zip(starts, counts, strict=True)
        ],
        axis=1,
    )
