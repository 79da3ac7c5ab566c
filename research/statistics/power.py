"""How many seeds would show a difference of one margin."""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

SMALLEST_N = 6  # no verdict is given on fewer seeds
POWER = 0.8
LARGEST_EXACT = 1_000_000  # above it t and normal agree to a millionth
LARGEST = 1e15  # seeds; nobody will train more
LARGEST_EFFECT = 1e6  # already shown by the fewest seeds; its square stays finite
_NODES, _WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(128))
_LEVELS = _NODES + 0.5


def smallest_decisive_n(level: float) -> int:
    """Fewest seeds whose smallest sign-flip p, 2/2^n, reaches `level`; at least 6."""
    return max(SMALLEST_N, math.ceil(math.log2(2 / level) - 1e-9))


def paired_t_power(
    n: int, *, effect_size_dz: float, level: float, test_train_ratio: float = 0.0
) -> float:
    """Power of the two-sided paired t test: P(|T| > t) for a noncentral T.

    P(T > t) = E Φ(δ - t·S), S² = χ²(n-1)/(n-1), δ = d_z/sqrt(1/n + r), by quadrature
    over the quantiles of S: scipy.stats.nct returns NaN in places.
    """
    centre = effect_size_dz / math.sqrt(1 / n + test_train_ratio)
    return t_power(n - 1, centre=centre, level=level)


def t_power(freedom: int, *, centre: float, level: float) -> float:
    """P(|T| > t) for a noncentral T, by quadrature over the quantiles of S."""
    critical = special.stdtrit(freedom, 1 - level / 2)
    spread = np.sqrt(2 * special.gammaincinv(freedom / 2, _LEVELS) / freedom)
    upper = special.ndtr(centre - critical * spread)
    lower = special.ndtr(-centre - critical * spread)
    return float(np.sum(_WEIGHTS * (upper + lower)))


def seeds_needed(
    std_difference: float,
    *,
    margin: float,
    level: float,
    power: float = POWER,
    test_train_ratio: float | None = None,
) -> int | None:
    """Smallest n that sees a difference of one margin at `level` with this power.

    Never below the n at which a sign-flip p can reach the level. None where the
    differences do not vary, the margin is 0, or no number of seeds up to 1e15 is
    enough (it may be none at all where they share test rows).
    """
    if std_difference <= 0 or margin <= 0:
        return None
    effect = min(margin / std_difference, LARGEST_EFFECT)
    ratio = test_train_ratio or 0.0

    def reached(n: int) -> bool:
        found = paired_t_power(
            n, effect_size_dz=effect, level=level, test_train_ratio=ratio
        )
        return found >= power

    return fewest_seeds(
        reached,
        smallest_decisive_n(level),
        centre=float(special.ndtri(1 - level / 2) + special.ndtri(power)),
        effect=effect,
        test_train_ratio=ratio,
    )


def fewest_seeds(
    reached: Callable[[int], bool],
    least: int,
    *,
    centre: float,
    effect: float,
    test_train_ratio: float,
) -> int | None:
    """Smallest n from `least` up that reaches the power; None where none up to 1e15 does.

    In the normal limit that is where effect/sqrt(1/n + r) is `centre`.
    """
    reciprocal = (effect / centre) ** 2 - test_train_ratio
    if reciprocal < 1 / LARGEST:
        return None
    enough = math.ceil(1 / reciprocal)
    return (
        enough if enough > LARGEST_EXACT else smallest_reaching(reached, least, enough)
    )


def smallest_reaching(reached: Callable[[int], bool], least: int, guess: int) -> int:
    """Smallest n from `least` up that reaches the power, which grows with n."""
    if reached(least):
        return least
    short, enough = least, max(guess, least + 1)
    while not reached(enough):
        short, enough = enough, 2 * enough
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if reached(middle) else (middle, enough)
    return enough


def std_interval(std: float, freedom: int, *, confidence: float) -> tuple[float, float]:
    """The chi-square interval of a standard deviation: sd · sqrt(df/χ²) at both ends."""
    tail = (1 - confidence) / 2
    quantiles = 2 * special.gammaincinv(freedom / 2, np.array([1 - tail, tail]))
    low, high = (std * math.sqrt(freedom / quantile) for quantile in quantiles)
    return low, high


def seeds_needed_range(
    std_difference: float,
    n: int,
    *,
    margin: float,
    level: float,
    confidence: float,
    power: float = POWER,
    test_train_ratio: float | None = None,
) -> tuple[int, int] | None:
    """`seeds_needed` at both ends of the sd's own chi-square interval from n seeds.

    None where either end has no answer.
    """
    low, high = (
        seeds_needed(
            std,
            margin=margin,
            level=level,
            power=power,
            test_train_ratio=test_train_ratio,
        )
        for std in std_interval(std_difference, n - 1, confidence=confidence)
    )
    return None if low is None or high is None else (low, high)
