"""The engine's promises hold for a Transformer's lanes as for an MLP's."""

import jax
import numpy as np
import pytest
from tiny_runs import fixed_plan, numbers, tiny_experiment, train

from research.experiment.scores import per_example, score_columns

TEXT = "a quick brown fox jumps over the lazy dog; " * 40
EPOCHS = {"epochs": 2, "learning_rate": 0.01}


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """A tiny language model with dropout on a text of its own."""
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(TEXT)
    return tiny_experiment(
        activations="relu,swiglu",
        task={"name": "char_lm", "path": str(path), "context": 8},
        model={"name": "lm", "width": 8, "depth": 1, "heads": 2, "ffn": 8}
        | {"dropout": 0.2},
        vary="init,order",
        seeds=4,
    )


@pytest.fixture(scope="module")
def together(experiment):
    """Four seeds of both arms, in chunks of two, on two devices."""
    plan = fixed_plan(width=2, block=4)
    return {
        arm: train(experiment, arm, seeds=range(4), plan=plan, **EPOCHS)
        for arm in experiment.problems
    }


def test_a_lane_feels_neither_its_neighbours_nor_its_place(experiment, together):
    alone = train(
        experiment, "relu", seeds=[9, 2], plan=fixed_plan(width=2, block=4), **EPOCHS
    )
    mine = numbers(alone)
    for name, values in numbers(together["relu"]).items():
        place = int(np.flatnonzero(alone.seeds == 2)[0])
        assert np.array_equal(mine[name][place], values[2], equal_nan=True), name


def test_another_chunk_changes_rounding_alone(experiment, together):
    other = train(
        experiment,
        "relu",
        seeds=range(4),
        plan=fixed_plan(width=1, block=2, devices=1),
        **EPOCHS,
    )
    for name, curve in other.curves.items():
        expected = together["relu"].curves[name]
        np.testing.assert_allclose(curve, expected, rtol=1e-5, atol=1e-6)


def test_arms_draw_the_same_rows_and_share_weights(together):
    relu, swiglu = together["relu"], together["swiglu"]
    assert np.array_equal(relu.scored.rows_checksum, swiglu.scored.rows_checksum)
    shared = set(relu.weights) & set(swiglu.weights)
    assert len(shared) > 10
    for path in shared:
        assert np.array_equal(relu.weights[path], swiglu.weights[path]), path


@pytest.mark.parametrize(
    ("compute", "near"), [({"remat": "full"}, 1e-5), ({"dtype": "bfloat16"}, 0.05)]
)
def test_ways_to_compute_give_near_curves(experiment, together, compute, near):
    other = tiny_experiment(
        activations="relu,swiglu",
        task={**vars(experiment.config.task)},
        model={**vars(experiment.config.model)},
        vary="init,order",
        seeds=4,
        compute=compute,
    )
    arm = train(
        other, "relu", seeds=range(4), plan=fixed_plan(width=2, block=4), **EPOCHS
    )
    assert {leaf.dtype for leaf in jax.tree.leaves(arm.params)} == {np.dtype("float32")}
    expected = together["relu"].curves["validation_loss"]
    np.testing.assert_allclose(arm.curves["validation_loss"], expected, rtol=near)
    if "dtype" in compute:
        assert not np.array_equal(arm.curves["validation_loss"], expected)


def test_a_score_is_the_mean_of_its_values_per_example(experiment, together):
    values = per_example(experiment.task, together["relu"], last=False)
    scores = score_columns(experiment.task, together["relu"])
    primary = scores[f"test_{experiment.task.primary}"]
    np.testing.assert_allclose(values.mean(axis=1), primary, rtol=1e-6)
    nats = scores["test_loss"]
    np.testing.assert_allclose(primary, nats / np.log(2), rtol=1e-5)
    np.testing.assert_allclose(scores["test_perplexity"], np.exp(nats), rtol=1e-5)
