"""The plan: a deterministic rule that fills the machine and leaves few lanes empty."""

import math

import jax
import pytest
from tiny_runs import tiny_experiment

from research.errors import ConfigError
from research.training import plan as module
from research.training.plan import (
    equal_blocks,
    lane_bytes,
    least_padding,
    make_plan,
)
from research.training.population import compile_programs


def planned(experiment, *, lanes, devices=1, lanes_per_chunk=None):
    return make_plan(
        experiment.problems.values(),
        experiment.data,
        lanes=lanes,
        devices=devices,
        lanes_per_chunk=lanes_per_chunk,
    )


@pytest.mark.parametrize(
    ("lanes", "widest", "width"),
    [
        (64, 20, 16),
        (64, 64, 64),
        (9, 5, 3),
        (7, 4, 4),
        (5, 5, 5),
        (1, 1, 1),
        (11, 7, 6),
    ],
)
def test_the_width_that_pads_least(lanes, widest, width):
    assert least_padding(lanes, widest) == width


@pytest.mark.parametrize("lanes", range(1, 40))
@pytest.mark.parametrize("widest", [1, 2, 3, 8, 13])
def test_padding_is_never_more_than_at_the_widest(lanes, widest):
    width = least_padding(lanes, widest)
    assert widest / 2 <= width <= widest
    assert -lanes % width <= -lanes % widest


@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 64, 100])
@pytest.mark.parametrize("devices", [1, 2, 3])
@pytest.mark.parametrize("set_width", [None, 1, 7])
def test_every_plan_holds_together(tiny, lanes, devices, set_width):
    plan = planned(tiny, lanes=lanes, devices=devices, lanes_per_chunk=set_width)
    stride = plan.devices * plan.lanes_per_chunk
    assert 1 <= plan.devices <= min(devices, lanes)
    assert plan.lanes_per_chunk <= math.ceil(lanes / plan.devices)
    assert plan.lanes_per_block % stride == 0
    assert lanes <= plan.lanes_per_block < lanes + stride
    assert plan == planned(
        tiny, lanes=lanes, devices=devices, lanes_per_chunk=set_width
    )
    if set_width is not None:
        assert plan.lanes_per_chunk == min(set_width, math.ceil(lanes / plan.devices))
        assert plan.rule == "lanes_per_chunk as set"


def test_a_chunk_fits_the_cache(tiny, monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    state, batch = map(
        max, *(lane_bytes(problem, tiny.data) for problem in tiny.problems.values())
    )
    for lanes_that_fit in (1, 5, 10_000):
        monkeypatch.setattr(
            module, "l2_bytes", lambda n=lanes_that_fit: n * (state + batch)
        )
        plan = planned(tiny, lanes=2000)
        most = min(lanes_that_fit, module.LARGEST_CHUNK_ON_CPU)
        assert most / 2 <= plan.lanes_per_chunk <= module.LARGEST_CHUNK_ON_CPU
        if lanes_that_fit < 100:
            taken = plan.lanes_per_chunk * (state * 3 // 4 + batch)
            assert taken <= module.l2_bytes()
    monkeypatch.setattr(module, "l2_bytes", lambda: 1)
    assert planned(tiny, lanes=64).lanes_per_chunk == 1


def test_a_small_memory_makes_blocks(tiny, monkeypatch):
    state, batch = lane_bytes(tiny.problems["relu"], tiny.data)
    monkeypatch.setattr(module, "free_bytes", lambda: 4 * 10 * state)
    plan = planned(tiny, lanes=64, lanes_per_chunk=4)
    assert plan.lanes_per_block == 8
    monkeypatch.setattr(module, "free_bytes", lambda: state + batch)
    assert planned(tiny, lanes=64, lanes_per_chunk=4).lanes_per_block == 4


@pytest.mark.parametrize("lanes", [1, 7, 64, 1000, 99_999])
@pytest.mark.parametrize("stride", [1, 6, 8])
@pytest.mark.parametrize("most", [0, 8, 100, 470])
def test_blocks_are_few_and_alike(lanes, stride, most):
    block = equal_blocks(lanes, most=most, stride=stride)
    largest = max(most // stride, 1) * stride
    blocks = math.ceil(lanes / block)
    assert block % stride == 0
    assert block <= largest
    assert blocks == math.ceil(lanes / largest)
    # At most a stride of each block is empty.
    assert blocks * block - lanes < blocks * stride


def test_memory_does_not_grow_with_the_seeds():
    experiment = tiny_experiment(model={"hidden": (64, 64)}, seeds=4096)
    more = planned(experiment, lanes=1_000_000, devices=experiment.plan.devices)
    assert more.lanes_per_block <= 2 * experiment.plan.lanes_per_block
    programs, _ = compile_programs(
        experiment.problems["relu"], experiment.plan, experiment.data
    )
    for program in (programs.start, programs.train, programs.score):
        taken = program.memory_analysis().temp_size_in_bytes
        assert experiment.plan.devices * taken < 64 * 2**20


def test_a_lane_is_counted_with_moments_and_best_parameters():
    experiment = tiny_experiment(model={"hidden": (64, 64)})
    state, batch = lane_bytes(experiment.problems["relu"], experiment.data)
    words = 4 * 4417  # parameters, two moments, the best parameters
    assert words * 4 <= state <= words * 4 + 100
    assert batch >= 16 * (64 + 64 + 64 + 64 + 1) * 4  # before and behind activations


@pytest.mark.parametrize(
    ("text", "size"), [("2048K\n", 2**21), ("1M", 2**20), ("65536", 65536)]
)
def test_the_cache_as_linux_says_it(tmp_path, monkeypatch, text, size):
    place = tmp_path / "size"
    monkeypatch.setattr(module, "CACHE_BYTES", place)
    assert module.l2_bytes() == 2**20
    place.write_text(text)
    assert module.l2_bytes() == size


def test_a_model_of_which_no_lane_fits_is_refused(monkeypatch):
    experiment = tiny_experiment()
    need = sum(lane_bytes(experiment.problems["relu"], experiment.data))
    monkeypatch.setattr(module, "free_bytes", lambda: need)
    assert planned(experiment, lanes=4).lanes_per_chunk >= 1
    monkeypatch.setattr(module, "free_bytes", lambda: need - 1)
    with pytest.raises(ConfigError, match=r"one lane needs .* are free"):
        planned(experiment, lanes=4)
