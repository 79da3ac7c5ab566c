"""An experiment small enough for a test: 120 training rows, 8 hidden units, 5 epochs."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from research.config_values import from_mapping
from research.experiment.prepare import Experiment, prepare
from research.records.events import Event
from research.stopping import Stopping
from research.training.keeper import NOBODY, Keeper
from research.training.lanes import TrainedArm, join
from research.training.plan import Plan
from research.training.population import compile_programs
from research.training.problem import StreamIds, stream_ids
from research.training.run import train_arm

TINY = {
    "activations": "relu,gelu",
    "seeds": 8,
    "epochs": 5,
    "batch_size": 16,
    "task": {"samples": 200, "test_samples": 40, "validation_samples": 40},
    "model": {"hidden": (8,)},
    "optimizer": {"learning_rate": 0.01},
    "compute": {"devices": 2},
    "tensorboard": {"seeds": 0},
}


class After(Stopping):
    """As if a signal came while lanes train, when it has been asked for often enough."""

    def __init__(self, asked: int):
        super().__init__()
        self._left = asked

    @contextlib.contextmanager
    def held_back(self) -> Iterator[Callable[[], bool]]:
        with super().held_back() as told:

            def stopping() -> bool:
                self._left -= 1
                if self._left < 0:
                    self.tell("SIGTERM")
                return told()

            yield stopping


def tiny_experiment(**changes: Any) -> Experiment:
    """Returns the tiny experiment, ready to train, with some fields changed."""
    return prepare(from_mapping({**TINY, **changes}))


def fixed_plan(*, width: int = 4, block: int = 8, devices: int = 2) -> Plan:
    """Returns a plan that does not depend on the machine: as given, the tiny run's own."""
    return Plan(
        devices=devices, lanes_per_chunk=width, lanes_per_block=block, rule="a test's"
    )


def train(
    experiment: Experiment,
    slug: str,
    *,
    seeds: Sequence[int] = range(8),
    plan: Plan | None = None,
    learning_rate: float = 0.01,
    epochs: int = 5,
    observe: Callable[[Event], None] = lambda event: None,
    before_scoring: Callable[[Sequence[int]], None] = lambda seeds: None,
    keeper: Keeper = NOBODY,
) -> TrainedArm:
    """Trains one arm of an experiment as the run does, under a plan of the test's."""
    plan, problem = plan or fixed_plan(), experiment.problems[slug]
    blocks = train_arm(
        problem,
        plan,
        compile_programs(problem, plan, experiment.data),
        arm=slug,
        seeds=tuple(seeds),
        ids=stream_ids(seeds, vary=experiment.config.vary),
        learning_rate=learning_rate,
        epochs=epochs,
        observe=observe,
        before_scoring=before_scoring,
        keeper=keeper,
    )
    return join(list(blocks))


def lane_ids(
    seed: int,
    *,
    vary: tuple[str, ...] = ("init", "order", "split"),
    background: int = 0,
) -> StreamIds:
    """Returns the ids of one lane."""
    [*ids] = stream_ids([seed], vary=vary, background=background)
    return StreamIds(*(each[0] for each in ids))


def numbers(arm: TrainedArm) -> dict[str, np.ndarray]:
    """Returns every array of an arm that starts with its seeds, by name."""
    scored = arm.scored._asdict()
    parts = {"curves": arm.curves, "weights": arm.weights}
    parts |= {name: scored.pop(name) for name in ("test", "test_last", "validation")}
    nested = {
        f"{part} {name}": value
        for part, values in parts.items()
        for name, value in values.items()
    }
    return {"splits": arm.splits, **scored, **nested}
