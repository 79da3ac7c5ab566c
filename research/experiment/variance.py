"""mode=variance: what each source of variation adds, over several backgrounds.

In a sub-run one source varies with the seed and the others are held at a background;
in `all` they vary together. Every sub-run is a run folder of its own.
"""

import dataclasses
import io
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float64
from rich.console import Console

from research import statistics
from research.config import SUB_RUN_IDS, ExperimentConfig, TensorBoardConfig
from research.errors import AllDiverged
from research.experiment.lanes import Compiled
from research.experiment.prepare import Experiment
from research.experiment.run_folder import opened, run_in
from research.experiment.summary import SCHEMA, primary_metric
from research.records.folder import RunFolder, write_json
from research.records.outcome import check_outcome
from research.records.score_table import read_scores
from research.records.sums import write_sums
from research.reporting.console import print_verdict
from research.stopping import Stopping

TOGETHER = "all"
Scores = Mapping[str, Float64[np.ndarray, "*backgrounds seeds"]]


def measure_variance(
    experiment: Experiment,
    folder: RunFolder,
    console: Console,
    *,
    command: str,
    stopping: Stopping | None = None,
) -> dict[str, Any]:
    """Trains every sub-run, tells their variances apart, and returns the summary.

    Raises:
      AllDiverged: every lane of an arm stopped being finite in a sub-run.
    """
    from research.reporting.report import write_report

    began = time.perf_counter()
    compiled: Compiled = {}
    warnings = list(experiment.notes)
    trainings = 0
    with opened(experiment, folder, command=command) as taken:
        if taken.note:
            console.print(taken.note, markup=False)
        plans = dict(sub_runs(experiment.config))
        for place, (name, config) in enumerate(plans.items(), start=1):
            console.print(f"{name} ({place} of {len(plans)})", markup=False)
            summary = run_in(
                dataclasses.replace(experiment, config=config),
                RunFolder(folder.root / name),
                Console(file=io.StringIO()),
                command=f"{command} (its sub-run {name})",
                compiled=compiled,
                stopping=stopping,
            )
            _check_outcome(summary, folder, name)
            trainings += summary["trainings"]
            warnings += _diverged(name, summary)
        summary = _summary(experiment, folder, tuple(plans))
        summary["trainings"] = trainings
        summary["warnings"] = warnings
        summary["total_seconds"] = time.perf_counter() - began
        write_json(folder.summary, summary)
        write_sums(folder)
        write_report(folder.root)
    print_verdict(summary, console, workdir=folder.root)
    return summary


def _check_outcome(summary: Mapping[str, Any], folder: RunFolder, name: str) -> None:
    """Passes a sub-run in which every arm has a lane left; another ends the run."""
    try:
        check_outcome(summary)
    except AllDiverged as diverged:
        raise AllDiverged(f"{folder.root / name}: {diverged} there") from None


def sub_runs(config: ExperimentConfig) -> Iterator[tuple[str, ExperimentConfig]]:
    """Yields every sub-run's name and config; each has seeds that no other has.

    Seeds of its own: two backgrounds that shared them would not be independent.
    """
    base = dataclasses.replace(
        config, mode="compare", tensorboard=TensorBoardConfig(seeds=0)
    )
    yield TOGETHER, base
    place = 0
    for source in config.vary:
        for background in range(config.backgrounds):
            place += 1
            yield (
                f"{source}-{background}",
                dataclasses.replace(
                    base,
                    vary=(source,),
                    background=background,
                    first_seed=config.first_seed + place * SUB_RUN_IDS,
                ),
            )


def _summary(
    experiment: Experiment, folder: RunFolder, names: tuple[str, ...]
) -> dict[str, Any]:
    config, task = experiment.config, experiment.task
    primary, base = primary_metric(config, task), experiment.reference
    scores = {
        name: read_scores(RunFolder(folder.root / name).per_seed, primary)
        for name in names
    }
    others = [arm for arm in experiment.problems if arm != base]
    told = {
        arm: _components(config, {name: each[arm] for name, each in scores.items()})
        for arm in experiment.problems
    }
    between = {
        arm: _components(
            config, {name: each[arm] - each[base] for name, each in scores.items()}
        )
        for arm in others
    }
    return {
        "schema": SCHEMA,
        "mode": "variance",
        "plan": config.seeds_plan,
        "task": task.name,
        "primary_metric": primary,
        "higher_is_better": task.metrics[task.primary].higher_is_better,
        "reference": base,
        "margin": config.analysis.margin,
        "confidence": config.analysis.confidence,
        "title": experiment.title,
        "sources": list(config.vary),
        "backgrounds": config.backgrounds,
        "seeds": config.seeds,
        "arms": {
            arm: {
                "name": record.name,
                "formula": record.formula,
                "components": told[arm],
            }
            for arm, record in experiment.activations.items()
        },
        "differences": between,
        "runs": list(names),
    }


def _components(
    config: ExperimentConfig, scores: Mapping[str, Float64[np.ndarray, "seeds"]]
) -> dict[str, Any]:
    sources = {
        source: np.stack(
            [scores[f"{source}-{place}"] for place in range(config.backgrounds)]
        )
        for source in config.vary
    }
    found = statistics.variance_components(
        sources, scores[TOGETHER], confidence=config.analysis.confidence
    )
    return dataclasses.asdict(found)


def _diverged(name: str, summary: Mapping[str, Any]) -> Iterator[str]:
    for arm, told in summary["arms"].items():
        if told["diverged"]:
            yield (
                f"{name}: {told['diverged']} of {told['seeds']} lanes of {arm} diverged, "
                "and count as the best constant predictor"
            )
