"""How lanes are laid on the machine: a deterministic rule from shapes and caches.

On a CPU the lanes vmapped together should fit a core's second-level cache; on an
accelerator as many as memory holds. The plan changes rounding, never the draws.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from research.errors import ConfigError
from research.training.cost import products
from research.training.free_memory import free_bytes
from research.training.problem import (
    ANY_LANE,
    Data,
    Lane,
    LaneState,
    Problem,
    make_lane,
    start,
    take,
)
from research.training.problem import forward as apply_model

LARGEST_CHUNK_ON_CPU = 64
# The share of free memory that the state of one block may take.
BLOCK_SHARE = 0.25
# On a CPU a block of more state is no faster, and training needs as much again.
LARGEST_BLOCK_ON_CPU = 2**25
CACHE_BYTES = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """devices share the lanes; chunks are vmapped; a block's state is held at once.

    one_program: elementwise arms are compiled once, and choose their function inside.
    """

    devices: int
    lanes_per_chunk: int
    lanes_per_block: int
    rule: str
    one_program: bool = False


def make_plan(
    problems: Iterable[Problem],
    data: Data,
    *,
    lanes: int,
    devices: int | None,
    lanes_per_chunk: int | None,
) -> Plan:
    """Returns one plan for every arm; what is given is kept, the rest follows.

    Raises:
      ConfigError: a lane that does not fit the memory.
    """
    devices = min(devices or lanes, jax.local_device_count(), lanes)
    sizes = [lane_bytes(problem, data) for problem in problems]
    state_bytes, batch_bytes = (max(size) for size in zip(*sizes, strict=True))
    if state_bytes + batch_bytes > (free := free_bytes()):
        raise ConfigError(
            f"model: one lane needs {_gib(state_bytes + batch_bytes)} for its state and "
            f"one batch, and {_gib(free)} are free; use a smaller model or batch_size"
        )
    per_device = -(-lanes // devices)
    if lanes_per_chunk is not None:
        width, rule = min(lanes_per_chunk, per_device), "lanes_per_chunk as set"
    elif jax.default_backend() == "cpu":
        # Best parameters are touched once an epoch, so the moments and parameters count.
        room = l2_bytes() // (state_bytes * 3 // 4 + batch_bytes)
        width = min(max(room, 1), LARGEST_CHUNK_ON_CPU, per_device)
        rule = "chunk fits the second-level cache"
    else:
        room = int(free * BLOCK_SHARE) // (state_bytes + batch_bytes)
        width = min(max(room, 1), per_device)
        rule = "chunk fits the device's memory"
    if lanes_per_chunk is None:
        width = least_padding(per_device, width)
    room = int(free * BLOCK_SHARE)
    if jax.default_backend() == "cpu":
        room = min(room, LARGEST_BLOCK_ON_CPU)
    return Plan(
        devices=devices,
        lanes_per_chunk=width,
        lanes_per_block=equal_blocks(
            lanes, most=room // state_bytes, stride=devices * width
        ),
        rule=rule,
    )


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def equal_blocks(lanes: int, *, most: int, stride: int) -> int:
    """Returns the lanes of a block, whole strides of at most so many where that can be.

    As few blocks as there may be, and all alike: the last one is not mostly empty.
    """
    strides = -(-lanes // stride)
    blocks = -(-strides // max(most // stride, 1))
    return -(-strides // blocks) * stride


def least_padding(lanes: int, widest: int) -> int:
    """Returns the chunk width, from half the widest up, that leaves fewest lanes empty."""
    widths = range(widest, (widest + 1) // 2 - 1, -1)
    return min(widths, key=lambda width: -lanes % width)


def lane_bytes(problem: Problem, data: Data) -> tuple[int, int]:
    """Returns the bytes of one lane's state, and of one batch's intermediate values.

    Elementwise work is fused, so the outputs of the products count, each twice: before
    and after what is applied to it. No activation changes the plan.
    """

    def one() -> tuple[Lane, LaneState]:
        lane = make_lane(problem, data, ANY_LANE, jnp.float32(1))
        return lane, start(problem, lane)

    def forward(lane: Lane, state: LaneState) -> jax.Array:
        rows = lane.split.train[: problem.batch_size]
        inputs = problem.task.transform(lane.fitted, take(data.inputs, rows))
        outputs, _ = apply_model(
            problem,
            state.params,
            state.model_state,
            inputs,
            key=lane.dropout_key,
            train=True,
        )
        return problem.task.loss(outputs, take(data.targets, rows))

    lane, state = jax.eval_shape(one)
    found = products(jax.make_jaxpr(forward)(lane, state).jaxpr)
    batch = sum(2 * _bytes(equation.outvars[0].aval) for equation, _ in found)
    return sum(_bytes(leaf) for leaf in jax.tree.leaves(state)), batch


def _bytes(array: Any) -> int:
    """Returns the bytes of an array or its abstract value; a key's are its data's."""
    return math.prod(array.shape) * array.dtype.itemsize


def l2_bytes() -> int:
    """Returns the bytes of a core's second-level cache; 1 MiB where it is not said."""
    try:
        text = CACHE_BYTES.read_text().strip()
    except OSError:
        return 2**20
    units = {"K": 2**10, "M": 2**20}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)
