"""What planned seeds can show: inverses, integrals by another way, monotonicity."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from research.statistics.planning import (
    Design,
    equivalence_power,
    plan_seeds,
    prospect,
    seeds_for_equivalence,
    smallest_effect_dz,
)
from research.statistics.power import seeds_needed, seeds_needed_range

PLANNED = Design(seeds=64, margin=1.0, confidence=0.95, compared=1, power=0.8)


def by_integration(n: int, margin: float, confidence: float, ratio: float = 0.0):
    """The probability of `equivalent` by an adaptive integral over s's density."""
    error = math.sqrt(1 / n + ratio)
    critical = stats.t.ppf(confidence, n - 1)
    chi = stats.chi(n - 1, scale=1 / math.sqrt(n - 1))
    room = margin / error / critical

    def inside(s: float) -> float:
        return (2 * stats.norm.cdf(margin / error - critical * s) - 1) * chi.pdf(s)

    return integrate.quad(inside, 0, room, points=[min(1, room / 2)], limit=200)[0]


@pytest.mark.parametrize(("effect", "n"), [(0.3, 90), (0.5, 34), (0.8, 15), (1.0, 10)])
def test_the_smallest_effect_of_the_reference_sizes_lies_between_their_neighbours(
    effect, n
):
    least = smallest_effect_dz(n, level=0.05, power=0.8)
    fewer = smallest_effect_dz(n - 1, level=0.05, power=0.8)
    assert least <= effect < fewer


@settings(deadline=None, max_examples=30)
@given(
    n=st.integers(6, 3000),
    power=st.floats(0.5, 0.99),
    compared=st.integers(1, 6),
    ratio=st.sampled_from([None, 0.01]),
)
def test_the_smallest_difference_needs_just_these_seeds(n, power, compared, ratio):
    level = 0.05 / compared
    effect = smallest_effect_dz(n, level=level, power=power, test_train_ratio=ratio)
    if effect is None:
        assert n < 1 + math.ceil(math.log2(1 / level))
        return
    found = {
        scale: seeds_needed(
            1.0,
            margin=scale * effect,
            level=level,
            power=power,
            test_train_ratio=ratio,
        )
        for scale in (1 + 1e-9, 1 - 1e-5)
    }
    assert found[1 + 1e-9] <= n
    assert found[1 - 1e-5] is None or found[1 - 1e-5] > n


def test_too_few_seeds_see_no_difference_and_call_nothing_equivalent():
    assert smallest_effect_dz(6, level=0.05, power=0.8) is not None
    assert smallest_effect_dz(5, level=0.05, power=0.8) is None
    assert smallest_effect_dz(6, level=0.05 / 2, power=0.8) is None
    assert equivalence_power(5, margin_in_std=1e9, confidence=0.95) == 0


@pytest.mark.parametrize("n", [6, 16, 64, 500])
@pytest.mark.parametrize("margin", [0.05, 0.3, 0.8, 3.0])
@pytest.mark.parametrize(
    ("confidence", "ratio"), [(0.95, 0.0), (0.8, 0.0), (0.99, 0.1)]
)
def test_the_chance_of_equivalent_is_the_integral(n, margin, confidence, ratio):
    found = equivalence_power(
        n, margin_in_std=margin, confidence=confidence, test_train_ratio=ratio
    )
    assert found == pytest.approx(
        by_integration(n, margin, confidence, ratio), abs=1e-5
    )


def test_seeds_for_equivalence_are_the_first_with_enough_chance():
    for margin, expected in ((3.0, 6), (1.0, 11), (0.5, 36), (0.1, 858)):
        n = seeds_for_equivalence(1.0, margin=margin, confidence=0.95, power=0.8)
        assert n == expected
        assert by_integration(n, margin, 0.95) >= 0.8 - 1e-5
        assert n == 6 or by_integration(n - 1, margin, 0.95) < 0.8


def test_shared_test_rows_may_rule_equivalence_out():
    def needed(ratio: float) -> int | None:
        return seeds_for_equivalence(
            1.0, margin=1.0, confidence=0.95, power=0.8, test_train_ratio=ratio
        )

    assert needed(0.0) < needed(0.08)
    assert needed(0.25) is None


@settings(deadline=None, max_examples=30)
@given(
    std=st.floats(0.01, 50),
    wider=st.floats(1.01, 3),
    seeds=st.integers(6, 200),
    power=st.floats(0.5, 0.9),
)
def test_more_spread_or_power_takes_more_seeds(std, wider, seeds, power):
    design = Design(seeds=seeds, margin=1.0, confidence=0.9, compared=1, power=power)
    stricter = Design(
        seeds=seeds, margin=1.0, confidence=0.9, compared=1, power=power + 0.05
    )
    base = prospect(std, design)
    for harder in (prospect(std * wider, design), prospect(std, stricter)):
        assert harder.seeds_needed >= base.seeds_needed
        assert harder.seeds_for_equivalence >= base.seeds_for_equivalence
        assert harder.smallest_difference > base.smallest_difference
        assert harder.equivalence_probability <= base.equivalence_probability + 1e-9


@settings(deadline=None, max_examples=30)
@given(std=st.floats(0.05, 20), seeds=st.integers(6, 300), more=st.integers(1, 300))
def test_more_seeds_show_more(std, seeds, more):
    few, many = (
        prospect(
            std, Design(seeds=n, margin=1.0, confidence=0.95, compared=1, power=0.8)
        )
        for n in (seeds, seeds + more)
    )
    assert many.smallest_difference < few.smallest_difference
    # Very few seeds have a small chance by an s that is small by luck.
    if few.equivalence_probability > 0.05:
        assert many.equivalence_probability >= few.equivalence_probability - 1e-9


@pytest.mark.parametrize("scale", [1e-6, 7.0, 1e9])
def test_the_unit_of_the_scores_does_not_matter(scale):
    scaled = Design(seeds=20, margin=scale, confidence=0.95, compared=3, power=0.8)
    plain = Design(seeds=20, margin=1.0, confidence=0.95, compared=3, power=0.8)
    found, expected = prospect(1.7 * scale, scaled), prospect(1.7, plain)
    assert found.seeds_needed == expected.seeds_needed
    assert found.seeds_for_equivalence == expected.seeds_for_equivalence
    assert found.smallest_difference == pytest.approx(
        scale * expected.smallest_difference
    )


def test_the_ranges_are_those_of_the_pilots_sd():
    found = plan_seeds(1.3, PLANNED, pilot_seeds=9)
    low, high = (
        1.3 * math.sqrt(8 / stats.chi2.ppf(tail, 8)) for tail in (0.975, 0.025)
    )
    assert found.low.std_difference == pytest.approx(low)
    assert found.high.std_difference == pytest.approx(high)
    span = seeds_needed_range(1.3, 9, margin=1.0, level=0.05, confidence=0.95)
    assert (found.low.seeds_needed, found.high.seeds_needed) == span


def test_an_exact_sd_has_no_range():
    found = plan_seeds(1.3, PLANNED)
    assert found.low == found.high == found.expected


@pytest.mark.parametrize(("power", "n"), [(0.8, 34), (0.9, 44), (0.95, 54)])
def test_more_power_takes_the_published_seeds(power, n):
    # G*Power's paired t test, d_z = 0.5, two-sided 0.05.
    assert seeds_needed(2.0, margin=1.0, level=0.05, power=power) == n
