import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.statistics.multiplicity import holm


def test_holm_of_a_worked_example():
    adjusted = holm([0.01, 0.04, 0.03, 0.005])
    assert adjusted == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_one_comparison_is_left_alone():
    assert holm([0.04]) == (0.04,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_the_order_and_lies_between_raw_and_bonferroni(p_values):
    adjusted = holm(p_values)
    ranked = [p for _, p in sorted(zip(p_values, adjusted, strict=True))]
    assert ranked == sorted(ranked)
    for raw, p in zip(p_values, adjusted, strict=True):
        assert raw <= p <= 1
    assert min(adjusted) == min(1.0, len(p_values) * min(p_values))
