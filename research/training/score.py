"""The scores of a finished lane: the only place where the test rows are read."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree, UInt32

from research.training import checksums
from research.training.problem import (
    Data,
    Lane,
    LaneState,
    Problem,
    bound,
    forward,
    take,
)
from research.training.step import all_finite, evaluation_rows, over_rows, per_example


class Scored(NamedTuple):
    """What is known of a lane when it is done.

    test, test_last: every metric per test row, with the parameters of the best
      validation loss, and with the last ones.
    test_rows: which rows of the task these are.
    test_weight: what each test row weighs in the task's means.
    validation: every metric with the best parameters.
    zero_units: share of hidden outputs that are exactly 0 on validation rows, with the
      best parameters; dead_units: share of hidden units that are 0 on all of them.
    """

    test: dict[str, Float[Array, " rows"]]
    test_last: dict[str, Float[Array, " rows"]]
    test_rows: Int[Array, " rows"]
    test_weight: Float[Array, " rows"]
    validation: dict[str, Float[Array, ""]]
    zero_units: Float[Array, ""]
    dead_units: Float[Array, ""]
    best_epoch: Int[Array, ""]
    alive: Bool[Array, ""]
    steps: Int[Array, ""]
    rows_checksum: UInt32[Array, ""]
    final_checksum: UInt32[Array, ""]


def score_lane(
    problem: Problem, lane_and_state: tuple[Lane, LaneState], data: Data
) -> Scored:
    """Returns a finished lane's scores."""
    lane, state = lane_and_state
    problem, task = bound(problem, data), problem.task
    best = (state.best_params, state.best_model_state)

    def measure(rows: Int[Array, " rows"], params: PyTree, model_state: PyTree) -> dict:
        return per_example(problem, data, lane, rows, params, model_state)

    validation = measure(lane.split.validation, *best)
    test = measure(lane.split.test, *best)
    test_last = measure(lane.split.test, state.params, state.model_state)
    zero, dead = silent_units(problem, data, lane, *best)
    return Scored(
        test=test,
        test_last=test_last,
        test_rows=lane.split.test,
        test_weight=(task.weight or _equal)(take(data.targets, lane.split.test)),
        validation=over_rows(
            task, validation, take(data.targets, lane.split.validation)
        ),
        zero_units=zero,
        dead_units=dead,
        best_epoch=state.best_epoch,
        alive=state.alive & all_finite((test, test_last)),
        steps=state.steps,
        rows_checksum=state.rows_checksum,
        final_checksum=checksums.of_tree(state.params),
    )


def _equal(targets: PyTree) -> Float[Array, " rows"]:
    return jnp.ones(jax.tree.leaves(targets)[0].shape[0], jnp.float32)


def silent_units(
    problem: Problem, data: Data, lane: Lane, params: PyTree, model_state: PyTree
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Returns the share of zero outputs and of dead units behind the activation.

    Where the model calls its activation inside a scan, a vmap or a jit of its own, the
    outputs are no values of this trace. What is asked of them comes out of it as the
    gradient of counters that every output is given: of a unit, over all that it gave. A
    hidden unit of a Transformer is one at every position. Both are NaN where no gradient
    comes out of the model's activation.
    """
    rows = lane.split.validation[: evaluation_rows(problem.task)]
    inputs = problem.task.transform(lane.fitted, take(data.inputs, rows))
    widths: list[int] = []

    def run(tap: Callable[[Array], Array]) -> PyTree:
        model = problem.tapped(tap)
        return forward(
            problem, params, model_state, inputs, key=None, train=False, model=model
        )[0]

    def measured(hidden: Array) -> Array:
        widths.append(hidden.shape[-1] if hidden.ndim else 1)
        return hidden

    def counted(counters: list[Array]) -> PyTree:
        left = iter(counters)
        return run(lambda hidden: with_counter(hidden, next(left)))

    jax.eval_shape(lambda: run(measured))
    outputs, count = jax.vjp(counted, [jnp.zeros((2, width)) for width in widths])
    (counts,) = count(jax.tree.map(jnp.zeros_like, outputs))
    zeros, others = jnp.concatenate(counts, axis=1)
    # A scan traces its body more than once, and one of them is run.
    units = zeros + others > 0
    share = zeros / (zeros + others)
    return share.mean(where=units), (others == 0).mean(where=units)


@jax.custom_vjp
def with_counter(
    hidden: Float[Array, "..."], counter: Float[Array, "2 units"]
) -> Float[Array, "..."]:
    """Returns hidden outputs; the counter's gradient says how many of a unit's are
    exactly 0, and how many are not."""
    del counter
    return hidden


def _give(hidden: Array, counter: Array) -> tuple[Array, Array]:
    return with_counter(hidden, counter), hidden


def _count(hidden: Array, cotangent: Array) -> tuple[Array, Array]:
    zero = (hidden == 0).reshape(-1, hidden.shape[-1] if hidden.ndim else 1)
    # Both are counted: of a constant a vmap around would not give the sum.
    counts = jnp.stack([zero.sum(axis=0), (~zero).sum(axis=0)]).astype(jnp.float32)
    # No gradient goes on from here: the layers before have nothing to compute.
    return jnp.zeros_like(cotangent), counts


with_counter.defvjp(_give, _count)
