import numpy as np
import pytest
from scipy import stats

from research.statistics import divergence_upper_bound, mcnemar_p
from research.statistics.divergence import divergence_note


@pytest.mark.parametrize(("k", "n"), [(0, 64), (1, 10), (5, 32), (31, 32)])
def test_upper_bound_is_clopper_pearsons(k, n):
    right = stats.binomtest(k, n, alternative="less").proportion_ci(0.95).high
    assert divergence_upper_bound(k, n, 0.95) == pytest.approx(right, rel=1e-9)


def test_upper_bound_is_about_three_over_n_when_none_diverged():
    assert divergence_upper_bound(0, 1000, 0.95) == pytest.approx(3 / 1000, rel=0.01)
    assert divergence_upper_bound(8, 8, 0.95) == 1.0


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2), (0, 0)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(ValueError, match="not a count"):
        divergence_upper_bound(k, n, 0.95)


def lanes(diverged, n=20):
    return np.isin(np.arange(n), diverged)


def test_mcnemar_is_the_binomial_test_of_discordant_seeds():
    arm, reference = lanes([0, 1, 2, 3, 4, 5, 6]), lanes([6, 7])
    right = stats.binomtest(1, 7).pvalue
    assert mcnemar_p(arm, reference) == pytest.approx(right)
    assert mcnemar_p(reference, arm) == pytest.approx(right)


def test_mcnemar_without_discordant_seeds():
    assert mcnemar_p(lanes([]), lanes([])) is None
    assert mcnemar_p(lanes([3]), lanes([3])) == 1.0


def test_note_separates_training_from_failing():
    differences = np.full(20, 0.01)
    differences[:2] = -0.4
    note = divergence_note(differences, lanes([0, 1]), lanes([]))
    assert "when both train (18 of 20 seeds): +0.01;" in note
    assert "2 of 20 lanes, the reference 0 of 20 (McNemar p 0.5)" in note
    nothing = divergence_note(differences, lanes(range(20)), lanes([]))
    assert nothing.startswith("on no seed did both train")
