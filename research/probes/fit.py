"""Fits the polynomials in research/activations/coefficients.py.

Command: python -m research.probes.fit > research/activations/coefficients.py

A polynomial of degree d goes through its function at d + 1 Chebyshev points, in 50-digit
arithmetic: within a small factor of the best of its degree, and the same on every
machine. Degrees, and the offset 3 of the Mills ratio, were chosen by the errors that
the evaluated polynomials then had, rounding included.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

_DIGITS = 50
# |r| in eʳ: half of log 2, and what the low bits of a square add (exponential.py).
EXP_RADIUS, EXP_DEGREE = 0.4, 4
MILLS_OFFSET = 3
_SOURCE = '''"""Fitted polynomials, written by research/probes/fit.py: change them there.

Coefficients stand lowest power first, rounded to the type that uses them.
"""

# eʳ - 1 = r + r²·P(r) for |r| <= 0.4, in float32.
EXP = {exp}

# Φ(-a)/exp(-a²/2) = u·P(a·u), u = 1/(a + offset), up to where exp(-a²/2) ends.
MILLS_OFFSET = {offset}
MILLS = {{
    "float32": {float32},
    "float64": {float64},
}}'''


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Coefficients in 50 digits, lowest power first, and the worst relative error."""

    coefficients: tuple[Any, ...]
    error: float


def chebyshev_fit(
    function: Callable[[Any], Any], low: float, high: float, degree: int
) -> Fit:
    """Returns the polynomial through the function at the Chebyshev points of a range."""
    import mpmath

    with mpmath.workdps(_DIGITS):
        middle, radius = (mpmath.mpf(high) + low) / 2, (mpmath.mpf(high) - low) / 2
        count = degree + 1
        angles = [mpmath.mpf(2 * j + 1) / (2 * count) for j in range(count)]
        points = [middle + radius * mpmath.cospi(angle) for angle in angles]
        powers = mpmath.matrix([[x**j for j in range(count)] for x in points])
        values = mpmath.matrix([function(x) for x in points])
        coefficients = tuple(mpmath.lu_solve(powers, values))
        between = [middle + radius * mpmath.mpf(2 * k + 1) / 400 for k in range(-200, 200)]
        error = max(
            abs(mpmath.polyval(coefficients[::-1], x) / function(x) - 1)
            for x in between
        )
    return Fit(coefficients=coefficients, error=float(error))


def fit_exp() -> Fit:
    """Returns P with eʳ - 1 = r + r²·P(r) for |r| <= 0.4."""
    import mpmath

    def quotient(r: Any) -> Any:
        return (mpmath.expm1(r) - r) / r**2 if r else mpmath.mpf(1) / 2

    return chebyshev_fit(quotient, -EXP_RADIUS, EXP_RADIUS, EXP_DEGREE)


def fit_mills(*, largest: float, degree: int) -> Fit:
    """Returns P with Φ(-a)/exp(-a²/2) = u·P(a·u), u = 1/(a + 3), 0 <= a <= largest."""
    import mpmath

    def product(v: Any) -> Any:
        a = MILLS_OFFSET * v / (1 - v)
        tail = mpmath.erfc(a / mpmath.sqrt(2)) / 2
        return tail * mpmath.exp(a * a / 2) * (a + MILLS_OFFSET)

    return chebyshev_fit(product, 0, largest / (largest + MILLS_OFFSET), degree)


def source() -> str:
    """Returns the text of research/activations/coefficients.py.

    The Mills ratios end where a²/2 is 104 and 760, as lowest() in exponential.py says.
    """
    single = fit_mills(largest=14.43, degree=9)
    double = fit_mills(largest=38.99, degree=23)
    return _SOURCE.format(
        exp=_tuple(fit_exp(), "float32", indent=0),
        offset=MILLS_OFFSET,
        float32=_tuple(single, "float32", indent=4),
        float64=_tuple(double, "float64", indent=4),
    )


def _tuple(fit: Fit, dtype: str, *, indent: int) -> str:
    kind, space = np.dtype(dtype).type, " " * indent
    rows = [f"{space}    {kind(float(c))},\n" for c in fit.coefficients]
    return f"(\n{''.join(rows)}{space})"


if __name__ == "__main__":
    print(source())
