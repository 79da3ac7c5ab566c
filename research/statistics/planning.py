"""What a number of seeds can show, before they are trained."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from research.statistics.power import (
    LARGEST_EFFECT,
    SMALLEST_N,
    fewest_seeds,
    paired_t_power,
    seeds_needed,
    smallest_decisive_n,
    std_interval,
)

_NODES, _WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(128))
_LEVELS = _NODES + 0.5


@dataclass(frozen=True, kw_only=True)
class Design:
    """What is fixed before the run.

    compared: arms against the reference; each is held to Holm's strictest level.
    test_train_ratio: n_test/n_train where the seeds redraw the test set too.
    """

    seeds: int
    margin: float
    confidence: float
    compared: int
    power: float
    test_train_ratio: float | None = None

    @property
    def level(self) -> float:
        """The level of each arm's test."""
        return (1 - self.confidence) / self.compared


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """What can be shown where the differences have this sd.

    seeds_needed: to see a difference of one margin; None where no number is enough.
    smallest_difference: that the planned seeds see with the same power; None where they
      see no difference, whatever its size.
    seeds_for_equivalence: to be called equivalent as often where the arms are equal.
    equivalence_probability: of the planned seeds, where the arms are equal.
    """

    std_difference: float
    seeds_needed: int | None
    smallest_difference: float | None
    seeds_for_equivalence: int | None
    equivalence_probability: float


@dataclass(frozen=True, kw_only=True)
class SeedPlan:
    """The prospect at the sd, and at both ends of the sd's own interval.

    pilot_seeds: behind the sd. None: the sd is exact, and the ends are the same.
    """

    pilot_seeds: int | None
    expected: Prospect
    low: Prospect
    high: Prospect


def plan_seeds(
    std_difference: float, design: Design, *, pilot_seeds: int | None = None
) -> SeedPlan:
    """What can be shown of differences with this positive sd."""
    expected = prospect(std_difference, design)
    if pilot_seeds is None:
        return SeedPlan(
            pilot_seeds=None, expected=expected, low=expected, high=expected
        )
    low, high = std_interval(
        std_difference, pilot_seeds - 1, confidence=design.confidence
    )
    return SeedPlan(
        pilot_seeds=pilot_seeds,
        expected=expected,
        low=prospect(low, design),
        high=prospect(high, design),
    )


def prospect(std_difference: float, design: Design) -> Prospect:
    """What can be shown if this is the sd of the differences."""
    effect = smallest_effect_dz(
        design.seeds,
        level=design.level,
        power=design.power,
        test_train_ratio=design.test_train_ratio,
    )
    return Prospect(
        std_difference=std_difference,
        seeds_needed=seeds_needed(
            std_difference,
            margin=design.margin,
            level=design.level,
            power=design.power,
            test_train_ratio=design.test_train_ratio,
        ),
        smallest_difference=None if effect is None else effect * std_difference,
        seeds_for_equivalence=seeds_for_equivalence(
            std_difference,
            margin=design.margin,
            confidence=design.confidence,
            power=design.power,
            test_train_ratio=design.test_train_ratio,
        ),
        equivalence_probability=equivalence_power(
            design.seeds,
            margin_in_std=design.margin / std_difference,
            confidence=design.confidence,
            test_train_ratio=design.test_train_ratio,
        ),
    )


def smallest_effect_dz(
    n: int, *, level: float, power: float, test_train_ratio: float | None = None
) -> float | None:
    """The d_z that n seeds see at `level` with this power; it inverts `paired_t_power`.

    None where n is below the number at which a sign-flip p can reach the level.
    """
    if n < smallest_decisive_n(level):
        return None

    def reached(effect: float) -> bool:
        found = paired_t_power(
            n,
            effect_size_dz=effect,
            level=level,
            test_train_ratio=test_train_ratio or 0.0,
        )
        return found >= power

    short, enough = 0.0, 1.0
    while not reached(enough):
        short, enough = enough, 2 * enough
    while enough - short > 1e-12 * enough:
        middle = (short + enough) / 2
        short, enough = (short, middle) if reached(middle) else (middle, enough)
    return enough


def equivalence_power(
    n: int,
    *,
    margin_in_std: float,
    confidence: float,
    test_train_ratio: float | None = None,
) -> float:
    """Probability that n seeds call two arms equivalent which are equal.

    The interval of confidence 1 - 2a lies inside ± m: |mean| < m - t·s·e with
    e = sqrt(1/n + r), so P = E max(0, 2Φ(m/(σe) - t·S) - 1), S² = χ²(n-1)/(n-1), by
    quadrature over the quantiles of S up to the one that leaves no room (Schuirmann
    1987; Phillips 1990, "Power of the two one-sided tests procedure").
    """
    if n < SMALLEST_N:
        return 0.0
    freedom = n - 1
    effect = min(margin_in_std, LARGEST_EFFECT)
    centre = effect / math.sqrt(1 / n + (test_train_ratio or 0.0))
    critical = float(special.stdtrit(freedom, confidence))
    room = float(special.gammainc(freedom / 2, freedom * (centre / critical) ** 2 / 2))
    spread = np.sqrt(2 * special.gammaincinv(freedom / 2, room * _LEVELS) / freedom)
    inside = 2 * special.ndtr(centre - critical * spread) - 1
    return float(room * np.sum(_WEIGHTS * inside))


def seeds_for_equivalence(
    std_difference: float,
    *,
    margin: float,
    confidence: float,
    power: float,
    test_train_ratio: float | None = None,
) -> int | None:
    """Smallest n whose `equivalence_power` reaches the power; None where none does."""
    effect = min(margin / std_difference, LARGEST_EFFECT)

    def reached(n: int) -> bool:
        found = equivalence_power(
            n,
            margin_in_std=effect,
            confidence=confidence,
            test_train_ratio=test_train_ratio,
        )
        return found >= power

    return fewest_seeds(
        reached,
        SMALLEST_N,
        centre=float(special.ndtri(confidence) + special.ndtri((1 + power) / 2)),
        effect=effect,
        test_train_ratio=test_train_ratio or 0.0,
    )
