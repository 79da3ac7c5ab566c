"""The host's loop: an arm's lanes, block after block, round after round."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from research.records.events import Observer, RoundFinished
from research.training.lanes import TrainedArm
from research.training.plan import Plan
from research.training.population import ROUND_EPOCHS, Programs
from research.training.problem import Data, Lane, LaneState, Problem, StreamIds

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
) -> Iterator[TrainedArm]:
    """Trains seeds of an arm to their end, block after block, and scores each once.

    Args:
      compiled: what `compile_programs` gave for this problem and plan.
      ids: of the seeds' lanes, in the seeds' order.
      before_scoring: told which seeds' test scores are about to be computed.

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
) -> TrainedArm:
    programs, data = compiled
    # The block is filled up with its last seed; what those lanes give is dropped.
    missing = plan.lanes_per_block - len(seeds)
    padded = StreamIds(*(np.pad(each, (0, missing), "edge") for each in ids))
    rates = np.full(plan.lanes_per_block, learning_rate, np.float32)
    lanes, states, initial, sums = programs.start((padded, rates), data)

    def keep(tree: Any) -> Any:
        return jax.tree.map(lambda leaf: np.asarray(leaf)[: len(seeds)], tree)

    pieces, epoch_seconds = [], []

    def deliver(first: int, curves: dict[str, np.ndarray], seconds: float) -> None:
        pieces.append(curves)
        epoch_seconds.append(seconds / curves["train_loss"].shape[1])
        frozen = int(np.isnan(curves["validation_loss"][:, -1]).sum())
        tell(first_epoch=first, curves=curves, diverged=frozen, seconds=seconds)

    deliver(0, {name: values[:, None] for name, values in keep(initial).items()}, 0.0)
    began = time.perf_counter()
    states = _train_rounds(programs, lanes, states, data, epochs, keep, deliver)
    seconds = time.perf_counter() - began
    before_scoring(seeds)
    scored = programs.score((lanes, states), data)
    best = (states.best_params, states.best_model_state)
    fitted, params = jax.tree.map(
        lambda leaf: np.asarray(leaf[0]), (lanes.fitted, best)
    )
    sums = keep(sums)
    return TrainedArm(
        seeds=np.asarray(seeds),
        curves={
            name: np.concatenate([piece[name] for piece in pieces], axis=1)
            for name in pieces[0]
        },
        scored=keep(scored),
        weights=sums["weights"],
        splits=sums["split"],
        fitted=fitted,
        params=params,
        parameters=sum(leaf.size for leaf in jax.tree.leaves(params[0])),
        # The first entry is the state before training, which takes no time.
        step_seconds=min(epoch_seconds[1:]) / (len(seeds) * problem.steps_per_epoch),
        compile_seconds=programs.compile_seconds,
        train_seconds=seconds,
    )


def _train_rounds(
    programs: Programs,
    lanes: Lane,
    states: LaneState,
    data: Data,
    epochs: int,
    keep: Callable[[Any], Any],
    deliver: Callable[[int, dict[str, np.ndarray], float], None],
) -> LaneState:
    """Returns the states after all epochs; each round is delivered while the next runs."""
    done, length, waiting = 0, 1, None
    mark = time.perf_counter()

    def finish(first: int, count: int, curves: dict[str, jax.Array]) -> float:
        nonlocal mark
        arrived = {name: values[:, :count] for name, values in keep(curves).items()}
        seconds, mark = time.perf_counter() - mark, time.perf_counter()
        deliver(first + 1, arrived, seconds)
        return seconds

    while done < epochs:
        count = min(length, epochs - done)
        states, curves = programs.train(
            lanes, states, data, np.int32(done), np.int32(count)
        )
        if waiting is not None:
            finish(*waiting)
        waiting = (done, count, curves)
        if done == 0:
            # The first epoch tells how many make a round; their number changes nothing.
            seconds = finish(*waiting)
            waiting = None
            length = int(np.clip(ROUND_SECONDS / seconds, 1, ROUND_EPOCHS))
        done += count
    if waiting is not None:
        finish(*waiting)
    return states
