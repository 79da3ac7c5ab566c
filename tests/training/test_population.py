"""Lanes do not feel each other: not the chunk, the rounds, the blocks, nor a divergence."""

import functools

import jax
import numpy as np
import pytest
from tiny_runs import fixed_plan, numbers, train

from research import prng
from research.records.events import RoundFinished
from research.training.population import compile_programs, start_lane
from research.training.problem import stream_ids
from research.training.step import shuffle

SEEDS = stream_ids(range(8), vary=("init", "order", "split"))
RATE = np.float32(0.01)
# Another chunk width or device count may change rounding: a unit in the last place of a
# loss near 1 is 1.2e-7, and within five epochs it does not grow beyond a few of them.
ROUNDING = 1e-6


one_device = functools.partial(fixed_plan, devices=1)


@pytest.fixture(scope="module")
def relu(tiny):
    """The ReLU arm on one device: seeds 0 to 7 in chunks of four."""
    return train(tiny, "relu", plan=one_device())


@pytest.fixture(scope="module")
def compiled(tiny):
    """The ReLU arm's programs for eight lanes in chunks of four."""
    return compile_programs(tiny.problems["relu"], one_device(), tiny.data)


def trained(compiled, *, ids=SEEDS, rates=None, rounds=(5,)):
    """Returns the lanes' constants, and states and curves after these rounds."""
    programs, data = compiled
    rates = np.full(8, RATE) if rates is None else rates
    lanes, states, _, _ = programs.start((ids, rates), data)
    done, pieces = 0, []
    for count in rounds:
        states, curves = programs.train(
            lanes, states, data, np.int32(done), np.int32(count)
        )
        pieces.append({name: np.asarray(c)[:, :count] for name, c in curves.items()})
        done += count
    curves = {
        name: np.concatenate([piece[name] for piece in pieces], axis=1)
        for name in pieces[0]
    }
    return lanes, jax.tree.map(np.asarray, states), curves


def assert_same_bits(mine, theirs):
    for one, other in zip(*map(jax.tree.leaves, (mine, theirs)), strict=True):
        assert one.tobytes() == other.tobytes()


def assert_same_lane(mine, i, theirs, j, *, atol):
    """Compares a lane of one trained arm with a lane of another."""
    mine, theirs = numbers(mine), numbers(theirs)
    assert mine.keys() == theirs.keys()
    for name in mine:
        one, other = np.asarray(mine[name])[i], np.asarray(theirs[name])[j]
        if atol == 0:
            assert one.tobytes() == other.tobytes(), name
        elif name != "final_checksum":
            # Draws are whole numbers and checksums: they are equal, whatever the plan.
            drawn = np.issubdtype(one.dtype, np.integer) or one.dtype == bool
            np.testing.assert_allclose(
                one, other, rtol=0, atol=0 if drawn else atol, err_msg=name
            )


@pytest.mark.parametrize(
    ("seeds", "block"),
    [((3,), 4), (range(12), 4), ((9, 3, 1), 4), (range(2, 10), 8)],
    ids=["alone", "among 12", "at another place", "with another first seed"],
)
def test_a_seed_does_not_feel_the_others(tiny, relu, seeds, block):
    arm = train(tiny, "relu", seeds=seeds, plan=one_device(block=block))
    place = list(seeds).index(3)
    assert_same_lane(arm, place, relu, 3, atol=0)


@pytest.mark.parametrize(("width", "block"), [(1, 1), (7, 14)])
def test_a_seed_feels_the_chunk_by_rounding_alone(tiny, relu, width, block):
    arm = train(tiny, "relu", plan=one_device(width=width, block=block))
    assert_same_lane(arm, 3, relu, 3, atol=ROUNDING)


def test_a_seed_feels_the_devices_by_rounding_alone(relu, tiny_arms):
    for seed in range(8):
        assert_same_lane(tiny_arms["relu"], seed, relu, seed, atol=ROUNDING)


def test_blocks_of_lanes_change_no_bit(tiny, relu):
    seen: list = []
    opened: list = []
    arm = train(
        tiny,
        "relu",
        plan=one_device(block=4),
        observe=seen.append,
        before_scoring=lambda seeds: opened.append(tuple(seeds)),
    )
    for seed in range(8):
        assert_same_lane(arm, seed, relu, seed, atol=0)
    assert opened == [(0, 1, 2, 3), (4, 5, 6, 7)]
    rounds = [event for event in seen if isinstance(event, RoundFinished)]
    assert {event.seeds for event in rounds} == set(opened)
    for block in opened:
        mine = [event for event in rounds if event.seeds == block]
        assert mine[0].first_epoch == 0
        whole = np.concatenate([r.curves["validation_loss"] for r in mine], axis=1)
        kept = arm.curves["validation_loss"][list(block)]
        assert np.array_equal(whole, kept)


def test_rounds_change_no_bit(compiled):
    _, whole, curves = trained(compiled)
    for rounds in ((1, 4), (2, 2, 1), (1, 1, 1, 1, 1)):
        _, cut, pieces = trained(compiled, rounds=rounds)
        assert_same_bits(whole, cut)
        assert_same_bits(curves, pieces)


def test_the_curves_of_an_arm_are_those_of_its_rounds(compiled, relu):
    arm, (_, _, curves) = relu, trained(compiled)
    for name, values in curves.items():
        assert arm.curves[name].shape == (8, 6)
        assert np.array_equal(arm.curves[name][:, 1:], values)
    assert np.isnan(arm.curves["train_loss"][:, 0]).all()
    assert np.isfinite(arm.curves["validation_loss"]).all()
    assert arm.parameters == 2 * 8 + 8 + 8 + 1


def test_a_diverging_lane_is_frozen_and_leaves_the_others_alone(compiled):
    rates = np.full(8, RATE)
    rates[2], rates[5] = 1e30, 1e19
    _, healthy, calm = trained(compiled)
    _, early, _ = trained(compiled, rates=rates, rounds=(1,))
    _, states, curves = trained(compiled, rates=rates, rounds=(1, 4))
    gone, left = np.array([2, 5]), np.array([0, 1, 3, 4, 6, 7])
    pick = lambda tree, lanes: jax.tree.map(lambda leaf: leaf[lanes], tree)  # noqa: E731
    assert_same_bits(pick(states, left), pick(healthy, left))
    assert_same_bits(pick(curves, left), pick(calm, left))
    assert not states.alive[gone].any()
    assert (states.steps[gone] == 1).all()  # the second step's loss is not finite
    assert (states.steps[left] == 35).all()
    for name in ("params", "model_state", "best_params", "best_epoch"):
        frozen = pick(getattr(states, name), gone)
        assert_same_bits(frozen, pick(getattr(early, name), gone))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(states.params))
    for values in curves.values():
        assert np.isnan(values[gone]).all()
    # The rows that it would have drawn are counted on: pairing stays checked.
    assert np.array_equal(states.rows_checksum, healthy.rows_checksum)


def test_a_lane_stops_at_the_very_step_that_is_not_finite(compiled, tiny):
    # One row's target is NaN: every seed that trains on it meets it at a step of its own.
    bad = 17
    programs, data = compiled
    spoiled = data._replace(targets=data.targets.at[bad].set(np.nan))
    lanes, states, curves = trained((programs, spoiled))
    for seed in range(8):
        train_rows = lanes.split.train[seed]
        steps, whole = 35, 5
        if bad in np.asarray(lanes.split.validation[seed]):
            steps, whole = 7, 0  # found by the validation after the first epoch
        for epoch in reversed(range(5)):
            key = prng.at_step(prng.stream_key("order", seed), epoch)
            place = int(np.argmax(np.asarray(shuffle(key, train_rows)) == bad))
            if bad in np.asarray(train_rows) and place < 7 * 16:
                steps, whole = 7 * epoch + place // 16, epoch
        assert states.steps[seed] == steps
        assert states.alive[seed] == (steps == 35)
        for name in ("train_loss", "validation_loss", "validation_accuracy"):
            finite = np.isfinite(curves[name][seed])
            assert finite.tolist() == [epoch < whole for epoch in range(5)]
    assert len(np.unique(states.steps)) > 3


def test_nothing_is_compiled_twice(compiled, tiny):
    plan = one_device()
    # Whatever the host's own small operations need, and the thread of the scores.
    trained(compiled)
    train(tiny, "relu", plan=plan, epochs=1)
    assert compiled[0].score
    compiled_since: list[str] = []

    def count(event: str, duration: float, **details) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            compiled_since.append(event)

    jax.monitoring.register_event_duration_secs_listener(count)
    try:
        trained(compiled, rates=np.full(8, np.float32(0.1)), rounds=(1, 3, 2))
        train(tiny, "relu", plan=plan, learning_rate=0.003, epochs=2)
        first = len(compiled_since)
        many = range(20, 33)
        train(tiny, "relu", plan=plan, learning_rate=0.002, epochs=7, seeds=many)
        second = len(compiled_since) - first
    finally:
        jax.monitoring.unregister_event_duration_listener(count)
    # An arm is three programs, for any rate, number of epochs, rounds and blocks.
    assert first == 3
    assert second == 3


def test_what_does_not_vary_is_equal_in_every_lane(tiny):
    problem, ids = tiny.problems["relu"], stream_ids(range(8), vary=("init",))
    begin = jax.jit(jax.vmap(lambda *lane: start_lane(problem, lane, tiny.data)))
    lanes, states, _, sums = begin(ids, np.full(8, RATE))
    assert len(np.unique(sums["split"])) == 1
    assert len(np.unique(jax.random.key_data(lanes.order_key))) == 2  # one key's words
    for path, kernels in sums["weights"].items():
        assert len(np.unique(kernels)) == (8 if "kernel" in path else 1)
    assert states.params["layers"][0]["kernel"].shape == (8, 2, 8)


def test_lanes_that_vary_in_nothing_are_one_lane(compiled):
    ids = stream_ids(range(8), vary=(), background=3)
    lanes, states, curves = trained(compiled, ids=ids)
    for leaf in jax.tree.leaves((states, curves)):
        assert all(leaf[lane].tobytes() == leaf[0].tobytes() for lane in range(8))
    assert lanes.split.train.shape == (8, 120)
