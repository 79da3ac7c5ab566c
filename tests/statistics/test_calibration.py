"""What is promised is kept: rates of false claims over simulated comparisons."""

import numpy as np
import pytest
from judging import judge_pair
from scipy import stats

from research.statistics import Runs, judge_runs


def most(trials: int, rate: float) -> int:
    """A count that is exceeded with probability below 0.1 % at this rate."""
    return int(stats.binom.ppf(0.999, trials, rate))


def judge_unpaired(arm, reference, *, margin, generator):
    (found,) = judge_runs(
        {"reference": Runs(reference, None), "arm": Runs(arm, None)},
        reference="reference",
        higher_is_better=True,
        margin=margin,
        confidence=0.95,
        generator=generator,
    )
    return found


def judge_paired(arm, reference, *, margin, generator):
    return judge_pair(arm, reference, margin=margin, generator=generator)


def null_claims(judge, trials, seed):
    generator = np.random.default_rng(seed)
    named = 0
    for _ in range(trials):
        arm, reference = generator.normal(0.95, 0.01, size=(2, 8))
        found = judge(arm, reference, margin=1e-4, generator=generator)
        named += found.verdict in ("better", "worse")
    return named


def margin_claims(judge, trials, seed, sign):
    """How often a true difference of one margin is called equivalent."""
    generator = np.random.default_rng(seed)
    margin, named = 0.005, 0
    for _ in range(trials):
        arm, reference = generator.normal(0.95, 0.003, size=(2, 10))
        found = judge(
            arm + sign * margin, reference, margin=margin, generator=generator
        )
        named += found.verdict == "equivalent"
    return named


DESIGNS = pytest.mark.parametrize("judge", [judge_paired, judge_unpaired])


@DESIGNS
def test_null_comparisons_name_a_winner_rarely(judge):
    assert 0 < null_claims(judge, 200, seed=20) <= most(200, 0.05) == 21


@DESIGNS
@pytest.mark.parametrize("sign", [-1, 1])
def test_one_margin_is_called_equivalent_rarely(judge, sign):
    assert margin_claims(judge, 200, 21, sign) <= most(200, 0.05)


@pytest.mark.slow
@DESIGNS
def test_ten_thousand_null_comparisons(judge):
    assert 250 < null_claims(judge, 10_000, seed=22) <= most(10_000, 0.05)


@pytest.mark.slow
@DESIGNS
def test_ten_thousand_differences_of_one_margin(judge):
    # Not far below the level either: the test has power.
    assert 250 < margin_claims(judge, 10_000, 23, sign=1) <= most(10_000, 0.05)
