"""What each source of randomness adds to the variance over seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from scipy import special

from research.statistics.paired import ROUNDING
from research.statistics.two_way import Table, two_way


@dataclass(frozen=True)
class Component:
    """A variance, in the metric's units squared, its interval and share of the total.

    `share` is None where the total is 0.
    """

    variance: float
    ci_low: float
    ci_high: float
    share: float | None


@dataclass(frozen=True)
class Components:
    """What the sources add one at a time, what all do together, and the difference.

    `interaction` is the total minus the sources' sum. Below 0 what one source adds
    depends on the others, and is counted with each of them; above 0 something varied
    only when all did.
    """

    backgrounds: int
    seeds: int
    seeds_together: int
    sources: dict[str, Component]
    total: Component
    interaction: Component


@dataclass(frozen=True)
class _Estimate:
    variance: float
    low: float
    high: float


def variance_components(
    sources: Mapping[str, Float64[np.ndarray, "backgrounds seeds"]],
    together: Float64[np.ndarray, "seeds_together"],
    *,
    confidence: float,
) -> Components:
    """Split the variance over seeds by source: of scores, or of paired differences.

    `sources[name][b]` are runs in which only that source varies while the others are
    held as background b says; in `together` all vary. A source's variance is the mean
    over backgrounds of the variance within: E Var(y | the others), Homma and Saltelli's
    total effect (1996). Its interval is chi-square with 2V²/Var(V) degrees of freedom,
    Var(V) from the squares crossed by background and seed, so that it holds where the
    same seeds serve every background and where tails are long. The interval of
    `interaction` joins the others' (Zou and Donner 2008, Statistics in Medicine 27).

    Raises ValueError for fewer than two backgrounds or seeds, and values not finite.
    """
    _check(sources, together)
    tables = list(sources.values())
    each = {name: _within(table, confidence) for name, table in sources.items()}
    total = _within(together[None, :], confidence)
    left = _remainder(total, list(each.values()))
    return Components(
        backgrounds=len(tables[0]),
        seeds=tables[0].shape[1],
        seeds_together=len(together),
        sources={name: _component(found, total) for name, found in each.items()},
        total=_component(total, total),
        interaction=_component(left, total),
    )


def _check(
    sources: Mapping[str, Float64[np.ndarray, "..."]],
    together: Float64[np.ndarray, "..."],
) -> None:
    if not sources or len({table.shape for table in sources.values()}) > 1:
        raise ValueError("every source needs the same backgrounds and seeds")
    for name, table in {**sources, "all together": together[None, :]}.items():
        backgrounds = len(table) if name in sources else 2
        if backgrounds < 2 or table.shape[1] < 2:
            raise ValueError(f"{name!r} needs two or more backgrounds and seeds")
        if not np.isfinite(table).all():
            raise ValueError(f"{name!r} has scores that are not finite")


def _within(
    scores: Float64[np.ndarray, "backgrounds seeds"], confidence: float
) -> _Estimate:
    """Mean variance within backgrounds and its chi-square interval."""
    n = scores.shape[1]
    centred = scores - scores.mean(axis=1, keepdims=True)
    centred[np.abs(centred) <= ROUNDING * np.abs(scores).max()] = 0.0
    squares = centred**2 * (n / (n - 1))
    variance = float(squares.mean())
    if variance == 0:
        return _Estimate(0.0, 0.0, 0.0)
    least = 2 / _normal_freedom(centred, variance)
    spread = _relative_variance(squares / variance - 1, least, confidence)
    freedom = max(1.0, 2 / spread)  # one squared normal's, the least there is
    tail = (1 - confidence) / 2
    low, high = (
        variance * freedom / float(special.chdtri(freedom, level))
        for level in (tail, 1 - tail)
    )
    return _Estimate(variance, low, high)


def _normal_freedom(
    centred: Float64[np.ndarray, "backgrounds seeds"], variance: float
) -> float:
    """Degrees of freedom of the mean variance of normal scores.

    B(n - 1)/(1 + (B - 1)r²), r being the mean correlation between backgrounds: where
    each has the same seeds, B backgrounds say little more of them than one does.
    """
    backgrounds, n = centred.shape
    most = backgrounds * (n - 1.0)
    if backgrounds == 1:
        return most
    shared = backgrounds * float(centred.mean(axis=0).var(ddof=1)) / variance
    correlation = max(0.0, (shared - 1) / (backgrounds - 1))
    return most / (1 + (backgrounds - 1) * correlation**2)


def _relative_variance(
    deviations: Float64[np.ndarray, "backgrounds seeds"],
    least: float,
    confidence: float,
) -> float:
    """Var(V)/V² from the squares' deviations from V, in units of V.

    Never below what normal scores have: few squares understate their own spread. What
    the backgrounds add is known from few of them, and widened as t is against z.
    """
    backgrounds, n = deviations.shape
    if backgrounds == 1:
        return max(least, float(np.sum(deviations**2)) / (n * (n - 1)))
    columns = np.tile(np.arange(n), (backgrounds, 1))
    found = two_way(Table(deviations, columns, np.full(n, backgrounds)))
    level = (1 + confidence) / 2
    widening = special.stdtrit(backgrounds - 1, level) / special.ndtri(level)
    held = max(least, found.column_part + found.interaction)
    return held + found.row_part * float(widening) ** 2


def _remainder(total: _Estimate, sources: Sequence[_Estimate]) -> _Estimate:
    """total - Σ sources; half widths join as the roots of sums of squares."""
    variance = total.variance - math.fsum(each.variance for each in sources)
    below = [total.variance - total.low, *(e.high - e.variance for e in sources)]
    above = [total.high - total.variance, *(e.variance - e.low for e in sources)]
    return _Estimate(
        variance, variance - math.hypot(*below), variance + math.hypot(*above)
    )


def _component(found: _Estimate, total: _Estimate) -> Component:
    share = found.variance / total.variance if total.variance else None
    return Component(found.variance, found.low, found.high, share)
