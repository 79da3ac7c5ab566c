import math

import numpy as np
import pytest
from scipy import stats

from research.statistics import describe, difference_interval
from research.statistics.paired import (
    correlation,
    paired_differences,
    skewness,
    standard_deviation,
    t_interval,
)


@pytest.mark.parametrize("n", [2, 3, 10, 64])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_t_interval_is_scipys(n, confidence):
    values = np.random.default_rng(n).normal(3.0, 2.0, size=n)
    right = stats.ttest_1samp(values, 0).confidence_interval(confidence)
    found = t_interval(values, confidence=confidence)
    assert found == pytest.approx((right.low, right.high), rel=1e-9)


def test_moments_are_scipys():
    arm, reference = np.random.default_rng(1).exponential(size=(2, 25))
    assert standard_deviation(arm) == pytest.approx(np.std(arm, ddof=1))
    assert skewness(arm) == pytest.approx(stats.skew(arm, bias=False))
    r = stats.pearsonr(arm, reference).statistic
    assert correlation(arm, reference) == pytest.approx(r)


def test_correlation_is_none_where_an_arm_does_not_vary():
    varying, fixed = np.linspace(0.9, 1.0, 5), np.full(5, 0.1) * 3
    assert correlation(varying, fixed) is None
    assert correlation(varying[:2], varying[:2]) is None
    assert correlation(varying, varying) == 1.0


def test_describe_one_arm():
    found = describe(np.array([0.9, 0.92, 0.97, 0.91]), confidence=0.95)
    assert (found.n, found.mean) == (4, pytest.approx(0.925))
    assert found.std == pytest.approx(0.0310912635)
    assert found.ci_low < found.mean < found.ci_high


def test_one_seed_has_a_mean_and_no_spread():
    found = describe(np.array([0.9]), confidence=0.95)
    assert (found.mean, found.std, found.ci_low, found.ci_high) == (
        0.9,
        None,
        None,
        None,
    )


@pytest.mark.parametrize("scores", [[], [0.1, math.nan]])
def test_describe_refuses_what_has_no_mean(scores):
    with pytest.raises(ValueError, match="describe needs"):
        describe(np.array(scores, dtype=np.float64), confidence=0.95)


def test_real_differences_far_below_the_scores_survive_clearing():
    reference = np.array([0.9, 0.8, 0.7])
    found = paired_differences(reference + np.array([1e-9, -1e-9, 2e-9]), reference)
    assert found == pytest.approx([1e-9, -1e-9, 2e-9], rel=1e-5)


def test_exploratory_difference_leaves_out_seeds_that_diverged():
    arm = np.array([0.3, 0.5, math.inf, 0.4])
    reference = np.array([0.2, 0.3, 0.1, math.nan])
    found = difference_interval(arm, reference, confidence=0.95)
    assert (found.n, found.mean_difference) == (2, pytest.approx(0.15))
    nothing = difference_interval(arm[2:], reference[2:], confidence=0.95)
    assert (nothing.n, nothing.mean_difference, nothing.ci_low) == (0, None, None)


def test_exploratory_difference_takes_the_corrected_variance():
    arm, reference = np.random.default_rng(0).normal(size=(2, 9))
    plain, wide = (
        difference_interval(arm, reference, confidence=0.9, test_train_ratio=ratio)
        for ratio in (None, 1 / 3)
    )
    ratio = (wide.ci_high - wide.ci_low) / (plain.ci_high - plain.ci_low)
    assert ratio == pytest.approx(2.0)  # sqrt((1/9 + 1/3) / (1/9))
