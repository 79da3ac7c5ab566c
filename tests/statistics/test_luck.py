import itertools

import numpy as np
import pytest

from research.statistics import (
    Shares,
    false_winners,
    one_seed,
    seed_counts,
    three_seeds,
)


def generator():
    return np.random.default_rng(0)


def test_one_seed_counts_signs_and_ties_name_neither():
    differences = np.array([0.1, 0.2, -0.1, 0.0])
    assert one_seed(differences, higher_is_better=True) == Shares(0.5, 0.25, 0.25)
    assert one_seed(differences, higher_is_better=False) == Shares(0.25, 0.5, 0.25)


def test_three_seeds_runs_over_all_triples():
    whole = np.array([1, -1, 2, -3, 0, 4])
    sums = np.array([sum(triple) for triple in itertools.combinations(whole, 3)])
    found = three_seeds(whole / 400, higher_is_better=True, generator=generator())
    assert found == Shares(
        float(np.mean(sums > 0)), float(np.mean(sums < 0)), float(np.mean(sums == 0))
    )
    assert found.neither > 0


def test_two_seeds_have_no_triple():
    two = np.array([0.1, 0.2])
    assert three_seeds(two, higher_is_better=True, generator=generator()) is None


def test_drawn_shares_agree_with_all_subsets(monkeypatch):
    differences = np.random.default_rng(3).normal(0.2, 1.0, size=30)
    exact = three_seeds(differences, higher_is_better=True, generator=generator())
    monkeypatch.setattr("research.statistics.luck._MOST_SUBSETS", 0)
    drawn = three_seeds(differences, higher_is_better=True, generator=generator())
    assert drawn.arm == pytest.approx(exact.arm, abs=0.02)
    monkeypatch.setattr("research.statistics.luck._VALUES_AT_ONCE", 100)
    again = three_seeds(differences, higher_is_better=True, generator=generator())
    assert again.arm == pytest.approx(exact.arm, abs=0.02)


def test_fewer_false_winners_with_more_seeds():
    differences = np.random.default_rng(5).normal(0.3, 1.0, size=100)
    curve = false_winners(
        differences, [1, 5, 20, 50], higher_is_better=True, generator=generator()
    )
    assert list(curve.reference) == sorted(curve.reference, reverse=True)
    assert curve.reference[0] == np.mean(differences < 0)
    for shares in zip(curve.arm, curve.reference, curve.neither, strict=True):
        assert sum(shares) == pytest.approx(1)


def test_all_seeds_name_what_their_mean_does_and_exact_ties_neither():
    tied = np.array([0.3, -0.1, -0.2])  # sums to 5.6e-17
    curve = false_winners(tied, [3], higher_is_better=True, generator=generator())
    assert curve.neither == (1.0,)


def test_numbers_of_seeds_outside_the_data_are_refused():
    with pytest.raises(ValueError, match="1 … 3"):
        false_winners(np.ones(3), [4], higher_is_better=True, generator=generator())


def test_seed_counts_end_at_half_of_the_seeds():
    assert seed_counts(1) == (1,)
    assert seed_counts(6) == (1, 2, 3)
    assert seed_counts(64) == (1, 2, 3, 5, 8, 13, 21)
