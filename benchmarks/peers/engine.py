"""This engine, with all that a run does: best parameters, freezing, checksums, scores."""

import functools
from collections.abc import Sequence

import numpy as np

from benchmarks import job
from research.config import ExperimentConfig
from research.experiment.prepare import Experiment, prepare
from research.training.lanes import TrainedArm, join
from research.training.population import Programs, compile_programs
from research.training.problem import Data, stream_ids
from research.training.run import train_arm


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains every seed and scores it, as a run does."""
    trained = train(ExperimentConfig(seeds=len(seeds)), seeds, epochs)
    return job.Curves(
        trained.curves["validation_loss"][:, 1:].T,
        trained.curves["validation_accuracy"][:, 1:].T,
        np.asarray(trained.scored.steps),
    )


def train(config: ExperimentConfig, seeds: Sequence[int], epochs: int) -> TrainedArm:
    """Returns the trained seeds of an experiment's reference."""
    experiment, programs = compiled(config)
    blocks = train_arm(
        experiment.problems[experiment.reference],
        experiment.plan,
        programs,
        arm=experiment.reference,
        seeds=tuple(seeds),
        ids=stream_ids(seeds, vary=config.vary),
        learning_rate=experiment.learning_rate,
        epochs=epochs,
        observe=lambda event: None,
        before_scoring=lambda seeds: None,
    )
    return join(tuple(blocks))


@functools.cache
def compiled(config: ExperimentConfig) -> tuple[Experiment, tuple[Programs, Data]]:
    """Returns an experiment, and the programs and data of its reference."""
    experiment = prepare(config)
    problem = experiment.problems[experiment.reference]
    return experiment, compile_programs(problem, experiment.plan, experiment.data)
