"""Similarities between sentences: SciPy's ranks, exact counts, and intervals' behaviour."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from research.surgery import similarity
from research.surgery.similarity import (
    cosines,
    mean_over_sentences,
    mean_similarity,
    nearest,
    spearman_of_pairs,
    weighted_spearman,
)

LEVEL = 0.95


def drawn(n=30, *, noise=0.0, seed=0):
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(n, 5))
    return rows + noise * np.random.default_rng(seed + 1).normal(size=rows.shape)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)),
        min_size=3,
        max_size=20,
    )
)
def test_weights_count_as_copies_do(triples):
    one, other, weights = map(np.array, zip(*triples, strict=True))
    found = weighted_spearman(
        *(np.unique(x, return_inverse=True)[1] for x in (one, other)),
        weights=weights.astype(float),
    )
    copies = [np.repeat(x, weights) for x in (one, other)]
    if any(np.unique(x).size < 2 for x in copies):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(stats.spearmanr(*copies).statistic, abs=1e-12)


def test_spearman_of_pairs_is_scipys_and_its_interval_holds_it():
    before, after = (cosines(x, x) for x in (drawn(), drawn(noise=0.4)))
    found = spearman_of_pairs(before, after, confidence=LEVEL)
    pairs = np.triu_indices(30, 1)
    expected = stats.spearmanr(before[pairs], after[pairs]).statistic
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.ci_low < found.value < found.ci_high < 1
    same = spearman_of_pairs(before, before, confidence=LEVEL)
    assert [same.value, same.ci_low, same.ci_high] == pytest.approx([1, 1, 1])


def test_mean_similarity_leaves_out_a_sentence_and_its_copies():
    rows = np.eye(12)
    found = mean_similarity(cosines(rows, rows), confidence=LEVEL)
    assert (found.value, found.ci_low, found.ci_high) == (0, 0, 0)
    some = drawn(12)
    every = cosines(some, some)
    pairs = [every[i, j] for i, j in itertools.combinations(range(12), 2)]
    found = mean_similarity(every, confidence=LEVEL)
    assert found.value == pytest.approx(np.mean(pairs))
    assert found.ci_low < found.value < found.ci_high


def test_nearest_is_never_the_sentence_itself():
    rows = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [-1.0, 1.0]])
    assert nearest(cosines(rows, rows)).tolist() == [1, 0, 3, 2]


def test_an_interval_of_a_mean_is_as_wide_as_theory_says():
    values = np.random.default_rng(3).normal(size=200)
    found = mean_over_sentences(values, confidence=LEVEL)
    error = values.std() / np.sqrt(200)
    assert found.value == pytest.approx(values.mean())
    assert found.ci_high - found.ci_low == pytest.approx(2 * 1.96 * error, rel=0.1)
    wider = mean_over_sentences(values, confidence=0.99)
    assert wider.ci_low < found.ci_low
    flat = mean_over_sentences(np.full(20, 0.25), confidence=LEVEL)
    assert [flat.ci_low, flat.ci_high] == pytest.approx([0.25, 0.25])


def test_every_resample_has_as_many_sentences_and_is_the_same_again():
    counts = similarity._counts(15)
    assert (counts.sum(axis=1) == 15).all()
    similarity._counts.cache_clear()
    np.testing.assert_array_equal(counts, similarity._counts(15))
