import math

import numpy as np
import pytest
from scipy import stats

from research.statistics import Moments, student_t, welch_t
from research.statistics.welch import effect_size_d, moments

MISH_3, GELU_3 = Moments(87.93, 0.0436, 3), Moments(87.28, 0.1562, 3)


@pytest.mark.parametrize(("n_arm", "n_reference"), [(2, 2), (5, 17), (40, 8)])
def test_both_tests_and_their_intervals_agree_with_scipy(n_arm, n_reference):
    generator = np.random.default_rng(n_arm)
    arm = generator.normal(1.0, 3.0, size=n_arm)
    reference = generator.normal(0.0, 1.0, size=n_reference)
    for test, equal in ((student_t, True), (welch_t, False)):
        found = test(moments(arm), moments(reference))
        right = stats.ttest_ind(arm, reference, equal_var=equal)
        assert found.p_value == pytest.approx(right.pvalue, rel=1e-9)
        assert found.degrees_of_freedom == pytest.approx(right.df, rel=1e-12)
        interval = right.confidence_interval(0.9)
        assert found.interval(0.9) == pytest.approx((interval.low, interval.high))


def test_the_mish_table_from_three_runs():
    assert student_t(MISH_3, GELU_3).p_value == pytest.approx(0.0022612, rel=1e-4)
    assert welch_t(MISH_3, GELU_3).p_value == pytest.approx(0.0135685, rel=1e-4)


def test_cohens_d_pools_the_variances():
    d = effect_size_d(MISH_3, GELU_3)
    assert d == pytest.approx(0.65 / math.sqrt((0.0436**2 + 0.1562**2) / 2))


def test_groups_that_do_not_vary_have_no_p_but_where_they_are_equal():
    still, other = Moments(0.5, 0.0, 4), Moments(0.6, 0.0, 4)
    assert welch_t(still, other).p_value is None
    assert student_t(still, other).p_value is None
    assert welch_t(still, still).p_value == student_t(still, still).p_value == 1.0
    assert welch_t(still, other).interval(0.95) == pytest.approx((-0.1, -0.1))
    assert effect_size_d(still, other) is None


def test_one_still_group_leaves_the_other_its_degrees_of_freedom():
    found = welch_t(Moments(1.0, 0.0, 9), Moments(0.0, 1.0, 5))
    assert found.degrees_of_freedom == 4
    assert found.standard_error == pytest.approx(1 / math.sqrt(5))


def test_rounding_is_no_spread_and_no_difference():
    sums = np.array([0.1 + 0.2, 0.3, 0.3])
    assert moments(sums).std == 0.0
    assert welch_t(moments(sums), Moments(0.3, 0.0, 3)).difference == 0.0
    with pytest.raises(ValueError, match="one score"):
        moments(np.array([0.1]))
