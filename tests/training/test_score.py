"""The scores of a finished lane, computed once more by NumPy."""

import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import lane_ids, train

from research.training.problem import make_lane


@pytest.fixture(scope="module")
def split(tiny):
    lane = make_lane(tiny.problems["relu"], tiny.data, lane_ids(0), jnp.float32(1))
    return lane.split


def hidden_and_logits(arm, x):
    (params, _), fitted = arm.params, arm.fitted
    first, last = params["layers"][0], params["layers"][1]
    x = (x - fitted.mean) / fitted.std
    hidden = np.maximum(x @ first["kernel"] + first["bias"], 0)
    return hidden, (hidden @ last["kernel"] + last["bias"])[:, 0]


def losses(logits, targets):
    return np.logaddexp(0, logits) - targets * logits


@pytest.mark.parametrize("rate", [0.01, 3.0])
def test_the_test_scores_are_those_of_the_selected_parameters(tiny, split, rate):
    arm, rows = train(tiny, "relu", learning_rate=rate), np.asarray(split.test)
    targets = tiny.task.targets[rows]
    _, logits = hidden_and_logits(arm, tiny.task.inputs[rows])
    right = (logits > 0) == (targets > 0.5)
    assert np.array_equal(arm.scored.test["accuracy"][0], right)
    expected = losses(logits, targets)
    np.testing.assert_allclose(arm.scored.test["loss"][0], expected, 1e-5, 1e-5)
    assert arm.scored.test["accuracy"].shape == (8, 40)
    if rate > 1:  # so high that the best epoch is not the last
        assert arm.scored.best_epoch[0] < 5
        last = arm.scored.test_last["loss"][0]
        assert np.abs(last - expected).max() > 0.01


def test_the_validation_score_is_the_best_of_the_curve(tiny, tiny_arms):
    for arm in tiny_arms.values():
        curve = arm.curves["validation_loss"][:, 1:]
        best = arm.scored.best_epoch
        assert np.array_equal(best, 1 + np.argmin(curve, axis=1))
        np.testing.assert_allclose(
            arm.scored.validation["loss"], curve.min(axis=1), atol=1e-6
        )
        # Where the best epoch is the last, both sets of parameters are one.
        last = best == 5
        assert last.any()
        assert np.array_equal(
            arm.scored.test["loss"][last], arm.scored.test_last["loss"][last]
        )


def test_silent_units_are_counted_behind_the_activation(tiny, tiny_arms, split):
    arm, rows = tiny_arms["relu"], np.asarray(split.validation)
    hidden, _ = hidden_and_logits(arm, tiny.task.inputs[rows])
    assert arm.scored.zero_units[0] == pytest.approx((hidden == 0).mean(), abs=1e-6)
    dead = (hidden == 0).all(axis=0).mean()
    assert arm.scored.dead_units[0] == pytest.approx(dead, abs=1e-6)
    assert 0.1 < arm.scored.zero_units.mean() < 0.9
    assert not np.any(tiny_arms["gelu"].scored.zero_units)


def test_both_arms_drew_the_same_and_trained_apart(tiny_arms):
    relu, gelu = tiny_arms["relu"], tiny_arms["gelu"]
    assert np.array_equal(relu.scored.rows_checksum, gelu.scored.rows_checksum)
    assert np.array_equal(relu.splits, gelu.splits)
    assert len(np.unique(relu.scored.rows_checksum)) == 8
    assert not np.any(relu.scored.final_checksum == gelu.scored.final_checksum)
