"""All lanes of an arm as one program: chunks vmapped, mapped, shared over devices."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec
from jaxtyping import Array, Float, Int, PyTree

from research.training import checksums
from research.training.devices import AXIS, seed_mesh
from research.training.plan import Plan
from research.training.problem import (
    Data,
    Lane,
    LaneState,
    Problem,
    StreamIds,
    bound,
    make_lane,
    start,
)
from research.training.score import score_lane
from research.training.step import curve_values, evaluate, train_epoch

# Epochs whose curves a round can hold on the device.
ROUND_EPOCHS = 256
# How a program is compiled that runs once a block: a third less time than by default.
ONCE: dict[str, str | bool] = {"xla_backend_optimization_level": "2"}


@dataclass(frozen=True, kw_only=True)
class Programs:
    """The compiled programs of an arm, over a block of lanes.

    start: ((ids, learning_rates), data) -> (lanes, states, initial curves, checksums).
    train: (lanes, states, data, first epoch, epochs) -> (states, curves); the states
      given are consumed.
    score: (lanes, states, data) -> Scored; compiled in a thread while lanes train.
    compile_seconds: until training can begin.
    """

    start: Callable[..., Any]
    train: Callable[..., Any]
    scoring: Future[Callable[..., Any]]
    compile_seconds: float

    @property
    def score(self) -> Callable[..., Any]:
        """The program of the scores, waited for."""
        return self.scoring.result()


def over_lanes(
    function: Callable[[PyTree, PyTree], PyTree], mesh: Mesh, width: int
) -> Callable[[PyTree, PyTree], PyTree]:
    """Lifts function(lane, shared) to function(lanes, shared), leaf by leaf on axis 0.

    Devices share the lanes without a word between them; each maps over its chunks.
    """

    def on_device(lanes: PyTree, shared: PyTree) -> PyTree:
        chunks = jax.tree.map(lambda x: x.reshape(-1, width, *x.shape[1:]), lanes)
        one_chunk = jax.vmap(lambda lane: function(lane, shared))
        results = jax.lax.map(one_chunk, chunks)
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), results)

    lanes, everywhere = PartitionSpec(AXIS), PartitionSpec()
    return jax.shard_map(
        on_device,
        mesh=mesh,
        in_specs=(lanes, everywhere),
        out_specs=lanes,
        check_vma=False,
    )


def start_lane(
    problem: Problem, ids_and_rate: tuple[StreamIds, Array], data: Data
) -> tuple[Lane, LaneState, dict[str, Array], dict[str, Any]]:
    """Returns a lane, its first state, the curves before training and its checksums."""
    problem = bound(problem, data)
    lane = make_lane(problem, data, *ids_and_rate)
    state = start(problem, lane)
    validation = evaluate(
        problem, data, lane, lane.split.validation, state.params, state.model_state
    )
    curves = curve_values(state.alive, jnp.float32(jnp.nan), validation)
    sums = {
        "weights": checksums.of_leaves(state.params),
        "split": checksums.of_tree(lane.split),
    }
    return lane, state, curves, sums


def train_lane(
    problem: Problem,
    lane_and_state: tuple[Lane, LaneState],
    data_and_epochs: tuple[Data, Int[Array, ""], Int[Array, ""]],
) -> tuple[LaneState, dict[str, Float[Array, " epochs"]]]:
    """Trains a lane for a round; its length is traced, so every round is one program."""
    lane, state = lane_and_state
    data, first, count = data_and_epochs
    problem = bound(problem, data)
    names = ("train_loss", *(f"validation_{name}" for name in problem.task.metrics))
    buffer = {name: jnp.full((ROUND_EPOCHS,), jnp.nan, jnp.float32) for name in names}

    def body(i: Int[Array, ""], carry: tuple[LaneState, dict]) -> tuple:
        state, curves = carry
        state, values = train_epoch(problem, data, lane, state, first + i)
        return state, {name: curves[name].at[i].set(values[name]) for name in curves}

    return jax.lax.fori_loop(0, count, body, (state, buffer))


def compile_programs(problem: Problem, plan: Plan, data: Data) -> tuple[Programs, Data]:
    """Compiles an arm's programs for blocks of the plan's size, side by side.

    XLA compiles outside of Python's lock, a program on a core.

    Returns:
      The programs, and the data laid on every device that uses it.
    """
    began = time.perf_counter()
    mesh = seed_mesh(plan.devices)
    lay = lambda spec: jax.sharding.NamedSharding(mesh, spec)  # noqa: E731
    data = jax.device_put(data, lay(PartitionSpec()))

    def lifted(function: Callable) -> Callable:
        bound = lambda lane, shared: function(problem, lane, shared)  # noqa: E731
        return over_lanes(bound, mesh, plan.lanes_per_chunk)

    lanes = lay(PartitionSpec(AXIS))
    block = plan.lanes_per_block
    id_ = jax.ShapeDtypeStruct((block,), jnp.int32, sharding=lanes)
    ids = StreamIds(*(id_ for _ in StreamIds._fields))
    rates = jax.ShapeDtypeStruct((block,), jnp.float32, sharding=lanes)
    epoch = jax.ShapeDtypeStruct((), jnp.int32)
    threads = ThreadPoolExecutor()
    start = jax.jit(lifted(start_lane)).lower((ids, rates), data)
    starting = threads.submit(start.compile, ONCE)
    lane, state = jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=lanes),
        start.out_info[:2],
    )
    train = jax.jit(
        lambda lane, state, data, first, count: lifted(train_lane)(
            (lane, state), (data, first, count)
        ),
        donate_argnums=1,
    ).lower(lane, state, data, epoch, epoch)
    training = threads.submit(train.compile)
    score = jax.jit(lifted(score_lane))
    compiled = {"start": starting.result(), "train": training.result()}
    programs = Programs(
        **compiled,
        scoring=threads.submit(lambda: score.lower((lane, state), data).compile()),
        compile_seconds=time.perf_counter() - began,
    )
    threads.shutdown(wait=False)
    return programs, data
