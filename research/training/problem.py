"""What one lane is: its problem, its constants and its state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key, PyTree, UInt32

from research import prng
from research.models.contract import Model
from research.tasks.contract import Split, Task

# The optimisers that a config may name, as functions of the learning rate, which is a
# traced value of the lane.
OPTIMIZERS: dict[str, Callable[..., optax.GradientTransformation]] = {
    "adam": optax.adam
}


class Data(NamedTuple):
    """The task's and the model's arrays, held once on each device, shared by all lanes.

    chosen: which activation is trained, of a problem that has several.
    """

    inputs: PyTree
    targets: PyTree
    constants: PyTree = ()
    chosen: PyTree = ()


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Everything of a training but its seed and learning rate.

    tapped: tap -> the same model, with tap(output) in place of each output of the
      activation; not while it is built, when a Linen module is tried.
    redraws_test: whether each lane has a test set of its own.
    dtype: in which the model computes; parameters, losses and metrics stay float32.
    remat: "full" has a training step compute the model again for the gradient.
    choose: index of an activation -> the problem with that one, where several share
      their programs.
    """

    task: Task
    model: Model
    tapped: Callable[[Callable[[Array], Array]], Model]
    optimizer: str
    batch_size: int
    redraws_test: bool = False
    dtype: str = "float32"
    remat: str = "none"
    choose: Callable[[Int[Array, ""]], "Problem"] | None = None

    @property
    def steps_per_epoch(self) -> int:
        """Whole batches of the training part; the rest of a shuffle is left out."""
        return self.task.rows.train // self.batch_size


def bound(problem: Problem, data: Data) -> Problem:
    """Returns the problem with the activation and the constants that the data have."""
    if problem.choose is not None:
        problem = problem.choose(data.chosen)
    if problem.model.bound is None:
        return problem

    def rebound(model: Model) -> Model:
        assert model.bound is not None
        return model.bound(data.constants)

    return replace(
        problem,
        model=rebound(problem.model),
        tapped=lambda tap: rebound(problem.tapped(tap)),
    )


class StreamIds(NamedTuple):
    """The ids that each of a lane's random streams is drawn from, or arrays of them.

    Dropout goes with the order.
    """

    init: Any
    order: Any
    split: Any
    test_split: Any


def stream_ids(
    seeds: Sequence[int], *, vary: tuple[str, ...], background: int = 0
) -> StreamIds:
    """Returns the ids of lanes: the seed where a stream varies, else the background."""
    ids = np.asarray(seeds, np.int32)
    fixed = np.full_like(ids, background)
    return StreamIds(*(ids if name in vary else fixed for name in StreamIds._fields))


# One lane's ids, for programs that are traced only.
ANY_LANE = StreamIds(*(np.int32(0) for _ in StreamIds._fields))


class Lane(NamedTuple):
    """What one training is given: constant while it runs."""

    learning_rate: Float[Array, ""]
    init_key: Key[Array, ""]
    order_key: Key[Array, ""]
    dropout_key: Key[Array, ""]
    split: Split
    fitted: PyTree


class LaneState(NamedTuple):
    """What changes while a lane trains.

    best_*: the parameters with the lowest validation loss seen after an epoch.
    alive: False from the first step whose loss or gradient is not finite.
    steps: optimiser steps really taken.
    rows_checksum: of the rows drawn, in order.
    """

    params: PyTree
    model_state: PyTree
    optimizer_state: PyTree
    best_params: PyTree
    best_model_state: PyTree
    best_loss: Float[Array, ""]
    best_epoch: Int[Array, ""]
    alive: Bool[Array, ""]
    steps: Int[Array, ""]
    rows_checksum: UInt32[Array, ""]


def make_lane(
    problem: Problem, data: Data, ids: StreamIds, learning_rate: Float[Array, ""]
) -> Lane:
    """Returns a lane's constants, all functions of its ids and learning rate."""
    test_key = None
    if problem.redraws_test:
        test_key = prng.stream_key("test_split", ids.test_split)
    split = problem.task.split(prng.stream_key("split", ids.split), test_key)
    return Lane(
        learning_rate=learning_rate,
        init_key=prng.stream_key("init", ids.init),
        order_key=prng.stream_key("order", ids.order),
        dropout_key=prng.stream_key("dropout", ids.order),
        split=split,
        fitted=problem.task.fit(take(data.inputs, split.train)),
    )


def start(problem: Problem, lane: Lane) -> LaneState:
    """Returns a lane's state before its first step."""
    params, model_state = problem.model.init(lane.init_key)
    optimizer = OPTIMIZERS[problem.optimizer](lane.learning_rate)
    return LaneState(
        params=params,
        model_state=model_state,
        optimizer_state=optimizer.init(params),
        best_params=params,
        best_model_state=model_state,
        best_loss=jnp.float32(jnp.inf),
        best_epoch=jnp.int32(0),
        alive=jnp.bool_(True),
        steps=jnp.int32(0),
        rows_checksum=jnp.uint32(0),
    )


def take(arrays: PyTree, rows: Int[Array, " rows"]) -> PyTree:
    """Returns the chosen rows of every array."""
    return jax.tree.map(lambda array: array[rows], arrays)


def forward(
    problem: Problem,
    params: PyTree,
    model_state: PyTree,
    inputs: PyTree,
    *,
    key: Key[Array, ""] | None,
    train: bool,
    model: Model | None = None,
) -> tuple[PyTree, PyTree]:
    """Applies the problem's model, or another of the same parameters, in its dtype.

    Returns:
      The outputs in float32, and the model's state in its own types.
    """
    apply = (model or problem.model).apply
    if problem.dtype == "float32":
        return apply(params, model_state, inputs, key=key, train=train)
    outputs, after = apply(
        _cast(params, problem.dtype),
        model_state,
        _cast(inputs, problem.dtype),
        key=key,
        train=train,
    )
    kept = jax.tree.map(lambda new, old: new.astype(old.dtype), after, model_state)
    return _cast(outputs, "float32"), kept


def _cast(tree: PyTree, dtype: str) -> PyTree:
    """Returns the tree with its floating-point leaves in this type."""
    return jax.tree.map(
        lambda x: x.astype(dtype) if jnp.issubdtype(x.dtype, jnp.floating) else x, tree
    )


def weighted_mean(
    task: Task, values: Float[Array, " rows"], targets: PyTree
) -> Float[Array, ""]:
    """Returns the mean over examples, each with its weight in this task."""
    if task.weight is None:
        return values.mean()
    weights = task.weight(targets)
    # A batch of examples without a single token has no loss.
    return (values * weights).sum() / jnp.maximum(weights.sum(), 1)
