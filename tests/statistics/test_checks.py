import math

import numpy as np
import pytest
from judging import judge_pair

from research.statistics import judge


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"margin": -0.1}, "margin"),
        ({"margin": math.nan}, "margin"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0.4}, "confidence"),
        ({"test_train_ratio": 0.0}, "test_train_ratio"),
        ({"diverged": {"gelu": np.zeros(3, dtype=bool)}}, "gelu"),
    ],
)
def test_settings_out_of_range_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        judge_pair([0.1, 0.2, 0.3], [0.1, 0.2, 0.4], **change)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_scores_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match="'arm' has scores that are not finite"):
        judge_pair([0.1, value], [0.1, 0.2])


def test_an_unknown_reference_is_refused():
    with pytest.raises(ValueError, match="'relu6' is not among"):
        judge(
            {"relu": np.zeros(3), "gelu": np.ones(3)},
            reference="relu6",
            higher_is_better=True,
            margin=0.1,
            confidence=0.95,
            generator=np.random.default_rng(0),
        )


def test_unpaired_and_missing_scores_are_refused():
    with pytest.raises(ValueError, match="'arm' has"):
        judge_pair([0.1, 0.2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="one number a seed"):
        judge_pair([], [])
    with pytest.raises(ValueError, match="nothing to compare"):
        judge(
            {"relu": np.zeros(3)},
            reference="relu",
            higher_is_better=True,
            margin=0.1,
            confidence=0.95,
            generator=np.random.default_rng(0),
        )
