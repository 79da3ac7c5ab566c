import numpy as np
import pytest
from scipy import stats

from research.statistics import ranks
from research.statistics.ranks import hodges_lehmann, wilcoxon_p


@pytest.mark.parametrize("n", [1, 3, 6, 25, 60])
def test_wilcoxon_without_ties_is_scipys_exact_test(n):
    differences = np.random.default_rng(n).normal(0.3, 1.0, size=n)
    right = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon_p(differences) == pytest.approx(right, rel=1e-9)


def test_wilcoxon_with_ties_enumerates_the_midranks():
    whole = np.array([1, -1, 2, 2, 2, -3, 0, 4, 4, 1, 0, 5])
    midranks = stats.rankdata(np.abs(whole[whole != 0]))
    signs = np.array(np.meshgrid(*[[0, 1]] * len(midranks))).reshape(len(midranks), -1)
    sums = midranks @ signs
    observed = midranks[whole[whole != 0] > 0].sum()
    right = 2 * min(np.mean(sums <= observed), np.mean(sums >= observed))
    assert wilcoxon_p(whole / 400) == pytest.approx(right, rel=1e-12)
    noise = np.random.default_rng(0).uniform(-1e-15, 1e-15, size=len(whole))
    rounded = np.where(whole == 0, 0, whole / 400 + noise)
    assert wilcoxon_p(rounded) == pytest.approx(right, rel=1e-12)


def test_wilcoxon_turns_normal_above_500_without_a_jump(monkeypatch):
    differences = np.random.default_rng(1).normal(0.1, 1.0, size=501)
    limit = wilcoxon_p(differences)
    right = stats.wilcoxon(differences, method="asymptotic", correction=False).pvalue
    assert limit == pytest.approx(right, rel=1e-9)
    monkeypatch.setattr(ranks, "_LARGEST_EXACT", 501)
    assert wilcoxon_p(differences) == pytest.approx(limit, rel=0.01)


def test_hodges_lehmann_is_the_median_of_pairwise_means():
    differences = np.array([0.0, 1.0, 5.0])  # 0, .5, 2.5, 1, 3, 5
    assert hodges_lehmann(differences) == 1.75
    assert hodges_lehmann(np.zeros(5001)) is None
    assert wilcoxon_p(np.zeros(5001)) is None
