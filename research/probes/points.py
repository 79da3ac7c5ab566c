"""Values of an activation at known points, and GELU's as the mean of a random gate."""

from typing import Any

import numpy as np
from scipy.special import ndtr

from research.probes.curves import Curve

POINTS = (-6.0, -3.0, -1.0, -0.75, -0.1, 0.1, 1.0, 2.0, 3.0)
DRAWS = 100_000


def values_at_points(f: Curve) -> list[dict[str, float]]:
    """Returns x, f(x) and f(x)/x, the share of x that passes, at each of POINTS."""
    values = (f(np.array(POINTS)) + 0.0).tolist()  # no -0.0
    return [
        {"x": x, "value": value, "share": value / x + 0.0}
        for x, value in zip(POINTS, values, strict=True)
    ]


def stochastic_reading(f: Curve, *, seed: int = 0) -> dict[str, Any]:
    """Returns means of x·B over draws, B Bernoulli of Φ(x), beside f(x), f being GELU.

    GELU is the mean of this random gate (Hendrycks & Gimpel 2016); it draws nothing
    itself. `errors` are (mean - f(x)) in standard errors of the mean.
    """
    x = np.array(POINTS)
    open_share = ndtr(x)
    drawn = np.random.default_rng(seed).random((DRAWS, x.size)) < open_share
    mean = x * drawn.mean(axis=0)
    standard_error = np.abs(x) * np.sqrt(open_share * ndtr(-x) / DRAWS)
    errors = (mean - f(x)) / standard_error
    return {
        "draws": DRAWS,
        "x": list(POINTS),
        "mean": mean.tolist(),
        "standard_error": standard_error.tolist(),
        "errors": errors.tolist(),
        "largest_error": float(np.abs(errors).max()),
    }
