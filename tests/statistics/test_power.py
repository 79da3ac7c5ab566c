import math

import numpy as np
import pytest
from scipy import stats

from research.statistics import paired_t_power, seeds_needed
from research.statistics.power import seeds_needed_range, smallest_decisive_n


@pytest.mark.parametrize(
    ("effect", "seeds"),
    [(0.3, 90), (0.5, 34), (0.8, 15), (1.0, 10), (1.2, 8), (1.5, 6)],
)
def test_seeds_needed_reference_values(effect, seeds):
    assert seeds_needed(1 / effect, margin=1.0, level=0.05) == seeds


@pytest.mark.parametrize(("effect", "seeds"), [(1.0, 18), (0.5, 58)])
def test_seeds_needed_at_a_stricter_level(effect, seeds):
    assert seeds_needed(1 / effect, margin=1.0, level=0.005) == seeds


@pytest.mark.parametrize(
    ("compared", "smallest"), [(1, 6), (2, 7), (3, 7), (5, 8), (10, 9)]
)
def test_never_fewer_than_the_smallest_n_that_can_reach_the_level(compared, smallest):
    assert smallest_decisive_n(0.05 / compared) == smallest
    assert seeds_needed(1e-9, margin=1.0, level=0.05 / compared) == smallest


def test_six_seeds_stay_the_least_at_a_lax_level():
    assert smallest_decisive_n(0.2) == 6


@pytest.mark.parametrize("n", [2, 6, 30, 1000])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.7, 1.5])
def test_power_is_the_noncentral_t(n, effect):
    critical = stats.t.ppf(0.975, n - 1)
    noncentral = stats.nct(n - 1, effect * math.sqrt(n))
    right = noncentral.sf(critical) + noncentral.cdf(-critical)
    found = paired_t_power(n, effect_size_dz=effect, level=0.05)
    assert found == pytest.approx(right, abs=2e-5)


@pytest.mark.parametrize("effect", [1e-6, 50.0, 1e6])
@pytest.mark.parametrize("n", [2, 6, 100_000])
def test_power_is_a_probability_where_the_noncentral_t_fails(n, effect):
    assert 0.049 < paired_t_power(n, effect_size_dz=effect, level=0.05) <= 1 + 1e-12


def test_seeds_needed_is_the_first_n_with_enough_power():
    for deviation in (1.3, 4.0, 40.0, 300.0):
        n = seeds_needed(deviation, margin=1.0, level=0.025)
        powers = [
            paired_t_power(m, effect_size_dz=1 / deviation, level=0.025)
            for m in (n - 1, n)
        ]
        assert powers[0] < 0.8 <= powers[1]


def test_many_seeds_join_the_normal_formula():
    quantiles = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    for deviation in (340.0, 380.0, 1e5):  # both sides of a million seeds
        found = seeds_needed(deviation, margin=1.0, level=0.05)
        assert found == pytest.approx((quantiles * deviation) ** 2, rel=1e-5)


@pytest.mark.parametrize(
    ("deviation", "margin"), [(0.0, 1.0), (1.0, 0.0), (1e200, 1e-200)]
)
def test_no_number_of_seeds_where_there_is_none(deviation, margin):
    assert seeds_needed(deviation, margin=margin, level=0.05) is None


def test_shared_test_rows_ask_for_more_seeds_or_for_the_impossible():
    plain = seeds_needed(1.0, margin=1.0, level=0.05)
    shared = seeds_needed(1.0, margin=1.0, level=0.05, test_train_ratio=0.05)
    assert shared > plain
    power = paired_t_power(
        shared, effect_size_dz=1.0, level=0.05, test_train_ratio=0.05
    )
    assert power >= 0.8
    assert seeds_needed(1.0, margin=1.0, level=0.05, test_train_ratio=0.25) is None


def test_range_from_three_seeds_is_twentyfold():
    deviation = 0.0031533051443419185
    low, high = seeds_needed_range(
        deviation, 3, margin=0.005, level=0.05, confidence=0.95
    )
    assert low == 6
    assert high == pytest.approx(20 * low, rel=0.1)
    ends = deviation * np.sqrt(2 / stats.chi2.ppf([0.975, 0.025], 2))
    expected = [seeds_needed(end, margin=0.005, level=0.05) for end in ends]
    assert [low, high] == expected
