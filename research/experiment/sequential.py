"""The sequential plan: seeds batch after batch, until every arm is decided."""

import numpy as np

from research import statistics
from research.experiment.lanes import Run, train
from research.experiment.prepare import BATCH
from research.experiment.summary import primary_metric
from research.records.ledger import record_look
from research.statistics import Decision
from research.training.lanes import TrainedArm


def train_sequentially(run: Run) -> dict[str, TrainedArm]:
    """Returns every arm's lanes; each look at the scores is written to the ledger.

    All arms get the same seeds, for they are paired: an arm that is decided goes on
    until the last one is.
    """
    experiment = run.experiment
    seeds = experiment.seeds_of(experiment.reference)
    trained: dict[str, TrainedArm] = {}
    for most in range(BATCH, len(seeds) + BATCH, BATCH):
        part = seeds[:most]
        trained = {arm: train(run, arm, part) for arm in experiment.problems}
        decision = look(run, trained)
        if run.hosts.leads:
            record_look(
                run.folder.ledger,
                seeds=len(part),
                margin=experiment.config.analysis.margin,
                decided=decision.verdicts,
            )
        if decision.stop:
            break
    return trained


def look(run: Run, trained: dict[str, TrainedArm]) -> Decision:
    """Returns what the confidence sequences say of the seeds so far."""
    config, task = run.experiment.config, run.experiment.task
    columns = {arm: lanes.columns for arm, lanes in trained.items()}
    primary = primary_metric(config, task)
    return statistics.decide_sequential(
        {arm: each[primary] for arm, each in columns.items()},
        reference=run.experiment.reference,
        higher_is_better=task.metrics[task.primary].higher_is_better,
        margin=config.analysis.margin,
        confidence=config.analysis.confidence,
        diverged={
            arm: np.asarray(each["status"] == "diverged")
            for arm, each in columns.items()
        },
    )
