"""The host's loop: an arm's lanes, block after block, round after round."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from research.records.events import ArmStarted, Observer, RoundFinished
from research.training.plan import Plan
from research.training.population import ROUND_EPOCHS, Programs, compile_programs
from research.training.problem import Data, Lane, LaneState, Problem
from research.training.score import Scored

# A round is as many epochs as take about this long, so that the host can show them.
ROUND_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class TrainedArm:
    """All lanes of an arm, trained and scored; every array starts with the seeds.

    curves: name -> [seeds, epochs + 1]; column 0 is before training.
    weights: leaf path and shape -> checksum of its initial value.
    params: the selected parameters of the first seed, for a picture of one lane.
    step_seconds: of one step of one lane, everything included, in the fastest round:
      what else the machine did is no property of the activation.
    """

    seeds: np.ndarray
    curves: Mapping[str, np.ndarray]
    scored: Scored
    weights: Mapping[str, np.ndarray]
    splits: np.ndarray
    fitted: Any
    params: Any
    parameters: int
    step_seconds: float
    compile_seconds: float
    train_seconds: float


@dataclass(frozen=True, kw_only=True)
class _Block:
    curves: dict[str, np.ndarray]
    scored: Scored
    sums: dict[str, Any]
    first: tuple[Any, Any]
    seconds: float
    step_seconds: float


def train_arm(
    problem: Problem,
    plan: Plan,
    data: Data,
    *,
    arm: str,
    seeds: Sequence[int],
    learning_rate: float,
    epochs: int,
    observe: Observer,
    before_scoring: Callable[[Sequence[int]], None],
) -> TrainedArm:
    """Trains every seed of an arm to its end and scores it once.

    Args:
      before_scoring: told which seeds' test scores are about to be computed.
    """
    observe(ArmStarted(arm=arm))
    programs, data = compile_programs(problem, plan, data)
    blocks = []
    for start in range(0, len(seeds), plan.lanes_per_block):
        block = tuple(seeds[start : start + plan.lanes_per_block])

        def tell(block: tuple[int, ...] = block, **round_: Any) -> None:
            observe(RoundFinished(arm=arm, seeds=block, **round_))

        blocks.append(
            _train_block(
                problem,
                programs,
                plan,
                data,
                block,
                learning_rate,
                epochs,
                tell,
                before_scoring,
            )
        )
    fitted, params = blocks[0].first
    sums = _join([block.sums for block in blocks])
    return TrainedArm(
        seeds=np.asarray(seeds),
        curves=_join([block.curves for block in blocks]),
        scored=_join([block.scored for block in blocks]),
        weights=sums["weights"],
        splits=sums["split"],
        fitted=fitted,
        params=params,
        parameters=sum(leaf.size for leaf in jax.tree.leaves(params[0])),
        step_seconds=min(block.step_seconds for block in blocks),
        compile_seconds=programs.compile_seconds,
        train_seconds=sum(block.seconds for block in blocks),
    )


def _join(trees: list[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *trees)


def _train_block(
    problem: Problem,
    programs: Programs,
    plan: Plan,
    data: Data,
    seeds: Sequence[int],
    learning_rate: float,
    epochs: int,
    tell: Callable[..., None],
    before_scoring: Callable[[Sequence[int]], None],
) -> _Block:
    # The block is filled up with its last seed; what those lanes give is dropped.
    padded = np.pad(
        np.asarray(seeds, np.int32), (0, plan.lanes_per_block - len(seeds)), "edge"
    )
    rates = np.full(len(padded), learning_rate, np.float32)
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
    return _Block(
        curves={
            name: np.concatenate([piece[name] for piece in pieces], axis=1)
            for name in pieces[0]
        },
        scored=keep(scored),
        sums=keep(sums),
        first=jax.tree.map(lambda leaf: np.asarray(leaf[0]), (lanes.fitted, best)),
        seconds=seconds,
        # The first entry is the state before training, which takes no time.
        step_seconds=min(epoch_seconds[1:]) / (len(seeds) * problem.steps_per_epoch),
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
