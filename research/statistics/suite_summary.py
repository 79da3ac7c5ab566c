"""summary.json of several runs judged as one suite."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64

from research.statistics import suite
from research.statistics.paired import mean
from research.statistics.score_summary import SCHEMA, STATISTICS_SEED

FEW_SEEDS = 10  # below it the bootstrap's interval covers less than it says


@dataclass(frozen=True)
class Task:
    """One run of the suite: its scores by arm, in the order of the same seeds."""

    name: str
    folder: str
    metric: str
    higher_is_better: bool
    scores: Mapping[str, Float64[np.ndarray, "seeds"]]


def summarise_suite(
    tasks: Sequence[Task],
    *,
    reference: str,
    confidence: float,
    names: Mapping[str, str],
    warnings: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the mapping of a suite's summary.json, without `total_seconds`.

    `names` gives the arms' names by slug. Interquartile means are null where the tasks'
    metrics differ: their scores have no common scale.
    """
    arms = list(names)
    means = np.array([[mean(task.scores[arm]) for arm in arms] for task in tasks])
    higher = [task.higher_is_better for task in tasks]
    ranks = suite.task_ranks(means, higher_is_better=higher)
    ranks_generator, iqm_generator = np.random.default_rng(STATISTICS_SEED).spawn(2)
    friedman = suite.friedman(ranks, ranks_generator)
    against = suite.against_reference(ranks, arms, reference=reference)
    same_scale = len({(task.metric, task.higher_is_better) for task in tasks}) == 1
    iqm = (
        suite.iqm_intervals(
            [task.scores for task in tasks],
            reference=reference,
            confidence=confidence,
            generator=iqm_generator,
        )
        if same_scale
        else None
    )
    return {
        "schema": SCHEMA,
        "mode": "suite",
        "reference": reference,
        "confidence": confidence,
        "primary_metric": tasks[0].metric if same_scale else None,
        "higher_is_better": higher[0] if same_scale else None,
        "arms": {arm: {"name": name} for arm, name in names.items()},
        "tasks": [
            {
                "name": task.name,
                "folder": task.folder,
                "metric": task.metric,
                "higher_is_better": task.higher_is_better,
                "seeds": len(task.scores[reference]),
                "means": dict(zip(arms, means[i].tolist(), strict=True)),
                "ranks": dict(zip(arms, ranks[i].tolist(), strict=True)),
            }
            for i, task in enumerate(tasks)
        ],
        "average_ranks": dict(zip(arms, ranks.mean(axis=0).tolist(), strict=True)),
        "friedman": dataclasses.asdict(friedman) if friedman else None,
        "against_reference": [dataclasses.asdict(each) for each in against],
        "iqm": [dataclasses.asdict(each) for each in iqm] if iqm else None,
        "warnings": [*warnings, *_cautions(tasks, reference, same_scale)],
    }


def _cautions(tasks: Sequence[Task], reference: str, same_scale: bool) -> list[str]:
    words = []
    count, seeds = len(tasks), [len(task.scores[reference]) for task in tasks]
    if count < suite.FEWEST_TASKS:
        held = "one run" if count == 1 else f"{count} runs"
        words.append(
            f"{held}: ranks over tasks are not tested below {suite.FEWEST_TASKS} runs; "
            "Friedman's test and Holm's comparisons are left out"
        )
    if not same_scale:
        words.append(
            "the runs' primary metrics differ: their scores have no common scale, and "
            "no interquartile mean is taken over them"
        )
    if min(seeds) < FEW_SEEDS:
        words.append(
            f"{min(seeds)} seeds in a run: below {FEW_SEEDS} the bootstrap's intervals "
            "cover less than they say"
        )
    if len(set(seeds)) > 1:
        words.append(
            f"the runs have {min(seeds)} to {max(seeds)} seeds: those with more weigh "
            "more in the interquartile mean"
        )
    return words
