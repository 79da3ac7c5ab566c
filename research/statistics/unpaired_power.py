"""How many unpaired runs of each arm would show a difference."""

import math

from scipy import special

from research.statistics.power import (
    LARGEST,
    LARGEST_EFFECT,
    LARGEST_EXACT,
    POWER,
    SMALLEST_N,
    smallest_reaching,
    std_interval,
    t_power,
)


def two_sample_t_power(
    n_arm: int, n_reference: int, *, effect_size_d: float, level: float
) -> float:
    """Power of Student's two-sided t test of two groups with one common variance.

    Noncentral t with n₁ + n₂ - 2 degrees of freedom about d·sqrt(n₁n₂/(n₁ + n₂)).
    """
    n = n_arm + n_reference
    effect = max(-LARGEST_EFFECT, min(effect_size_d, LARGEST_EFFECT))
    centre = effect * math.sqrt(n_arm * (n_reference / n))
    return t_power(n - 2, centre=centre, level=level)


def runs_needed(effect_size_d: float, *, level: float, least: int = 2) -> int | None:
    """Smallest number of runs of each arm with 80 % power to see d at `level`.

    None for d = 0 and where not even 1e15 runs would be enough.
    """
    effect = min(abs(effect_size_d), LARGEST_EFFECT)
    quantiles = special.ndtri(1 - level / 2) + special.ndtri(POWER)
    reciprocal = (effect / quantiles) ** 2 / 2  # 1/n of the normal limit
    if reciprocal < 1 / LARGEST:
        return None
    enough = math.ceil(1 / reciprocal)
    if enough > LARGEST_EXACT:
        return enough

    def reached(n: int) -> bool:
        return two_sample_t_power(n, n, effect_size_d=effect, level=level) >= POWER

    return smallest_reaching(reached, least, enough)


def runs_needed_for_margin(
    pooled_std: float, freedom: int, *, margin: float, level: float, confidence: float
) -> tuple[int | None, tuple[int, int] | None]:
    """Runs of each arm that would show one margin, and the range for the sd's interval.

    Never below the n at which the smallest permutation p, 2/C(2n, n), reaches the level,
    nor below six.
    """
    if pooled_std <= 0 or margin <= 0:
        return None, None
    stds = (pooled_std, *std_interval(pooled_std, freedom, confidence=confidence))
    least = smallest_decisive_runs(level)
    needed, low, high = (
        runs_needed(min(margin / std, LARGEST_EFFECT), level=level, least=least)
        for std in stds
    )
    return needed, None if low is None or high is None else (low, high)


def smallest_decisive_runs(level: float) -> int:
    """Fewest runs of each arm whose smallest permutation p reaches `level`; at least 6."""
    n = SMALLEST_N
    while 2 / math.comb(2 * n, n) > level:
        n += 1
    return n
