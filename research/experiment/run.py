"""From config to verdict: train, check the pairing, judge, write, show."""

import dataclasses
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.console import Console

from research.config import ExperimentConfig
from research.config_values import from_mapping, to_mapping
from research.errors import InvalidComparison
from research.experiment.observers import Watch, watching
from research.experiment.pictures import (
    activation_pictures,
    boundary_pictures,
    same_function,
)
from research.experiment.prepare import PRECISION, Experiment, prepare
from research.experiment.scores import score_columns, table
from research.experiment.summary import Results, summarise
from research.own_code import reason
from research.records.events import ArmFinished, Observer, RunFinished, RunStarted
from research.records.folder import (
    RunFolder,
    claim,
    new_folder,
    write_arrays,
    write_json,
    write_table,
)
from research.records.ledger import record_opening
from research.records.manifest import manifest
from research.records.outcome import check_outcome
from research.reporting.console import print_verdict
from research.reporting.report import write_report
from research.training.pairing import Pairing, check_pairing
from research.training.run import TrainedArm, train_arm


def compare(
    config: ExperimentConfig | Mapping[str, Any] | None = None,
    *,
    workdir: Path | str | None = None,
    command: str | None = None,
    console: Console | None = None,
) -> dict[str, Any]:
    """Trains every arm over all seeds and judges them; returns summary.json's mapping.

    Args:
      config: an ExperimentConfig, or a nested mapping of the fields that differ from
        the defaults. None means make_moons with ReLU and GELU.
      workdir: the run folder; the first free `runs/<task>-<n>` when not given.
      command: what the manifest records as the command of this run.

    Raises:
      ConfigError: a field that cannot be used.
      InvalidComparison: the arms were not trained under equal conditions.
      AllDiverged: every lane of an arm stopped being finite; results are written.
    """
    began = time.perf_counter()
    given = to_mapping(config) if isinstance(config, ExperimentConfig) else config
    experiment = prepare(from_mapping({} if given is None else given))
    console = console or Console()
    folder = RunFolder(
        Path(workdir) if workdir else new_folder(Path("runs"), experiment.task.name)
    )
    claim(folder, to_mapping(experiment.config))
    write_json(folder.manifest, _manifest(experiment, command or shlex.join(sys.argv)))
    with watching(
        folder,
        console,
        tensorboard_seeds=experiment.config.tensorboard.seeds,
        attempt=f"{int(time.time())}.{os.getpid()}",
    ) as watch:
        watch.observe(_run_started(experiment))
        trained = {
            slug: _train(experiment, slug, folder, watch.observe)
            for slug in experiment.problems
        }
        summary = _write_results(experiment, trained, folder, watch.failures, began)
        unwritten = _report(summary, folder, watch)
    print_verdict(summary, console, workdir=folder.root)
    for failure in watch.failures:
        if failure not in summary["warnings"]:
            console.print(f"Warning: {failure}", markup=False)
    if unwritten is not None:
        raise unwritten
    check_outcome(summary)
    return summary


def _report(
    summary: Mapping[str, Any], folder: RunFolder, watch: Watch
) -> OSError | None:
    """Draws the report; a disk that takes no more of it is told after the verdict."""
    try:
        figures = write_report(folder.root)
    except OSError as error:
        return error
    watch.observe(RunFinished(summary=summary, figures=figures))
    return None


def _train(
    experiment: Experiment, slug: str, folder: RunFolder, observe: Observer
) -> TrainedArm:
    rate = experiment.config.optimizer.learning_rate[0]

    def before_scoring(seeds: Sequence[int]) -> None:
        record_opening(folder.ledger, arm=slug, learning_rate=rate, seeds=seeds)

    trained = train_arm(
        experiment.problems[slug],
        experiment.plan,
        experiment.data,
        arm=slug,
        seeds=experiment.seeds,
        learning_rate=rate,
        epochs=experiment.config.epochs,
        observe=observe,
        before_scoring=before_scoring,
    )
    scores = score_columns(experiment.task, trained)
    observe(ArmFinished(arm=slug, scores=scores, learning_rate=rate))
    return trained


def _write_results(
    experiment: Experiment,
    trained: Mapping[str, TrainedArm],
    folder: RunFolder,
    failures: Sequence[str],
    began: float,
) -> dict[str, Any]:
    """Writes everything under results/, the summary last, and returns the summary.

    Raises:
      InvalidComparison: the pairing does not hold; all but the summary is written.
    """
    config, task = experiment.config, experiment.task
    columns = {slug: score_columns(task, arm) for slug, arm in trained.items()}
    rate = config.optimizer.learning_rate[0]
    header, rows = table(columns, seeds=experiment.seeds, learning_rate=rate)
    write_table(folder.per_seed, header, rows)
    any_arm = trained[experiment.reference]
    curves = {
        f"{slug}/{name}": values
        for slug, arm in trained.items()
        for name, values in arm.curves.items()
    }
    write_arrays(folder.curves, {"seeds": any_arm.seeds, **curves})
    correct = {
        slug: np.asarray(arm.scored.test[task.primary], bool)
        for slug, arm in trained.items()
    }
    write_arrays(folder.test_correct, correct)
    pairing = check_pairing(trained, vary=config.vary, reference=experiment.reference)
    _check_valid(experiment, trained, pairing, folder)
    pictures, undrawn = _pictures(experiment, trained)
    write_arrays(folder.figures, pictures)
    summary = summarise(
        Results(
            config=config,
            task=task,
            reference=experiment.reference,
            activations=experiment.activations,
            trained=trained,
            columns=columns,
            pairing=pairing,
            steps=config.epochs * experiment.steps_per_epoch,
            total_seconds=time.perf_counter() - began,
            warnings=(*experiment.notes, *failures, *undrawn),
        )
    )
    write_json(folder.summary, summary)
    return summary


def _check_valid(
    experiment: Experiment,
    trained: Mapping[str, TrainedArm],
    pairing: Pairing,
    folder: RunFolder,
) -> None:
    """Raises InvalidComparison for arms that are not paired, or not really different."""
    if not pairing.verified:
        raise InvalidComparison(
            f"the arms are not paired: {'; '.join(pairing.problems)} (see {folder.root})"
        )
    for names in pairing.identical_arms:
        functions = [experiment.activations[name] for name in names]
        if trained[names[0]].scored.alive.any() and not same_function(functions):
            raise InvalidComparison(
                f"{' and '.join(names)} are different functions, but were trained "
                "bit-equal on every seed: the model does not use what its activation "
                f"gives (see {folder.root})"
            )


def _pictures(
    experiment: Experiment, trained: Mapping[str, TrainedArm]
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Returns what the figures show, and what could not be: never worth the results."""
    try:
        pictures = activation_pictures(experiment.activations)
        pictures |= boundary_pictures(experiment.task, experiment.problems, trained)
    except Exception as error:
        return {}, (f"the activations could not be drawn: {reason(error)}",)
    return pictures, ()


def _run_started(experiment: Experiment) -> RunStarted:
    config = experiment.config
    return RunStarted(
        title=experiment.title,
        arms=tuple(experiment.problems),
        reference=experiment.reference,
        seeds=experiment.seeds,
        epochs=config.epochs,
        steps_per_epoch=experiment.steps_per_epoch,
        config=to_mapping(config),
    )


def _manifest(experiment: Experiment, command: str) -> dict[str, Any]:
    task = experiment.task
    devices = jax.devices()[: experiment.plan.devices]
    return manifest(
        command=command,
        devices=[f"{device.platform}:{device.id}" for device in devices],
        plan=dataclasses.asdict(experiment.plan),
        precision=f"float32, matmul {PRECISION}",
        data={"inputs": task.inputs, "targets": task.targets},
    )
