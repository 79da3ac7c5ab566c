"""What a lane is given: a function of its seed and of `vary`, and of nothing else."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import lane_ids, tiny_experiment

from research.training.problem import make_lane, start

PARTS = ("init", "order", "split", "test")


def parts(vary: str, seed: int) -> dict[str, bytes]:
    """Returns the bits of each part of a lane that a seed may change."""
    experiment = tiny_experiment(vary=vary)
    lane = make_lane(
        experiment.problems["relu"],
        experiment.data,
        lane_ids(seed, vary=experiment.config.vary),
        jnp.float32(1),
    )
    rest = np.concatenate([lane.split.train, lane.split.validation])
    return {
        "init": np.asarray(jax.random.key_data(lane.init_key)).tobytes(),
        "order": np.asarray(jax.random.key_data(lane.order_key)).tobytes(),
        "dropout": np.asarray(jax.random.key_data(lane.dropout_key)).tobytes(),
        "split": rest.tobytes(),
        "test": np.asarray(lane.split.test).tobytes(),
    }


@pytest.mark.parametrize(
    ("vary", "changed"),
    [
        ("init", {"init"}),
        ("order", {"order", "dropout"}),
        ("split", {"split"}),
        ("test_split", {"split", "test"}),
        ("init,order,split", {"init", "order", "dropout", "split"}),
    ],
)
def test_only_what_varies_changes_with_the_seed(vary, changed):
    one, other = parts(vary, 1), parts(vary, 2)
    assert {name for name in one if one[name] != other[name]} == changed
    assert one == parts(vary, 1)


def test_order_and_dropout_are_drawn_apart():
    lane = parts("init,order,split", 1)
    keys = [lane[name] for name in ("init", "order", "dropout")]
    assert len(set(keys)) == 3


def test_scaling_is_the_lanes_own(tiny):
    lane = make_lane(tiny.problems["relu"], tiny.data, lane_ids(1), jnp.float32(0.01))
    train = tiny.task.inputs[np.asarray(lane.split.train)]
    np.testing.assert_allclose(lane.fitted.mean, train.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(lane.fitted.std, train.std(axis=0), atol=1e-6)


def test_arms_start_alike(tiny):
    lanes = [
        make_lane(problem, tiny.data, lane_ids(4), jnp.float32(0.01))
        for problem in tiny.problems.values()
    ]
    states = [
        start(problem, lane)
        for problem, lane in zip(tiny.problems.values(), lanes, strict=True)
    ]
    for mine, theirs in zip(*map(jax.tree.leaves, states), strict=True):
        assert np.array_equal(mine, theirs)
    for mine, theirs in zip(*map(jax.tree.leaves, lanes), strict=True):
        if jnp.issubdtype(mine.dtype, jax.dtypes.prng_key):
            mine, theirs = jax.random.key_data(mine), jax.random.key_data(theirs)
        assert np.array_equal(mine, theirs)
