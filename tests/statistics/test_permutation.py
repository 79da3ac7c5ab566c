from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.statistics import permutation_test

counts = st.lists(st.integers(0, 400), min_size=2, max_size=6)


def p_of(arm, reference, seed=0):
    arm, reference = (np.asarray(x, dtype=np.float64) for x in (arm, reference))
    return permutation_test(arm, reference, np.random.default_rng(seed))


@given(counts, counts)
@settings(max_examples=60, deadline=None)
def test_exact_p_is_the_share_of_all_regroupings(arm, reference):
    pooled = arm + reference
    # In whole counts, so that no rounding enters; means differ by the same factor.
    n, m = len(arm), len(reference)
    far = abs(sum(arm) * m - sum(reference) * n)
    hits = [
        abs(sum(pooled[i] for i in group) * (n + m) - sum(pooled) * n) >= far
        for group in combinations(range(n + m), n)
    ]
    found = p_of(np.array(arm) / 400, np.array(reference) / 400)
    assert found.method == "exact permutation"
    assert found.p_value == pytest.approx(np.mean(hits), rel=1e-9)
    assert 0 < found.smallest_p <= found.p_value <= 1


def test_two_runs_against_five_can_name_no_winner():
    found = p_of([10, 8], [5, 5, 8, 7, 8])
    assert found.p_value == pytest.approx(4 / 21)
    assert found.smallest_p == pytest.approx(1 / 21)


def test_smallest_p_of_complete_separation():
    found = p_of([1, 2, 3, 4], [5, 6, 7, 8])
    assert found.p_value == found.smallest_p == pytest.approx(2 / 70)


def test_drawn_p_agrees_with_the_exact_one():
    generator = np.random.default_rng(3)
    arm, reference = generator.normal(size=11), generator.normal(0.8, 1, size=11)
    exact = p_of(arm, reference)
    drawn = p_of(np.append(arm, arm.mean()), np.append(reference, reference.mean()))
    assert (exact.method, drawn.method) == (
        "exact permutation",
        "permutation, 100000 draws",
    )
    assert drawn.p_value == pytest.approx(exact.p_value, rel=0.3)
    assert drawn.smallest_p == 1 / 100_001


@pytest.mark.parametrize("sizes", [(12, 12), (10, 30), (300, 1200)])
def test_drawn_p_is_mirrored_exactly_and_knows_no_order(sizes):
    generator = np.random.default_rng(sum(sizes))
    arm = generator.exponential(size=sizes[0])
    reference = generator.exponential(1.2, size=sizes[1])
    found = p_of(arm, reference)
    assert p_of(reference, arm) == p_of(-arm, -reference) == found
    assert p_of(arm[::-1].copy(), reference) == found
    assert p_of(arm + 3, reference + 3).p_value == pytest.approx(found.p_value)
    assert p_of(arm, reference, seed=1).p_value != found.p_value


def test_the_normal_limit_takes_over_above_ten_thousand_runs():
    generator = np.random.default_rng(0)
    arm, reference = generator.normal(0.04, 1, 6000), generator.normal(0, 1, 6000)
    limit = p_of(arm, reference)
    assert limit.method == "normal limit of the permutation"
    drawn = p_of(arm[:5000], reference[:5000])
    assert drawn.method == "permutation, 10000 draws"
    assert p_of(arm, arm[::-1].copy()).p_value == 1.0


@pytest.mark.parametrize("value", [0.0, 0.3, -1e99, 1e-300])
def test_scores_that_never_vary_give_no_evidence(value):
    assert p_of([value] * 4, [value] * 5).p_value == 1.0
