"""The fitted coefficients: whoever fits them again gets the same, and they fit."""

import mpmath
import numpy as np
import pytest

from research.activations import coefficients
from research.probes.fit import (
    DIGITS,
    exp_rest,
    fit_exp,
    fit_mills,
    mills_ratio,
    source,
)


def test_fitting_again_gives_the_coefficients_in_use():
    again: dict = {}
    exec(source(), again)
    assert again["EXP"] == coefficients.EXP
    assert again["MILLS"] == coefficients.MILLS


@pytest.mark.parametrize(
    ("dtype", "largest", "tolerance"),
    [("float32", 14.4, 7e-8), ("float64", 38.9, 5e-16)],
)
def test_the_mills_ratio_is_fitted_to_a_few_roundings(dtype, largest, tolerance):
    numerator, denominator = coefficients.MILLS[dtype]
    with mpmath.workdps(DIGITS):
        for a in map(mpmath.mpf, np.linspace(0, largest, 200)):
            above, below = (
                sum(c * a**power for power, c in enumerate(part))
                for part in (numerator, denominator)
            )
            assert abs(above / below / mills_ratio(a) - 1) < tolerance
    # At 0 the ratio is a half, so that gelu(x) is x/2 to the last bit there.
    assert numerator[0] / denominator[0] == 0.5
    # All positive: nothing cancels when they are summed.
    assert min(*numerator, *denominator) > 0


def test_the_exponentials_polynomial_is_fitted_below_float32s_rounding():
    for r in np.linspace(-0.4, 0.4, 81):
        found = np.polyval(coefficients.EXP[::-1], r)
        error = abs(found - float(exp_rest(float(r)))) * r * r
        assert error < 2.0**-25


def test_in_full_precision_both_fits_are_better_than_rounded():
    exp, one = fit_exp()
    assert len(one) == 1
    assert abs(float(exp[0]) - 0.5) < 1e-6
    numerator, denominator = fit_mills("float64")
    assert float(numerator[0] / denominator[0]) == pytest.approx(0.5, abs=1e-16)
