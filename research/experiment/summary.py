"""summary.json: what the run found, complete enough to draw the report from."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from research import statistics
from research.activations.catalog import Activation
from research.config import ExperimentConfig
from research.experiment.scores import Columns, per_example
from research.records.ledger import LOST
from research.records.reopening import DEVICES, VERSIONS
from research.statistics import Comparison
from research.tasks.contract import Metric, Task
from research.training.lanes import TrainedArm
from research.training.pairing import Pairing

SCHEMA = 1
# The draws of the statistics have their own fixed root.
STATISTICS_SEED = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Results:
    """Everything that was measured, by the arms' slugs.

    model: its one-line name. pairing: None where the arms are no pairs.
    one_program: elementwise arms were compiled once for all.
    """

    config: ExperimentConfig
    task: Task
    model: str
    reference: str
    activations: Mapping[str, Activation]
    trained: Mapping[str, TrainedArm]
    columns: Mapping[str, Columns]
    pairing: Pairing | None
    ledger: Mapping[str, Any]
    flops: Mapping[str, int]
    steps: int
    one_program: bool
    trained_now: int
    total_seconds: float
    warnings: tuple[str, ...]


def primary_metric(config: ExperimentConfig, task: Task) -> str:
    """Returns the column that decides: the selected parameters' test score."""
    last = "_last" if config.selection == "last" else ""
    return f"test_{task.primary}{last}"


def summarise(results: Results) -> dict[str, Any]:
    """Returns the mapping of summary.json; all but the times is a function of the lanes."""
    config, task = results.config, results.task
    metric, primary = task.metrics[task.primary], primary_metric(config, task)
    # An arm alone, as a single swap that is distilled, is compared with nothing.
    several = len(results.trained) > 1
    comparisons = _judge(results, metric, primary) if several else ()
    loss = task.metrics.get("loss")
    return {
        "schema": SCHEMA,
        "mode": config.mode,
        "plan": config.seeds_plan,
        "task": task.name,
        "model": results.model,
        "initializer": _initializer(config),
        "optimizer": config.optimizer.name,
        "learning_rate": config.optimizer.learning_rate[0],
        "batch_size": config.batch_size,
        "epochs": config.epochs,
        "steps": results.steps,
        "one_program": results.one_program,
        "selection": config.selection,
        "seeds": len(results.trained[results.reference].seeds),
        "seeds_allowed": config.seeds,
        "first_seed": config.first_seed,
        "vary": list(config.vary),
        "remarks": list(task.remarks),
        "rows": dataclasses.asdict(task.rows),
        "primary_metric": primary,
        "higher_is_better": metric.higher_is_better,
        "estimand": estimand(config),
        "reference": results.reference,
        "margin": config.analysis.margin,
        "confidence": config.analysis.confidence,
        "ceiling": metric.ceiling,
        "ceiling_loss": loss.ceiling if loss else None,
        "constant_predictor": metric.constant_predictor,
        "arms": {slug: _arm(results, slug, primary) for slug in results.trained},
        "comparisons": [
            _comparison(results, comparison, primary) for comparison in comparisons
        ],
        "luck": _luck(results, primary),
        "pairing": _pairing(results.pairing) if results.pairing else None,
        "looks": [
            look
            for look in results.ledger["looks"]
            if look["margin"] == config.analysis.margin
        ],
        "changes": results.ledger["changes"],
        "trained_now": results.trained_now,
        "trainings": sum(len(lanes.seeds) for lanes in results.trained.values()),
        "total_seconds": results.total_seconds,
        "warnings": list(
            dict.fromkeys([*results.warnings, *_warnings(results, comparisons)])
        ),
    }


def _initializer(config: ExperimentConfig) -> str:
    return getattr(config.model, "initializer", "the model's own")


def estimand(config: ExperimentConfig) -> str:
    """Returns what the difference is an average over, in words."""
    if "test_split" in config.vary:
        return "over seeds and splits of this data set"
    return "over seeds, on this test set"


def test_train_ratio(config: ExperimentConfig, task: Task) -> float | None:
    """Returns n_test/n_train where the seeds redraw the test set, else None."""
    varies = "test_split" in config.vary
    return task.rows.test / task.rows.train if varies else None


def _judge(results: Results, metric: Metric, primary: str) -> tuple[Comparison, ...]:
    config = results.config
    settings: dict[str, Any] = {
        "reference": results.reference,
        "higher_is_better": metric.higher_is_better,
        "margin": config.analysis.margin,
        "confidence": config.analysis.confidence,
        "generator": np.random.default_rng(STATISTICS_SEED),
    }
    scores = {arm: columns[primary] for arm, columns in results.columns.items()}
    if config.mode == "null":
        return statistics.judge_runs(
            {
                arm: statistics.Runs(values, tuple(map(str, lanes.seeds)))
                for (arm, values), lanes in zip(
                    scores.items(), results.trained.values(), strict=True
                )
            },
            **settings,
        )
    settings["diverged"] = {
        arm: columns["status"] == "diverged" for arm, columns in results.columns.items()
    }
    if config.seeds_plan == "sequential":
        return statistics.judge_sequential(scores, **settings)
    ratio = test_train_ratio(config, results.task)
    return statistics.judge(scores, **settings, test_train_ratio=ratio)


def _luck(results: Results, primary: str) -> dict[str, Any] | None:
    """Returns how far groups of the reference's own seeds drift apart."""
    scores = results.columns[results.reference][primary]
    generator = np.random.default_rng(STATISTICS_SEED)
    luck = statistics.luck_scale(scores, generator=generator)
    return dataclasses.asdict(luck) if luck else None


def _noise(results: Results, arm: str) -> dict[str, Any] | None:
    """Returns what seeds and test rows each add to an arm's mean difference."""
    task, last = results.task, results.config.selection == "last"
    values, base = (
        per_example(task, results.trained[each], last=last)
        for each in (arm, results.reference)
    )
    redrawn = "test_split" in results.config.vary
    rows = np.asarray(results.trained[arm].scored.test_rows, np.int64)
    noise = statistics.crossed_noise(
        values,
        base,
        confidence=results.config.analysis.confidence,
        generator=np.random.default_rng(STATISTICS_SEED),
        rows=rows if redrawn else None,
    )
    return dataclasses.asdict(noise) if noise else None


def _exploratory(results: Results, primary: str) -> list[str]:
    columns = results.columns[results.reference]
    return [
        name
        for name in columns
        if name.startswith(("test_", "validation_")) and name != primary
    ]


def _arm(results: Results, slug: str, primary: str) -> dict[str, Any]:
    columns, trained = results.columns[slug], results.trained[slug]
    activation = results.activations[slug]
    confidence = results.config.analysis.confidence
    scores, done = columns[primary], columns["status"] == "done"
    diverged, seeds = int((~done).sum()), len(done)
    described = statistics.describe(scores, confidence=confidence)
    return {
        "name": activation.name,
        "formula": activation.formula,
        "kind": activation.kind,
        "seeds": seeds,
        "diverged": diverged,
        "steps_before_divergence": (
            int(columns["steps"][~done].min()) if diverged else None
        ),
        "diverged_upper": statistics.divergence_upper_bound(
            diverged, seeds, confidence
        ),
        "mean": described.mean,
        "std": described.std,
        "ci_low": described.ci_low,
        "ci_high": described.ci_high,
        "parameters": trained.parameters,
        "learning_rate": results.config.optimizer.learning_rate[0],
        "flops_per_step": results.flops[slug],
        "step_seconds": trained.step_seconds,
        "compile_seconds": trained.compile_seconds,
        "train_seconds": trained.train_seconds,
        "zero_units": _known(columns["zero_units"].mean()),
        "dead_units": _known(columns["dead_units"].mean()),
        "survivors": {
            "n": seeds - diverged,
            "mean": float(scores[done].mean()) if done.any() else None,
        },
        "exploratory": {
            name: {
                "mean": float(columns[name].mean()),
                "std": float(columns[name].std(ddof=1)) if seeds > 1 else None,
            }
            for name in _exploratory(results, primary)
        },
    }


def _known(number: np.floating) -> float | None:
    return float(number) if np.isfinite(number) else None


def _comparison(
    results: Results, comparison: Comparison, primary: str
) -> dict[str, Any]:
    if not comparison.paired:
        told = {"learning_speed": None, "exploratory": {}, "noise": None}
        return {**dataclasses.asdict(comparison), **told}
    arm, reference = comparison.arm, comparison.reference
    mine, theirs = results.columns[arm], results.columns[reference]
    metric = results.task.metrics[results.task.primary]
    confidence = results.config.analysis.confidence
    curve = f"validation_{results.task.primary}"
    speed = statistics.learning_speed(
        results.trained[arm].curves[curve],
        results.trained[reference].curves[curve],
        confidence=confidence,
        higher_is_better=metric.higher_is_better,
    )
    return {
        **dataclasses.asdict(comparison),
        "learning_speed": dataclasses.asdict(speed) if speed else None,
        "noise": _noise(results, arm),
        "exploratory": {
            name: dataclasses.asdict(
                statistics.difference_interval(
                    mine[name],
                    theirs[name],
                    confidence=confidence,
                    test_train_ratio=test_train_ratio(results.config, results.task),
                )
            )
            for name in _exploratory(results, primary)
        },
    }


def _pairing(pairing: Pairing) -> dict[str, Any]:
    return {
        "verified": pairing.verified,
        "seeds_checked": pairing.seeds_checked,
        "weights_share_compared": pairing.weights_share_compared,
        "weights_share_by_arm": pairing.weights_share_by_arm,
        "identical_arms": [list(names) for names in pairing.identical_arms],
    }


def _warnings(results: Results, comparisons: tuple[Comparison, ...]) -> list[str]:
    warnings = [
        f"{' and '.join(names)} were called and are bit-equal on every seed: "
        "they are one function here"
        for names in (results.pairing.identical_arms if results.pairing else ())
    ]
    warnings += _changed_late(results)
    for comparison in comparisons:
        warnings += statistics.cautions(comparison)
    return warnings


def _changed_late(results: Results) -> Iterator[str]:
    """Says what was changed after a verdict had been seen; a sequential one may be."""
    for change in results.ledger["changes"]:
        field, there, now = change["field"], change["from"], change["to"]
        if field == DEVICES or field.startswith(VERSIONS):
            name = "the number of devices" if field == DEVICES else field
            yield (
                f"{name.removeprefix(VERSIONS)} changed from {there} to {now} on the "
                "way: lanes trained before and after differ by rounding"
            )
        if field == LOST:
            yield (
                f"{LOST} was gone when the run went on: earlier looks and changes are "
                "not known"
            )
        if not change["verdict_seen"]:
            continue
        if field == "seeds" and results.config.seeds_plan == "fixed":
            yield (
                f"{now - there} seeds were added after the verdict on {there} had been "
                "seen: interval and p do not account for that look"
            )
        if field.startswith("analysis."):
            name = field.removeprefix("analysis.")
            yield (
                f"the {name} was changed from {there:g} to {now:g} after the verdict had "
                "been seen"
            )
