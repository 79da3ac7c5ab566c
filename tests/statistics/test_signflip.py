import itertools

import numpy as np
import pytest
from scipy import stats

from research.statistics.signflip import DRAWS, sign_flip_test


def sign_flip(differences, seed=0):
    values = np.asarray(differences, dtype=np.float64)
    return sign_flip_test(values, np.random.default_rng(seed))


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_exact_p_counts_all_sign_patterns(n):
    whole = np.random.default_rng(n).integers(-6, 9, size=n)  # exact sums, many ties
    sums = [abs(np.dot(signs, whole)) for signs in itertools.product((-1, 1), repeat=n)]
    right = np.mean(np.array(sums) >= abs(whole.sum()))
    assert sign_flip(whole).p_value == right
    assert sign_flip(whole / 400).p_value == right  # ties survive rounding


def test_exact_p_is_scipys_permutation_test():
    differences = np.random.default_rng(3).normal(0.5, 1.0, size=14)
    right = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(differences).p_value == pytest.approx(right.pvalue, rel=1e-12)


@pytest.mark.parametrize(
    ("nonzero", "smallest"), [(3, 0.25), (5, 0.0625), (6, 0.03125), (20, 2.0**-19)]
)
def test_smallest_p_is_reached_by_equal_signs_and_ignores_zeros(nonzero, smallest):
    found = sign_flip([0.0] * 4 + [0.01 * (i + 1) for i in range(nonzero)])
    assert (found.p_value, found.smallest_p) == (smallest, smallest)
    assert found.method == "exact sign-flip"


def test_drawn_p_agrees_with_the_exact_one_and_never_is_zero():
    differences = np.random.default_rng(5).normal(0.35, 1.0, size=20)
    exact = sign_flip(differences).p_value
    # a tiny 21st difference changes no sum that counts, but forces drawing
    drawn = sign_flip([*differences, 1e-7])
    assert drawn.method == "sign-flip, 100000 draws"
    error = np.sqrt(exact * (1 - exact) / DRAWS)
    assert drawn.p_value == pytest.approx(exact, abs=4 * error)
    clear = sign_flip(np.linspace(1, 2, 40))
    assert clear.p_value == clear.smallest_p == 1 / (DRAWS + 1)


def test_drawn_signs_are_fair_beyond_the_first_eight():
    differences = np.random.default_rng(1).normal(0.15, 1.0, size=203)
    z = differences.sum() / np.sqrt(np.sum(differences**2))
    normal = 2 * stats.norm.sf(abs(z))
    assert sign_flip(differences).p_value == pytest.approx(normal, abs=0.01)


def test_normal_limit_takes_over_above_5000_without_a_jump():
    differences = np.random.default_rng(2).normal(0.02, 1.0, size=5001)
    limit, drawn = sign_flip(differences), sign_flip(differences[:-1])
    assert limit.method == "normal limit of the sign-flip"
    assert drawn.method.endswith("draws")
    assert limit.p_value == pytest.approx(drawn.p_value, rel=0.1)
