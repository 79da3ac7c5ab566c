"""Which arm learned faster, in a sentence that claims no more than was measured."""

import fake_run
import pytest

from research.reporting import speed

SPEED = {
    "epochs_earlier": 9.0,
    "ci_low": 8.1,
    "ci_high": 9.7,
    "censored_arm": 0,
    "censored_reference": 0,
    "area_difference": 0.01,
    "threshold": 0.94,
}
WAY = (
    "On the way (exploratory): GELU came 95 % of the way (from the start to ReLU's final "
    "validation accuracy) "
)
SAME = {"epochs_earlier": 0.01, "ci_low": -0.03, "ci_high": 0.04}


def one(**changes):
    """Returns a summary and its one comparison with this learning speed."""
    told = fake_run.summary()
    [comparison] = told["comparisons"]
    comparison["learning_speed"] = SPEED | changes
    return told, comparison


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "9 epochs earlier [8.1, 9.7] than ReLU."),
        (
            {"epochs_earlier": -1.0, "ci_low": -2.0, "ci_high": -0.5},
            "1 epoch later [0.5, 2.0] than ReLU.",
        ),
        (
            {"epochs_earlier": 0.4, "ci_low": -0.5, "ci_high": 1.3},
            "0.4 epochs earlier [−0.5, 1.3], so not surely earlier, than ReLU.",
        ),
        (
            {"censored_arm": 3, "censored_reference": 1},
            "9 epochs earlier [8.1, 9.7] than ReLU; 3 of GELU's and 1 of ReLU's "
            "trainings never did, and count as one epoch past the last.",
        ),
        (SAME, "at the same epoch on average as ReLU."),
        (
            {"epochs_earlier": 0.0, "ci_low": -1.2, "ci_high": 1.2},
            "at the same epoch on average as ReLU [−1.2, 1.2].",
        ),
    ],
)
def test_on_the_way(changes, expected):
    assert speed.on_the_way(*one(**changes)) == WAY + expected


def test_an_arm_none_of_whose_trainings_got_there_has_no_number_of_epochs():
    assert speed.on_the_way(*one(censored_arm=64)) == (
        "On the way (exploratory): none of GELU's trainings came 95 % of the way (from "
        "the start to ReLU's final validation accuracy)."
    )
    assert speed.on_the_way(*one(censored_reference=64)) is None


def test_identical_arms_have_no_faster_one():
    told, comparison = one(**SAME)
    told["pairing"]["identical_arms"] = [["relu", "gelu"]]
    assert speed.on_the_way(told, comparison) is None
    told["pairing"]["identical_arms"] = [["relu", "silu"], ["gelu", "tanh"]]
    assert speed.on_the_way(told, comparison) is not None


def test_it_is_left_out_where_it_was_not_measured():
    told, comparison = one()
    comparison["learning_speed"] = None
    assert speed.on_the_way(told, comparison) is None


def test_the_way_is_explained_once():
    told = fake_run.summary({"relu": 0.0, "gelu": 0.0, "tanh": 0.0, "silu": 0.0})
    told["pairing"]["identical_arms"] = [["relu", "gelu"]]
    sentences = [speed.on_the_way(told, c) for c in told["comparisons"]]
    assert sentences[0] is None
    assert ["from the start" in s for s in sentences[1:] if s] == [True, False]


def test_the_way_of_another_metric():
    told = fake_run.loss_summary(primary_metric="test_mse_last")
    sentence = speed.on_the_way(told, told["comparisons"][0])
    assert sentence is not None
    assert "from the start to ReLU's final validation mse)" in sentence
