import numpy as np
import pytest
from scipy import stats

from research.statistics.bootstrap import bca_interval


def bca(differences, seed=0):
    return bca_interval(
        differences, confidence=0.95, generator=np.random.default_rng(seed)
    )


@pytest.mark.parametrize("n", [10, 40])
def test_bca_is_scipys_up_to_resampling(n):
    differences = np.random.default_rng(n).exponential(size=n)
    right = stats.bootstrap(
        (differences,), np.mean, n_resamples=50_000, rng=np.random.default_rng(1)
    ).confidence_interval
    tolerance = 0.03 * (right.high - right.low)
    assert bca(differences) == pytest.approx((right.low, right.high), abs=tolerance)


def test_bca_leans_towards_the_long_tail():
    differences = np.random.default_rng(2).exponential(size=30)
    low, high = bca(differences)
    centre = differences.mean()
    assert high - centre > 1.1 * (centre - low)


def test_bca_is_left_out_below_ten_and_collapses_on_a_constant():
    assert bca(np.linspace(0, 1, 9)) is None
    assert bca(np.full(10, 0.25)) == (0.25, 0.25)


def test_memory_bounded_resampling_draws_every_resample(monkeypatch):
    differences = np.random.default_rng(4).normal(size=20)
    whole = bca(differences)
    monkeypatch.setattr("research.statistics.bootstrap._DRAWS_AT_ONCE", 70)
    assert bca(differences) == pytest.approx(whole, abs=1e-12)
