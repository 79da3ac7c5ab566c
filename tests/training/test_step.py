"""One lane, step by step, against loops that share no code with it."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from tiny_runs import lane_ids

from research import prng
from research.training.problem import make_lane, start
from research.training.step import (
    EVALUATED_AT_ONCE,
    per_example,
    shuffle,
    train_epoch,
    train_step,
)

EPOCHS = 8


@pytest.fixture(scope="module")
def problem(tiny):
    return tiny.problems["relu"]


@pytest.fixture(scope="module")
def walk(tiny, problem):
    """Returns a lane, and its state and curve values after each epoch, by a plain loop."""

    @jax.jit
    def once(lane, state, epoch):
        return train_epoch(problem, tiny.data, lane, state, epoch)

    def walk(rate: float):
        lane = lane_of(problem, tiny.data, rate=rate)
        state, passed = start(problem, lane), []
        for epoch in range(EPOCHS):
            state, values = once(lane, state, jnp.int32(epoch))
            passed.append((state, values))
        return lane, passed

    return walk


@pytest.fixture(scope="module")
def epochs(walk):
    return walk(0.03)


def lane_of(problem, data, *, rate):
    return make_lane(problem, data, lane_ids(3), jnp.float32(rate))


def forward(params, x):
    """The network of the tiny problem, written out."""
    first, last = params["layers"][0], params["layers"][1]
    hidden = jnp.maximum(x @ first["kernel"] + first["bias"][None], 0)
    return (hidden @ last["kernel"] + last["bias"][None])[:, 0]


def mean_loss(params, x, y):
    logits = forward(params, x)
    return jnp.mean(jnp.logaddexp(0, logits) - y * logits)


def test_training_is_plain_optax_over_the_same_batches(tiny, problem, epochs):
    lane, passed = epochs
    inputs, targets = np.asarray(tiny.task.inputs), np.asarray(tiny.task.targets)
    train = inputs[np.asarray(lane.split.train)]
    inputs = (inputs - train.mean(axis=0)) / train.std(axis=0)
    params = problem.model.init(lane.init_key)[0]
    adam = optax.adam(0.03)
    optimizer_state = adam.init(params)
    for epoch in range(2):
        order = np.asarray(
            shuffle(prng.at_step(lane.order_key, epoch), lane.split.train)
        )
        losses = []
        for first in range(0, 112, 16):  # 120 rows are seven batches of 16; 8 are left
            rows = order[first : first + 16]
            loss, gradient = jax.value_and_grad(mean_loss)(
                params, inputs[rows], targets[rows]
            )
            updates, optimizer_state = adam.update(gradient, optimizer_state)
            params = optax.apply_updates(params, updates)
            losses.append(loss)
        state, values = passed[epoch]
        assert values["train_loss"] == pytest.approx(np.mean(losses), abs=1e-6)
        for mine, theirs in zip(
            *map(jax.tree.leaves, (params, state.params)), strict=True
        ):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-6)
        assert state.steps == 7 * (epoch + 1)


def test_validation_is_the_mean_over_the_validation_rows(tiny, epochs):
    lane, passed = epochs
    state, values = passed[-1]
    rows = np.asarray(lane.split.validation)
    x = (tiny.task.inputs[rows] - np.asarray(lane.fitted.mean)) / np.asarray(
        lane.fitted.std
    )
    y = tiny.task.targets[rows]
    loss = mean_loss(state.params, x, y)
    assert values["validation_loss"] == pytest.approx(float(loss), abs=1e-6)
    right = np.asarray(forward(state.params, x) > 0) == (y > 0.5)
    assert values["validation_accuracy"] == pytest.approx(right.mean(), abs=1e-6)


def test_the_best_parameters_are_those_of_the_lowest_validation_loss(walk):
    _, passed = walk(3.0)  # so high a rate that the best epoch is not the last
    losses = [float(values["validation_loss"]) for _, values in passed]
    best, state = int(np.argmin(losses)), passed[-1][0]
    assert best < EPOCHS - 1
    assert state.best_epoch == best + 1
    assert float(state.best_loss) == losses[best]
    then = passed[best][0].params
    pairs = zip(*map(jax.tree.leaves, (state.best_params, then)), strict=True)
    assert all(np.array_equal(mine, theirs) for mine, theirs in pairs)
    last = zip(*map(jax.tree.leaves, (state.best_params, state.params)), strict=True)
    assert not any(np.array_equal(mine, theirs) for mine, theirs in last)


def test_a_step_that_is_not_finite_changes_nothing(tiny, problem):
    lane = lane_of(problem, tiny.data, rate=1e30)
    step = jax.jit(
        lambda state, rows: train_step(
            problem, tiny.data, lane, state, rows, lane.dropout_key
        )
    )
    rows = lane.split.train[:16]
    alive, loss = step(start(problem, lane), rows)
    assert (bool(alive.alive), int(alive.steps)) == (True, 1)
    assert np.isfinite(float(loss))
    frozen, loss = step(alive, rows)
    assert (bool(frozen.alive), int(frozen.steps)) == (False, 1)
    assert not np.isfinite(float(loss))
    later, _ = step(frozen, rows)
    for name in ("params", "model_state", "best_params", "steps"):
        before, after = getattr(alive, name), getattr(later, name)
        pairs = zip(*map(jax.tree.leaves, (before, after)), strict=True)
        assert all(np.array_equal(one, other) for one, other in pairs), name
    # The rows are counted on, so that pairing can still be checked.
    assert frozen.rows_checksum != later.rows_checksum


def test_a_lane_whose_validation_is_not_finite_is_frozen_too(tiny, problem):
    # The epoch's last step may leave parameters that no step has tried yet.
    lane = lane_of(problem, tiny.data, rate=1e30)
    whole = dataclasses.replace(problem, batch_size=tiny.task.rows.train)
    once = jax.jit(
        lambda state: train_epoch(whole, tiny.data, lane, state, jnp.int32(0))
    )
    state, values = once(start(whole, lane))
    assert (int(state.steps), bool(state.alive)) == (1, False)
    assert np.isnan(values["validation_loss"])


def test_many_rows_are_measured_a_batch_at_a_time(tiny, problem, epochs):
    lane, passed = epochs
    params, count = passed[-1][0].params, 2 * EVALUATED_AT_ONCE + 3
    rows = jnp.arange(count, dtype=jnp.int32) * 7 % 200

    @jax.jit
    def measure(some):
        return per_example(problem, tiny.data, lane, some, params, {})

    pieces = [
        measure(rows[first : first + EVALUATED_AT_ONCE])
        for first in range(0, count, EVALUATED_AT_ONCE)
    ]
    for name, values in measure(rows).items():
        expected = np.concatenate([piece[name] for piece in pieces])
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)


def test_the_order_is_fresh_each_epoch(epochs):
    lane, passed = epochs
    drawn = [
        np.asarray(shuffle(prng.at_step(lane.order_key, epoch), lane.split.train))
        for epoch in range(3)
    ]
    assert len({order.tobytes() for order in drawn}) == 3
    sums = {int(state.rows_checksum) for state, _ in passed}
    assert len(sums) == EPOCHS
