"""summary.json of anybody's scores: that of a run, with what only training knows null."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from research.statistics.paired import describe
from research.statistics.runs import Runs, judge_runs
from research.statistics.wording import cautions

SCHEMA = 1
STATISTICS_SEED = 0  # the draws of the statistics have their own fixed root
# What only a training knows.
_RUN = ("model", "initializer", "optimizer", "learning_rate", "batch_size", "epochs")
_RUN += ("steps", "selection", "first_seed", "rows", "ceiling", "ceiling_loss")
_RUN += ("constant_predictor", "pairing", "trainings")
_ARM = ("formula", "parameters", "learning_rate", "step_seconds", "compile_seconds")
_ARM += ("train_seconds", "zero_units", "dead_units")


def summarise_scores(
    runs: Mapping[str, Runs],
    *,
    title: str,
    reference: str,
    higher_is_better: bool,
    margin: float | None,
    confidence: float,
    warnings: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Judge the runs and return the mapping of summary.json, without `total_seconds`.

    `seeds` is the number of runs of the arm that has most. Raises what `judge_runs`
    raises.
    """
    comparisons = judge_runs(
        runs,
        reference=reference,
        higher_is_better=higher_is_better,
        margin=margin,
        confidence=confidence,
        generator=np.random.default_rng(STATISTICS_SEED),
    )
    told = [words for comparison in comparisons for words in cautions(comparison)]
    return {
        "schema": SCHEMA,
        "mode": "analyse",
        "plan": "fixed",
        "task": title,
        **dict.fromkeys(_RUN),
        "seeds": max(len(each.scores) for each in runs.values()),
        "vary": [],
        "primary_metric": "score",
        "higher_is_better": higher_is_better,
        "estimand": "over the runs of this file",
        "reference": reference,
        "margin": margin,
        "confidence": confidence,
        "arms": {arm: _arm(arm, each, confidence) for arm, each in runs.items()},
        "comparisons": [
            {
                **dataclasses.asdict(comparison),
                "learning_speed": None,
                "exploratory": {},
            }
            for comparison in comparisons
        ],
        "warnings": [*warnings, *told],
    }


def _arm(name: str, runs: Runs, confidence: float) -> dict[str, Any]:
    described = describe(runs.scores, confidence=confidence)
    return {
        "name": name,
        **dict.fromkeys(_ARM),
        "seeds": described.n,
        "diverged": 0,
        "diverged_upper": None,
        "mean": described.mean,
        "std": described.std,
        "ci_low": described.ci_low,
        "ci_high": described.ci_high,
        "scores": runs.scores.tolist(),
        "survivors": {"n": described.n, "mean": described.mean},
        "exploratory": {},
    }
