"""Where the noise comes from: the seeds, or the finite test set."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Float64, Int
from scipy import special

from research.statistics.bootstrap import SMALLEST_N
from research.statistics.paired import ROUNDING
from research.statistics.two_way import Table, TwoWay, two_way

Limiting = Literal["seeds", "test set", "both", "neither"]

# A source whose variance is below this share of the other's limits nothing: without it
# the uncertainty would shrink by an eighth.
_MINOR = 1 / 3
_PAIRS = 5_000  # of draws with their mirror images
_MOST_RESAMPLED = 2_000  # the mean of more values is drawn from its normal limit
_VALUES_AT_ONCE = 1_000_000  # bounds the memory


@dataclass(frozen=True)
class Spread:
    """Standard deviation of the mean under one way of drawing anew, and an interval."""

    sd: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True)
class CrossedNoise:
    """The mean over seeds and test examples, and what its uncertainty comes from.

    `from_seeds` speaks of new seeds on these test examples, `from_examples` of these
    seeds on new test examples, `from_both` of new ones of both. The shares are of the
    variance of `from_both`; None where nothing varies. `resampled_sd` is what a plain
    bootstrap of seeds times examples would find: no smaller on average, because it
    counts the interaction three times. `rows` is the number of different test rows,
    above `examples` where the seeds have test sets of their own.
    """

    seeds: int
    examples: int
    rows: int
    mean: float
    from_seeds: Spread
    from_examples: Spread
    from_both: Spread
    seeds_share: float | None
    examples_share: float | None
    interaction_share: float | None
    resampled_sd: float
    limiting: Limiting


def crossed_noise(
    arm: Float[np.ndarray, "seeds examples"] | Bool[np.ndarray, "seeds examples"],
    reference: Float[np.ndarray, "seeds examples"]
    | Bool[np.ndarray, "seeds examples"]
    | None = None,
    *,
    confidence: float,
    generator: np.random.Generator,
    rows: Int[np.ndarray, "seeds examples"] | None = None,
) -> CrossedNoise | None:
    """Tell seeds and test examples apart in arm minus reference, or in one arm's score.

    `rows` are the places in the data set of the examples, where every seed has its own
    test set; a seed has a row once. With few seeds that share few rows `from_seeds` is
    poorly known (84 % coverage at 5 seeds of 50 rows in 500, 91 % at 16 in 150).

    The standard deviations are the moments' (see `two_way`). The intervals are
    percentiles of a bootstrap of the seeds' and of the rows' means, scaled to these and
    widened by t/z at the degrees of freedom of Satterthwaite (1946), as Hesterberg
    (2015, "What teachers should know about the bootstrap", American Statistician 69)
    advises. The interaction is drawn once, from its normal limit.

    None below two seeds or two examples. Raises ValueError for values not finite.
    """
    none = np.zeros((), bool)
    values = np.subtract(
        arm, none if reference is None else reference, dtype=np.float64
    )
    if not np.isfinite(values).all():
        raise ValueError("the scores of single test examples must be finite")
    if min(values.shape) < 2:
        return None
    centre = math.fsum(values.mean(axis=1)) / len(values)
    size = float(max(values.max(), -values.min()))
    values -= centre
    table = _table(values, size, rows)
    found = two_way(table)
    seeds, examples, both = _spreads(centre, table, found, confidence, generator)
    return CrossedNoise(
        *values.shape,
        rows=len(table.uses),
        mean=centre,
        from_seeds=seeds,
        from_examples=examples,
        from_both=both,
        seeds_share=_share(found.row_part, found.both),
        examples_share=_share(found.column_part, found.both),
        interaction_share=_share(found.interaction, found.both),
        resampled_sd=math.sqrt(found.resampled),
        limiting=_limiting(found),
    )


def _table(
    centred: Float64[np.ndarray, "seeds examples"],
    size: float,
    rows: Int[np.ndarray, "seeds examples"] | None,
) -> Table:
    """The cells, set to 0 where they are rounding, and their rows counted from 0."""
    seeds, examples = centred.shape
    centred[np.abs(centred) <= ROUNDING * size] = 0.0
    if rows is None:
        return Table(centred, None, np.full(examples, seeds))
    uses = np.bincount(rows.ravel())
    places = np.cumsum(uses > 0) - 1
    return Table(centred, places[rows], uses[uses > 0])


def _spreads(
    centre: float,
    table: Table,
    found: TwoWay,
    confidence: float,
    generator: np.random.Generator,
) -> tuple[Spread, Spread, Spread]:
    """The mean's spread from seeds, from examples and from both."""
    columns = table.column_sums * (len(table.uses) / table.cells.size)
    # A stream each: a source that does not vary draws nothing, and shifts no other.
    of_seeds, of_rows, of_cells = generator.spawn(3)
    by_seed = _standard_draws(table.row_means, of_seeds)
    by_row = _standard_draws(columns, of_rows)
    normal = of_cells.standard_normal(_PAIRS)
    by_cell = np.concatenate([normal, -normal])
    both = (
        math.sqrt(found.row_part) * by_seed
        + math.sqrt(found.column_part) * by_row
        + math.sqrt(found.interaction) * by_cell
    )
    freedom = len(table.cells) - 1.0, len(table.uses) - 1.0
    drawn = (
        (math.sqrt(found.rows) * by_seed, found.rows, freedom[0]),
        (math.sqrt(found.columns) * by_row, found.columns, freedom[1]),
        (both, found.both, _satterthwaite(found, *freedom)),
    )
    seeds, examples, crossed = (
        _spread(centre, draws, variance, degrees, confidence)
        for draws, variance, degrees in drawn
    )
    return seeds, examples, crossed


def _standard_draws(
    effects: Float64[np.ndarray, "effects"], generator: np.random.Generator
) -> Float64[np.ndarray, "draws"]:
    """Means of resampled effects in units of their standard deviation.

    The second half mirrors the first: a rank r is drawn together with n-1-r, so that
    the arms exchanged give the mirrored interval. Few effects are too coarse to be
    resampled and many need not be: both are drawn normal.
    """
    ordered, n = np.sort(effects - effects.mean()), len(effects)
    deviation = float(ordered.std())
    if deviation == 0:
        return np.zeros(2 * _PAIRS)
    if not SMALLEST_N <= n <= _MOST_RESAMPLED:
        normal = generator.standard_normal(_PAIRS)
        return np.concatenate([normal, -normal])
    at_once = max(1, _VALUES_AT_ONCE // n)
    drawn, mirrored = [], []
    for start in range(0, _PAIRS, at_once):
        ranks = generator.integers(n, size=(min(at_once, _PAIRS - start), n))
        drawn.append(ordered[ranks].mean(axis=1))
        mirrored.append(ordered[n - 1 - ranks].mean(axis=1))
    return np.concatenate([*drawn, *mirrored]) * (math.sqrt(n) / deviation)


def _satterthwaite(found: TwoWay, of_seeds: float, of_rows: float) -> float:
    """Degrees of freedom of a sum of variances, (ΣV)²/Σ(V²/df) (1946)."""
    terms = (
        (found.rows, of_seeds),
        (found.columns, of_rows),
        (found.interaction, of_seeds * of_rows),
    )
    spread = sum(variance**2 / degrees for variance, degrees in terms)
    least = min(of_seeds, of_rows)
    return max(least, found.both**2 / spread) if spread else least


def _spread(
    centre: float,
    draws: Float64[np.ndarray, "draws"],
    variance: float,
    degrees: float,
    confidence: float,
) -> Spread:
    tail = (1 - confidence) / 2
    widening = special.stdtrit(degrees, tail) / special.ndtri(tail)
    low, high = np.quantile(draws, [tail, 1 - tail]) * widening
    return Spread(math.sqrt(variance), centre + float(low), centre + float(high))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _limiting(found: TwoWay) -> Limiting:
    if found.both == 0:
        return "neither"
    minor = _MINOR * (1 - ROUNDING)  # a third written in two ways is the same third
    if found.rows < minor * found.columns:
        return "test set"
    return "seeds" if found.columns < minor * found.rows else "both"
