import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import integrate, special, stats

from research.statistics import sequence
from research.statistics.confidence_sequence import (
    first_decisive_n,
    largest_squared_t,
    log_e_value,
    may_decide,
    smallest_p,
)

LAST, LEVEL, SEEDS = 512, 0.05, 2024


def accuracy(generator, shape):
    """Two arms of equal accuracy .9 on 400 rows."""
    arm, reference = generator.binomial(400, 0.9, size=(2, *shape))
    return (arm - reference) / 400


def mostly_ties(generator, shape):
    return generator.choice([-0.0025, 0.0, 0.0025], p=[0.1, 0.8, 0.1], size=shape)


# Differences of mean 0 and the rate, in %, at which the null was rejected in 20,000.
NULLS = {
    "normal": (lambda generator, shape: generator.standard_normal(shape), 2.1),
    "accuracy": (accuracy, 2.1),
    "ties": (mostly_ties, 0.8),
    "t3": (lambda generator, shape: generator.standard_t(3, shape), 1.4),
    "exponential": (lambda g, shape: g.standard_exponential(shape) - 1, 4.6),
    "mirrored": (lambda g, shape: 1 - g.standard_exponential(shape), 4.6),
}
EACH_NULL = pytest.mark.parametrize("null", NULLS)


def most(trials, rate):
    """A count that is exceeded with probability below 0.1 % at this rate."""
    return int(stats.binom.ppf(0.999, trials, rate))


def simulate(null, runs, seed):
    """A generator of confidence sequences, 500 runs at a time."""
    draw, _ = NULLS[null]
    for part in range(0, runs, 500):
        generator = np.random.default_rng([seed, part])
        yield draw(generator, (min(500, runs - part), LAST))


def rejections(null, runs, seed=SEEDS):
    return sum(
        int(np.sum(sequence(d, confidence=1 - LEVEL).p[:, -1] <= LEVEL))
        for d in simulate(null, runs, seed)
    )


@EACH_NULL
def test_a_true_null_is_rejected_rarely_by_looking_after_every_seed(null):
    assert rejections(null, 200) <= most(200, LEVEL)


@pytest.mark.slow
@EACH_NULL
def test_four_thousand_true_nulls(null):
    rejected, measured = rejections(null, 4000), NULLS[null][1] / 100
    assert rejected <= LEVEL * 4000
    low, high = stats.binom.ppf([0.001, 0.999], 4000, measured)
    assert low <= rejected <= high


@pytest.mark.slow
def test_four_thousand_nulls_at_the_level_of_one_arm_of_five():
    rejected = sum(
        int(np.sum(sequence(d, confidence=0.95, compared=5).p[:, -1] <= 0.01))
        for d in simulate("exponential", 4000, SEEDS)
    )
    assert rejected <= 0.01 * 4000


def test_without_the_rule_a_skewed_null_is_rejected_too_often():
    (d,) = simulate("exponential", 400, SEEDS)
    found = sequence(d, confidence=0.95).log_e >= math.log(20)
    assert found.any(axis=1).mean() > 0.09


def equivalences(null, runs, seed=SEEDS):
    """How often a true difference of one margin, of two sd, is ever inside it."""
    margin, claims = 2.0, 0
    for d in simulate(null, runs, seed):
        found = sequence(d + margin, confidence=1 - LEVEL)
        inside = (found.low > -margin) & (found.high < margin) & found.may_decide
        claims += int(inside.any(axis=1).sum())
    return claims


@pytest.mark.parametrize("null", ["normal", "exponential", "mirrored"])
def test_one_margin_is_rarely_called_equivalent_at_any_look(null):
    assert equivalences(null, 200) <= most(200, LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("null", ["normal", "exponential", "mirrored"])
def test_one_margin_is_called_equivalent_at_most_at_the_level(null):
    assert equivalences(null, 4000) <= LEVEL * 4000


def first_reached(reached, n):
    return np.where(reached.any(axis=1), n[reached.argmax(axis=1)], LAST + 1)


@pytest.mark.parametrize(
    ("effect", "by_e", "decided"),
    [(0.8, (15, 18), (20, 23)), (0.5, (33, 40), (34, 41)), (0.3, (90, 108), (92, 110))],
)
def test_the_median_of_the_seeds_spent(effect, by_e, decided):
    d = np.random.default_rng(5).standard_normal((1000, LAST)) + effect
    found = sequence(d, confidence=0.95)
    reached = first_reached(found.log_e >= math.log(20), found.n)
    stopped = first_reached(found.p <= 0.05, found.n)
    assert by_e[0] <= np.median(reached) <= by_e[1]
    assert decided[0] <= np.median(stopped) <= decided[1]


def mixture(t, n):
    """The Bayes factor of t by integrating over the effect and over sd/s."""
    freedom = n - 1

    def density(effect):
        def of_spread(x):
            z = t * x - math.sqrt(n) * effect
            log_chi = (n - 1) * math.log(x) - freedom * x * x / 2 - z * z / 2
            return math.exp(log_chi)

        peak = 1.0
        return sum(
            integrate.quad(of_spread, *ends, epsabs=0, epsrel=1e-12, limit=200)[0]
            for ends in ((1e-12, peak), (peak, 8.0))
        )

    averaged = sum(
        integrate.quad(
            lambda effect: density(effect) * math.exp(-(effect**2) / 2),
            *ends,
            epsabs=0,
            epsrel=1e-11,
            limit=200,
        )[0]
        for ends in ((-8.0, 0.0), (0.0, t / math.sqrt(n)), (t / math.sqrt(n), 8.0))
    )
    return averaged / math.sqrt(2 * math.pi) / density(0.0)


@pytest.mark.parametrize(("t", "n"), [(0.5, 6), (2.5, 6), (3.2, 15), (1.0, 40)])
def test_the_closed_form_is_the_mixture(t, n):
    found = math.exp(float(log_e_value(np.array([t * t]), np.array([n]))[0]))
    assert found == pytest.approx(mixture(t, n), rel=1e-9)


def test_its_expectation_under_the_null_is_one():
    for n in (6, 30):

        def integrand(t, n=n):
            e = np.exp(log_e_value(np.array([t * t]), np.array([n]))[0])
            return e * stats.t.pdf(t, n - 1)

        whole = 2 * integrate.quad(integrand, 0, np.inf, limit=500)[0]
        assert whole == pytest.approx(1.0, abs=1e-7)


def test_a_tiny_example_by_hand():
    d = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = sequence(d, confidence=0.95)
    squared_t = 6 * 3.5**2 / 3.5  # mean 3.5, variance 3.5
    e = 7**-0.5 * ((1 + squared_t / 5) / (1 + squared_t / 35)) ** 3
    assert found.n.tolist() == [6]
    assert np.exp(found.log_e) == pytest.approx([e])
    c = (20 * 7**0.5) ** (1 / 3)
    half_width = math.sqrt(3.5 / 6 * 5 * (c - 1) / (1 - c / 7))
    assert found.low == pytest.approx([3.5 - half_width])
    assert found.high == pytest.approx([3.5 + half_width])
    assert not found.may_decide[0]
    assert found.p.tolist() == [1.0]


@pytest.mark.parametrize("level", [0.2, 0.05, 0.01])
def test_e_at_the_ends_of_the_interval_is_one_over_the_level(level):
    d = np.random.default_rng(3).normal(0.3, 1.0, size=60)
    found = sequence(d, confidence=1 - level)
    for end in (found.low, found.high):
        for n in (6, 17, 60):
            shifted = sequence(d - end[n - 6], confidence=1 - level)
            assert np.exp(shifted.log_e[n - 6]) == pytest.approx(1 / level, rel=1e-6)


def test_no_bound_where_no_t_is_enough():
    n = np.arange(6, 12)
    bound = largest_squared_t(n, level=0.001)
    assert np.isinf(bound).tolist() == [smallest_p(int(k)) >= 0.001 for k in n]
    assert np.isinf(bound[0])
    assert np.isfinite(bound[-1])
    assert log_e_value(np.array([1e300]), np.array([6]))[0] == pytest.approx(
        -math.log(smallest_p(6))
    )


def test_a_smallest_p_stays_above_zero_and_counts_no_look_before_six():
    assert smallest_p(5) == 1.0
    assert smallest_p(6) == pytest.approx(7**-2.5)
    assert smallest_p(5000) > 0


values = st.integers(-40, 40).map(lambda k: k / 400)
samples = arrays.arrays(np.float64, st.integers(6, 60), elements=values)
FIELDS = ("mean", "low", "high", "log_e", "p", "may_decide")


@given(samples)
@settings(max_examples=60, deadline=None)
def test_the_mirror_image_mirrors_every_look(d):
    found, mirrored = (sequence(x, confidence=0.95) for x in (d, -d))
    np.testing.assert_allclose(mirrored.mean, -found.mean, atol=1e-12)
    np.testing.assert_allclose(mirrored.low, -found.high, atol=1e-12)
    for name in ("log_e", "p", "may_decide"):
        np.testing.assert_array_equal(getattr(mirrored, name), getattr(found, name))


@given(samples, st.sampled_from([1e-9, 0.25, 1e6]))
@settings(max_examples=60, deadline=None)
def test_the_unit_changes_nothing(d, unit):
    found, scaled = (sequence(x, confidence=0.95) for x in (d, d * unit))
    for name in ("mean", "low", "high"):
        np.testing.assert_allclose(
            getattr(scaled, name) / unit, getattr(found, name), rtol=1e-7, atol=1e-9
        )
    np.testing.assert_allclose(scaled.log_e, found.log_e, rtol=1e-6, atol=1e-9)


@given(samples, st.sampled_from([-1.0, 0.3]))
@settings(max_examples=60, deadline=None)
def test_a_shift_moves_the_interval_and_leaves_the_guard(d, shift):
    found, moved = (sequence(x, confidence=0.95) for x in (d, d + shift))
    for name in ("mean", "low", "high"):
        np.testing.assert_allclose(
            getattr(moved, name) - shift, getattr(found, name), atol=1e-9
        )
    assert np.mean(moved.may_decide != found.may_decide) <= 0.1  # ties of rounding


@given(samples)
@settings(max_examples=60, deadline=None)
def test_later_seeds_change_no_earlier_look(d):
    whole, half = (sequence(x, confidence=0.95) for x in (d, d[: max(6, len(d) // 2)]))
    for name in FIELDS:
        earlier = getattr(whole, name)[: len(half.n)]
        np.testing.assert_allclose(
            earlier.astype(float), getattr(half, name).astype(float), atol=1e-9
        )


def test_p_falls_only_and_counts_only_looks_that_may_decide():
    d = np.random.default_rng(2).standard_exponential(200) + 0.5
    found = sequence(d, confidence=0.95)
    assert np.all(np.diff(found.p) <= 0)
    first = int(found.may_decide.argmax())
    assert first > 0
    assert np.all(found.p[:first] == 1.0)
    counted = found.log_e[found.may_decide].max()
    assert found.p[-1] == pytest.approx(math.exp(-counted))


@pytest.mark.parametrize("constant", [0.0, 0.0025])
def test_nothing_is_decided_before_the_differences_vary(constant):
    same = np.full(30, constant)
    found = sequence(same, confidence=0.95)
    assert np.all(found.log_e == -np.inf)
    assert np.all(found.p == 1.0)
    assert not found.may_decide.any()
    assert np.all(found.low == constant)
    assert np.all(found.high == constant)


def test_rounding_of_one_repeated_difference_does_not_vary():
    correct = np.arange(200, 390, 10)
    d = (correct + 1) / 400 - correct / 400
    assert np.ptp(d) > 0
    assert np.all(sequence(d, confidence=0.95).log_e == -np.inf)


def test_seeds_that_vary_late_count_from_there():
    d = np.concatenate([np.zeros(10), np.random.default_rng(1).normal(size=20)])
    found = sequence(d, confidence=0.95)
    assert np.all(found.log_e[:5] == -np.inf)
    assert np.all(np.isfinite(found.log_e[5:]))
    assert found.mean[-1] == pytest.approx(d.mean())


def test_running_moments_are_those_of_each_prefix():
    d = np.random.default_rng(4).standard_exponential(40) * 1e-4 + 0.9
    found = sequence(d, confidence=0.95)
    for n in (6, 20, 40):
        t, mean = stats.ttest_1samp(d[:n], 0.0).statistic, d[:n].mean()
        assert found.mean[n - 6] == pytest.approx(mean, rel=1e-12)
        expected = log_e_value(np.array([t * t]), np.array([n]))[0]
        assert found.log_e[n - 6] == pytest.approx(expected, rel=1e-7)
        g1 = stats.skew(d[:n], bias=False)
        error = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
        allowed = n >= (1.5 * math.log(20) * (abs(g1) + error)) ** 2
        assert found.may_decide[n - 6] == allowed


def test_symmetric_differences_may_decide_from_ten_seeds_and_skewed_ones_later():
    n = np.arange(6, 400)

    def first(skewness, level):
        return int(n[may_decide(np.full(len(n), skewness), n, level=level).argmax()])

    assert first(0.0, 0.05) == 10
    assert first(0.0, 0.01) > 10
    assert first(-2.0, 0.05) == first(2.0, 0.05)
    for skewness in (0.0, -0.5, 1.0, 2.0):
        for level in (0.4, 0.05, 0.01):
            found = first_decisive_n(skewness, level=level)
            assert found == first(skewness, level)


def test_the_bound_on_t_joins_the_normal_mixture_for_many_seeds():
    n = 1_000_000
    (bound,) = largest_squared_t(np.array([n]), level=0.05)
    # Robbins 1970: z² = (1 + 1/n)(ln(1 + n) + 2 ln 20)
    assert bound == pytest.approx(np.log1p(n) - 2 * special.log1p(-0.95), rel=1e-4)
