"""Fits the polynomials and rational functions in research/activations/coefficients.py.

Command: python -m research.probes.fit | ruff format - > coefficients.py

P/Q goes through its function at as many Chebyshev points as it has coefficients, in
50-digit arithmetic: within a small factor of the best of its degrees, and the same on
every machine. Degrees, and the pole of the Mills ratio's points, were chosen by the
errors that the evaluated functions then had, rounding included.
"""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

DIGITS = 50
# Half of log 2, and what the low bits of a square add (exponential.py).
EXP_RADIUS = 0.4
# exp(-a²/2) ends at a²/2 = 104 and 760, as lowest() in exponential.py says.
MILLS_END = {"float32": 14.43, "float64": 38.99}
MILLS_DEGREE = {"float32": 4, "float64": 9}
MILLS_POLE = 3
_SOURCE = '''"""Fitted coefficients, written by research/probes/fit.py: change them there.

They stand lowest power first, rounded to the type that uses them.
"""

# eʳ - 1 = r + r²·P(r) for |r| <= 0.4, in float32.
EXP = {exp}

# Φ(-a)/exp(-a²/2) = P(a)/Q(a), up to where exp(-a²/2) ends: (P, Q) by type.
MILLS = {{
    "float32": ({float32}),
    "float64": ({float64}),
}}'''

Fit = tuple[list[Any], list[Any]]


def fit_exp() -> Fit:
    """Returns P, of degree 4, with eʳ - 1 = r + r²·P(r) for |r| <= 0.4; Q is 1."""
    with mpmath.workdps(DIGITS):
        points = [EXP_RADIUS * y for y in chebyshev_points(5)]
        return rational_fit(exp_rest, points, denominator_degree=0)


def fit_mills(dtype: str) -> Fit:
    """Returns P and Q with Φ(-a)/exp(-a²/2) = P(a)/Q(a), Q one degree higher.

    The points are Chebyshev's in a/(a + 3), which spreads them as the function asks.
    """
    with mpmath.workdps(DIGITS):
        degree, end = MILLS_DEGREE[dtype], MILLS_END[dtype]
        last = mpmath.mpf(end) / (end + MILLS_POLE)
        spread = [last * (1 + y) / 2 for y in chebyshev_points(2 * degree + 2)]
        points = [MILLS_POLE * v / (1 - v) for v in spread]
        return rational_fit(mills_ratio, points, denominator_degree=degree + 1)


def exp_rest(r: Any) -> Any:
    """Returns (eʳ - 1 - r)/r²."""
    return (mpmath.expm1(r) - r) / r**2 if r else mpmath.mpf(1) / 2


def mills_ratio(a: Any) -> Any:
    """Returns Φ(-a)/exp(-a²/2), the Mills ratio over √(2π)."""
    a = mpmath.mpf(a)
    return mpmath.erfc(a / mpmath.sqrt(2)) / 2 * mpmath.exp(a * a / 2)


def chebyshev_points(count: int) -> list[Any]:
    """Returns the zeros of the Chebyshev polynomial of a degree, in (-1, 1)."""
    return [mpmath.cospi(mpmath.mpf(2 * j + 1) / (2 * count)) for j in range(count)]


def rational_fit(
    function: Callable[[Any], Any], points: Sequence[Any], *, denominator_degree: int
) -> Fit:
    """Returns P and Q, Q(0) = 1, with P(x)/Q(x) = function(x) at the points.

    P takes what coefficients the denominator leaves of one a point.
    """
    count = len(points) - denominator_degree
    rows = [
        [x**j for j in range(count)]
        + [-function(x) * x**j for j in range(1, denominator_degree + 1)]
        for x in points
    ]
    values = mpmath.matrix([function(x) for x in points])
    solution = list(mpmath.lu_solve(mpmath.matrix(rows), values))
    return solution[:count], [mpmath.mpf(1), *solution[count:]]


def source() -> str:
    """Returns the text of research/activations/coefficients.py."""
    exp, _ = fit_exp()
    ratios = {
        dtype: ", ".join(_tuple(part, dtype) for part in fit_mills(dtype))
        for dtype in MILLS_DEGREE
    }
    return _SOURCE.format(exp=_tuple(exp, "float32"), **ratios)


def _tuple(coefficients: list[Any], dtype: str) -> str:
    kind = np.dtype(dtype).type
    return f"({', '.join(str(kind(float(c))) for c in coefficients)})"


if __name__ == "__main__":
    print(source())
