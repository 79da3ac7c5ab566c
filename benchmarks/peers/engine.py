"""This engine, with all that a run does: best parameters, freezing, checksums, scores."""

import functools
from collections.abc import Sequence

import numpy as np

from benchmarks import job
from research.config import ExperimentConfig
from research.experiment.prepare import Experiment, prepare
from research.training.population import Programs, compile_programs
from research.training.problem import Data, stream_ids
from research.training.run import train_arm


@functools.cache
def compiled(seeds: int) -> tuple[Experiment, tuple[Programs, Data]]:
    """Returns the default experiment for so many seeds, and ReLU's programs."""
    experiment = prepare(ExperimentConfig(seeds=seeds))
    problem = experiment.problems["relu"]
    return experiment, compile_programs(problem, experiment.plan, experiment.data)


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains every seed and scores it, as the run does."""
    experiment, programs = compiled(len(seeds))
    blocks = train_arm(
        experiment.problems["relu"],
        experiment.plan,
        programs,
        arm="relu",
        seeds=tuple(seeds),
        ids=stream_ids(seeds, vary=experiment.config.vary),
        learning_rate=experiment.learning_rate,
        epochs=epochs,
        observe=lambda event: None,
        before_scoring=lambda seeds: None,
    )
    return job.join(
        [
            job.Curves(
                block.curves["validation_loss"][:, 1:].T,
                block.curves["validation_accuracy"][:, 1:].T,
                np.asarray(block.scored.steps),
            )
            for block in blocks
        ]
    )
