"""One optimiser step, one epoch, one evaluation of a single lane: pure, no vmap inside."""

import math

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key, PyTree, UInt32

from research import prng
from research.tasks.contract import Task
from research.training.problem import (
    OPTIMIZERS,
    Data,
    Lane,
    LaneState,
    Problem,
    forward,
    take,
    weighted_mean,
)

# Up to this many rows one sort of packed 32-bit words shuffles without a visible bias.
PACKED_ROWS = 4096
# Output positions evaluated at once: rows, or as many tokens of sequences.
EVALUATED_AT_ONCE = 1024


def shuffle(key: Key[Array, ""], rows: Int[Array, " rows"]) -> Int[Array, " rows"]:
    """Returns the rows in a random order.

    A short list is shuffled by one sort of words that hold random high bits and the
    position in the low bits: several times faster than sorting keys with a payload.
    """
    count = rows.shape[0]
    if count > PACKED_ROWS:
        return jax.random.permutation(key, rows)
    low = max(count - 1, 1).bit_length()
    position = jnp.arange(count, dtype=jnp.uint32)
    words = jax.random.bits(key, (count,), jnp.uint32) >> low << low | position
    return rows[jnp.sort(words) & ((1 << low) - 1)]


def fold_rows(
    checksum: UInt32[Array, ""], rows: Int[Array, " batch"]
) -> UInt32[Array, ""]:
    """Returns the checksum after these rows; their order matters."""
    weights = 2 * jnp.arange(rows.shape[0], dtype=jnp.uint32) + 1
    mixed = (rows.astype(jnp.uint32) + 1) * jnp.uint32(2654435761)
    return checksum * jnp.uint32(1664525) + jnp.sum(mixed * weights, dtype=jnp.uint32)


def choose(condition: Bool[Array, ""], new: PyTree, old: PyTree) -> PyTree:
    """Returns the new tree where the condition holds, else the old one, bit for bit."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), new, old)


def train_step(
    problem: Problem,
    data: Data,
    lane: Lane,
    state: LaneState,
    rows: Int[Array, " batch"],
    key: Key[Array, ""],
) -> tuple[LaneState, Float[Array, ""]]:
    """Returns the state after one step on these rows, and the batch's mean loss.

    From the first loss or gradient that is not finite on, the model stays as it was.
    """
    task = problem.task
    inputs, targets = take(data.inputs, rows), take(data.targets, rows)
    if task.augment is not None:
        inputs, targets = task.augment(prng.at_path(key, "augment"), inputs, targets)
    inputs = task.transform(lane.fitted, inputs)

    def run_model(params: PyTree) -> tuple[PyTree, PyTree]:
        return forward(problem, params, state.model_state, inputs, key=key, train=True)

    if problem.remat == "full":
        run_model = jax.checkpoint(run_model)

    def mean_loss(params: PyTree) -> tuple[Float[Array, ""], PyTree]:
        outputs, model_state = run_model(params)
        return weighted_mean(task, task.loss(outputs, targets), targets), model_state

    (loss, model_state), gradient = jax.value_and_grad(mean_loss, has_aux=True)(
        state.params
    )
    optimizer = OPTIMIZERS[problem.optimizer](lane.learning_rate)
    updates, optimizer_state = optimizer.update(
        gradient, state.optimizer_state, state.params
    )
    params = optax.apply_updates(state.params, updates)
    alive = state.alive & all_finite((loss, gradient))
    # The optimiser's own state goes on: nothing is read from it any more.
    params, model_state = choose(
        alive, (params, model_state), (state.params, state.model_state)
    )
    state = state._replace(
        params=params,
        model_state=model_state,
        optimizer_state=optimizer_state,
        alive=alive,
        steps=state.steps + alive,
        rows_checksum=fold_rows(state.rows_checksum, rows),
    )
    return state, loss


def all_finite(tree: PyTree) -> Bool[Array, ""]:
    """Tells whether every number of a tree is finite, by the sum of them all.

    A sum is several times cheaper than asking each number. It passes on NaN and
    infinities, and overflows by itself only beyond 1e34, where Adam's squares long have.
    """
    return jnp.isfinite(jnp.stack([leaf.sum() for leaf in jax.tree.leaves(tree)]).sum())


def train_epoch(
    problem: Problem,
    data: Data,
    lane: Lane,
    state: LaneState,
    epoch: Int[Array, ""],
) -> tuple[LaneState, dict[str, Float[Array, ""]]]:
    """Returns the state after a pass over a fresh shuffle, and the epoch's curve values.

    Args:
      epoch: counted from 0; with the lane's keys it fixes the order and the dropout.
    """
    steps, batch = problem.steps_per_epoch, problem.batch_size
    order = shuffle(prng.at_step(lane.order_key, epoch), lane.split.train)
    batches = order[: steps * batch].reshape(steps, batch)

    def body(
        state: LaneState, batch: tuple[Int[Array, " batch"], Int[Array, ""]]
    ) -> tuple[LaneState, Float[Array, ""]]:
        rows, step = batch
        key = prng.at_step(lane.dropout_key, epoch * steps + step)
        return train_step(problem, data, lane, state, rows, key)

    state, losses = jax.lax.scan(body, state, (batches, jnp.arange(steps)))
    validation = evaluate(
        problem, data, lane, lane.split.validation, state.params, state.model_state
    )
    # The last step's parameters are tried here for the first time.
    state = state._replace(alive=state.alive & all_finite(validation))
    state = _keep_best(state, validation["loss"], epoch + 1)
    return state, curve_values(state.alive, losses.mean(), validation)


def _keep_best(
    state: LaneState, loss: Float[Array, ""], epoch: Int[Array, ""]
) -> LaneState:
    better = state.alive & (loss < state.best_loss)
    best = choose(
        better,
        (state.params, state.model_state, loss, epoch),
        (
            state.best_params,
            state.best_model_state,
            state.best_loss,
            state.best_epoch,
        ),
    )
    return state._replace(
        best_params=best[0],
        best_model_state=best[1],
        best_loss=best[2],
        best_epoch=best[3],
    )


def curve_values(
    alive: Bool[Array, ""],
    train_loss: Float[Array, ""],
    validation: dict[str, Float[Array, ""]],
) -> dict[str, Float[Array, ""]]:
    """Returns an epoch's numbers by curve name; NaN once the lane is frozen."""
    values = {"train_loss": train_loss}
    values |= {f"validation_{name}": value for name, value in validation.items()}
    return {name: jnp.where(alive, value, jnp.nan) for name, value in values.items()}


def evaluate(
    problem: Problem,
    data: Data,
    lane: Lane,
    rows: Int[Array, " rows"],
    params: PyTree,
    model_state: PyTree,
) -> dict[str, Float[Array, ""]]:
    """Returns every metric of the task over these rows."""
    values = per_example(problem, data, lane, rows, params, model_state)
    return over_rows(problem.task, values, take(data.targets, rows))


def over_rows(
    task: Task, values: dict[str, Float[Array, " rows"]], targets: PyTree
) -> dict[str, Float[Array, ""]]:
    """Returns every metric of the task from its values per example."""
    return {
        name: task.metrics[name].of_mean(weighted_mean(task, value, targets))
        for name, value in values.items()
    }


def per_example(
    problem: Problem,
    data: Data,
    lane: Lane,
    rows: Int[Array, " rows"],
    params: PyTree,
    model_state: PyTree,
) -> dict[str, Float[Array, " rows"]]:
    """Returns every metric of the task for each of these rows, a bounded batch at a time."""
    metrics = problem.task.metrics

    def measure(some: Int[Array, " some"]) -> dict[str, Float[Array, " some"]]:
        inputs = problem.task.transform(lane.fitted, take(data.inputs, some))
        outputs, _ = forward(
            problem, params, model_state, inputs, key=None, train=False
        )
        targets = take(data.targets, some)
        return {name: metric.fn(outputs, targets) for name, metric in metrics.items()}

    count, most = rows.shape[0], evaluation_rows(problem.task)
    if count <= most:
        return measure(rows)
    padded = jnp.resize(rows, (-(-count // most), most))
    values = jax.lax.map(measure, padded)
    return jax.tree.map(lambda value: value.reshape(-1)[:count], values)


def evaluation_rows(task: Task) -> int:
    """Returns how many rows are evaluated at once, so that memory is bounded."""
    return max(EVALUATED_AT_ONCE // math.prod(task.outputs[:-1]), 1)
