"""The host's loop: an arm's lanes, block after block, round after round."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from research.records.events import Observer, RoundFinished
from research.training.keeper import NOBODY, Keeper
from research.training.lanes import TrainedArm
from research.training.plan import Plan
from research.training.population import ROUND_EPOCHS, Programs
from research.training.problem import Data, Lane, LaneState, Problem, StreamIds
from research.training.progress import Progress, Trace, from_arrays, to_arrays

# A round is as many epochs as take about this long, so that the host can show them.
ROUND_SECONDS = 1.0


def train_arm(
    problem: Problem,
    plan: Plan,
    compiled: tuple[Programs, Data],
    *,
    arm: str,
    seeds: Sequence[int],
    ids: StreamIds,
    learning_rate: float,
    epochs: int,
    observe: Observer,
    before_scoring: Callable[[Sequence[int]], None],
    keeper: Keeper = NOBODY,
) -> Iterator[TrainedArm]:
    """Trains seeds of an arm to their end, block after block, and scores each once.

    Args:
      compiled: what `compile_programs` gave for this problem and plan.
      ids: of the seeds' lanes, in the seeds' order.
      before_scoring: told which seeds' test scores are about to be computed.
      keeper: keeps each block on the way, and has what was kept of it.

    Yields:
      Each block of lanes as it is finished.
    """
    for start in range(0, len(seeds), plan.lanes_per_block):
        part = slice(start, start + plan.lanes_per_block)
        block = tuple(seeds[part])

        def tell(block: tuple[int, ...] = block, **round_: Any) -> None:
            observe(RoundFinished(arm=arm, seeds=block, **round_))

        yield _train_block(
            problem,
            plan,
            compiled,
            seeds=block,
            ids=StreamIds(*(each[part] for each in ids)),
            learning_rate=learning_rate,
            epochs=epochs,
            tell=tell,
            before_scoring=before_scoring,
            keeper=keeper,
        )


def _train_block(
    problem: Problem,
    plan: Plan,
    compiled: tuple[Programs, Data],
    *,
    seeds: Sequence[int],
    ids: StreamIds,
    learning_rate: float,
    epochs: int,
    tell: Callable[..., None],
    before_scoring: Callable[[Sequence[int]], None],
    keeper: Keeper,
) -> TrainedArm:
    programs, data = compiled
    # The block is filled up with its last seed; what those lanes give is dropped.
    missing = plan.lanes_per_block - len(seeds)
    padded = StreamIds(*(np.pad(each, (0, missing), "edge") for each in ids))
    rates = np.full(plan.lanes_per_block, learning_rate, np.float32)
    lanes, states, initial, sums = programs.start((padded, rates), data)

    def keep(tree: Any) -> Any:
        return jax.tree.map(lambda leaf: np.asarray(leaf)[: len(seeds)], tree)

    kept = keeper.restore(seeds)
    if kept is None:
        curves = {name: values[:, None] for name, values in keep(initial).items()}
        begun = Progress(epochs=0, states=states, curves=curves)
    else:
        begun = from_arrays(kept, states)
    trace = Trace(begun, keep, tell)
    with keeper.held_back() as stopping:
        states = _train_rounds(
            programs,
            lanes,
            data,
            begun,
            trace,
            epochs=epochs,
            keeper=keeper,
            save=lambda progress: keeper.save(
                seeds, progress.epochs, to_arrays(progress, lanes=len(seeds))
            ),
            stopping=stopping,
        )
    ended = trace.progress(epochs, states)
    before_scoring(seeds)
    scored = programs.score((lanes, states), data)
    best = (states.best_params, states.best_model_state)
    # The first lane is asked of its own device: the others have no word in it.
    fitted, params = jax.tree.map(
        np.asarray,
        _first(
            jax.tree.map(lambda x: x.addressable_shards[0].data, (lanes.fitted, best))
        ),
    )
    sums = keep(sums)
    return TrainedArm(
        seeds=np.asarray(seeds),
        curves=ended.curves,
        scored=keep(scored),
        weights=sums["weights"],
        splits=sums["split"],
        fitted=fitted,
        params=params,
        parameters=sum(leaf.size for leaf in jax.tree.leaves(params[0])),
        step_seconds=ended.fastest(epochs) / (len(seeds) * problem.steps_per_epoch),
        compile_seconds=programs.compile_seconds,
        train_seconds=ended.seconds,
    )


@jax.jit
def _first(lanes: Any) -> Any:
    """Returns the first lane of all."""
    return jax.tree.map(lambda leaf: leaf[0], lanes)


def _train_rounds(
    programs: Programs,
    lanes: Lane,
    data: Data,
    begun: Progress,
    trace: Trace,
    *,
    epochs: int,
    keeper: Keeper,
    save: Callable[[Progress], None],
    stopping: Callable[[], bool],
) -> LaneState:
    """Returns the states after all epochs; each round is delivered while the next runs.

    A round that is saved is waited for, for its states go into the next one. One that is
    stopped is saved, and the states are those of then.
    """
    done, states = begun.epochs, begun.states
    length, waiting = None, None
    saved, saved_at = done, time.perf_counter()
    while done < epochs and not stopping():
        # The first epoch tells how many make a round; their number changes nothing.
        count = min(length or 1, epochs - done, keeper.epochs_left(done))
        states, curves = programs.train(
            lanes, states, data, np.int32(done), np.int32(count)
        )
        if waiting is not None:
            trace.deliver(*waiting)
        waiting = (done, count, curves)
        done += count
        due = done < epochs and keeper.is_due(done, time.perf_counter() - saved_at)
        if length is None or due:
            seconds, waiting = trace.deliver(*waiting), None
            length = length or int(np.clip(ROUND_SECONDS / seconds, 1, ROUND_EPOCHS))
        if due:
            save(trace.progress(done, states))
            trace.forget_time()
            saved, saved_at = done, time.perf_counter()
    if waiting is not None:
        trace.deliver(*waiting)
    if stopping() and done > saved:
        save(trace.progress(done, states))
    return states
