import itertools
import json
import math
import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.statistics import luck_scale


def scale(scores, seed=0):
    return luck_scale(
        np.asarray(scores, dtype=np.float64), generator=np.random.default_rng(seed)
    )


def distances(scores, k):
    """Of every ordered pair of disjoint groups of k, by plain enumeration."""
    seeds = range(len(scores))
    return np.array(
        [
            abs(np.mean(scores[list(a)]) - np.mean(scores[list(b)]))
            for a in itertools.combinations(seeds, k)
            for b in itertools.combinations([i for i in seeds if i not in a], k)
        ]
    )


def test_four_seeds_by_hand():
    found = scale([7, 0, 3, 1])  # splits 01|37, 03|17 and 07|13
    assert found.differences == (-4.5, -2.5, -1.5, 1.5, 2.5, 4.5)
    halves = found.halves
    assert (halves.median, halves.p95, halves.largest) == (2.5, 4.5, 4.5)
    assert halves.sd == pytest.approx(math.sqrt((1.5**2 + 2.5**2 + 4.5**2) / 3))
    (one,) = found.groups
    assert (one.seeds, one.splits, one.median, one.largest) == (1, 6, 3.0, 7.0)


@pytest.mark.parametrize("n", [6, 7, 10])
def test_few_seeds_are_split_in_every_way(n):
    scores = np.random.default_rng(n).normal(size=n)
    found = scale(scores)
    assert [group.seeds for group in found.groups] == [1, 3, 5][: 2 + (n == 10)]
    for drift in (found.halves, *found.groups):
        every = distances(scores, drift.seeds)
        assert drift.exact
        assert 2 * drift.splits == len(every)
        assert drift.largest == pytest.approx(every.max())
        assert np.mean(every <= drift.p90 + 1e-9) >= 0.9
        assert np.mean(every < drift.p90 - 1e-9) < 0.9
        assert drift.sd == pytest.approx(np.sqrt(np.mean(every**2)))


def test_draws_agree_with_all_splits(monkeypatch):
    scores = np.random.default_rng(3).normal(size=12)
    exact = scale(scores)
    monkeypatch.setattr("research.statistics.halves._MOST_SPLITS", 0)
    drawn = scale(scores)
    for one, other in zip(
        (exact.halves, *exact.groups), (drawn.halves, *drawn.groups), strict=True
    ):
        assert one.exact
        assert not other.exact
        assert other.median == pytest.approx(one.median, rel=0.06)
        assert other.p95 == pytest.approx(one.p95, rel=0.06)
    assert scale(scores).halves == drawn.halves
    assert scale(scores, seed=1).halves != drawn.halves


def test_three_seeds_a_paper_differ_by_what_their_sd_says():
    scores = np.random.default_rng(4).normal(0.95, 0.01, size=2_000)
    three = scale(scores).groups[1]
    # 1.96 · 0.01 · sqrt(2/3)
    assert three.p95 == pytest.approx(0.0160, rel=0.05)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 400), min_size=4, max_size=40),
    st.integers(-3, 3),
    st.randoms(use_true_random=False),
)
def test_mirrored_shuffled_and_shifted_scores_drift_as_far(counts, shift, random):
    scores = np.array(counts) / 400
    shuffled = scores.copy()
    random.shuffle(shuffled)
    found = scale(scores)
    assert scale(shuffled) == found
    for other in (-scores, scores + shift):
        assert scale(other).differences == pytest.approx(found.differences, abs=1e-9)
        assert scale(other).halves.p95 == pytest.approx(found.halves.p95, abs=1e-9)


def test_fewer_than_four_seeds_have_no_scale_and_equal_ones_no_drift():
    assert scale([0.1, 0.2, 0.3]) is None
    still = scale([0.1 + 0.2] * 6)
    assert still.halves.largest == still.halves.sd == 0
    assert set(still.differences) == {0.0}


def test_many_seeds_are_drawn_in_bounded_memory():
    scores = np.random.default_rng(5).normal(size=50_000)
    tracemalloc.start()
    found = scale(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6
    assert found.halves.splits == 1_000
    assert len(found.differences) == 256
    json.dumps(asdict(found))
