"""How often lanes diverge, and whether arms differ in it."""

import numpy as np
from jaxtyping import Bool, Float64
from scipy import special

from research.statistics.paired import mean


def divergence_upper_bound(diverged: int, n: int, confidence: float) -> float:
    """One-sided upper bound of the rate of divergence from `diverged` of n lanes.

    Clopper and Pearson 1934 (Biometrika 26): the beta quantile B(confidence; k+1, n-k),
    about 3/n at 95 % when none diverged. Raises ValueError unless 0 <= k <= n, n > 0.
    """
    if not 0 <= diverged <= n or n == 0:
        raise ValueError(f"{diverged} of {n} lanes is not a count of diverged lanes")
    if diverged == n:
        return 1.0
    return float(special.betaincinv(diverged + 1, n - diverged, confidence))


def mcnemar_p(
    arm: Bool[np.ndarray, "seeds"], reference: Bool[np.ndarray, "seeds"]
) -> float | None:
    """Exact two-sided McNemar p that arms diverge equally often; None when none did.

    Twice the binomial tail of the seeds on which exactly one diverged (McNemar 1947,
    Psychometrika 12).
    """
    if not (arm.any() or reference.any()):
        return None
    only_arm = int(np.sum(arm & ~reference))
    only_reference = int(np.sum(reference & ~arm))
    discordant = only_arm + only_reference
    if discordant == 0:
        return 1.0
    tail = special.bdtr(min(only_arm, only_reference), discordant, 0.5)
    return min(1.0, 2 * float(tail))


def divergence_note(
    differences: Float64[np.ndarray, "seeds"],
    arm: Bool[np.ndarray, "seeds"],
    reference: Bool[np.ndarray, "seeds"],
) -> str:
    """Words that separate how the arm does when it trains from how often it fails."""
    n, trained = len(differences), ~(arm | reference)
    if trained.any():
        count, difference = int(trained.sum()), mean(differences[trained])
        training = f"when both train ({count} of {n} seeds): {difference:+.3g}"
    else:
        training = "on no seed did both train"
    return (
        f"{training}; how often it fails: {int(arm.sum())} of {n} lanes, "
        f"the reference {int(reference.sum())} of {n} (McNemar p "
        f"{mcnemar_p(arm, reference) or 1.0:.2g})"
    )
