"""Reading finished runs back, to judge several as one suite."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from research.config_values import flat
from research.errors import DataError
from research.records.folder import RunFolder, read_mapping
from research.records.inside import check_inside
from research.records.sums import check_unaltered

# What a config may differ in while the runs stay comparable: the task itself, where
# it ran, and how it is shown and judged.
FREE = ("task.", "compute.", "tensorboard.", "checkpoint.", "analysis.")
_KINDS: dict[str, type | tuple[type, ...]] = {
    "task": str,
    "primary_metric": str,
    "higher_is_better": bool,
    "reference": str,
    "confidence": float,
    "arms": dict,
}


@dataclass(frozen=True)
class FinishedRun:
    """A run folder's summary, config, hashes of its data, and its arms' scores.

    scores: by arm, in the order of the seeds; every arm has the same seeds.
    """

    folder: Path
    summary: Mapping[str, Any]
    config: Mapping[str, Any]
    data_sha256: Mapping[str, str]
    scores: Mapping[str, Float64[np.ndarray, "seeds"]]


def read_run(root: Path) -> FinishedRun:
    """Reads a finished run.

    Raises:
      DataError: a file is missing, damaged or edited, or the arms' seeds differ.
    """
    folder = RunFolder(root)
    check_inside(root)
    summary = read_mapping(folder.summary)
    for key, kind in _KINDS.items():
        if not isinstance(summary.get(key), kind):
            raise DataError(f"{folder.summary}: holds no run, its {key} is missing")
    arms = summary["arms"].values()
    named = all(isinstance(a, dict) and isinstance(a.get("name"), str) for a in arms)
    if not named or not 0.5 < summary["confidence"] < 1:
        raise DataError(f"{folder.summary}: is damaged, in its arms or its confidence")
    config = read_mapping(folder.config) if folder.config.is_file() else {}
    manifest = read_mapping(folder.manifest) if folder.manifest.is_file() else {}
    hashes = manifest.get("data_sha256")
    scores = _scores(folder.per_seed, summary["primary_metric"], summary["arms"])
    check_unaltered(folder)
    return FinishedRun(
        folder=root,
        summary=summary,
        config=config,
        data_sha256=_texts(hashes),
        scores=scores,
    )


def _texts(told: Any) -> dict[str, str]:
    """Returns the hashes of a manifest; none where it holds something else."""
    if not isinstance(told, dict) or not all(isinstance(v, str) for v in told.values()):
        return {}
    return told


def _scores(
    path: Path, metric: str, arms: Mapping[str, Any]
) -> dict[str, Float64[np.ndarray, "seeds"]]:
    found: dict[str, dict[str, float]] = {arm: {} for arm in arms}
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                seeds = found[row["arm"]]
                if not row["seed"] or row["seed"] in seeds:
                    raise DataError(
                        f"{path}: {row['arm']} has runs without seeds of their own; a "
                        "suite takes paired runs"
                    )
                seeds[row["seed"]] = float(row[metric])
    except OSError as error:
        raise DataError(f"{path}: cannot be read, {error.strerror}") from None
    except (KeyError, TypeError, ValueError, csv.Error):
        raise DataError(f"{path}: is damaged, or lacks {metric} of an arm") from None
    seeds = list(next(iter(found.values()), {}))
    for arm, scores in found.items():
        if set(scores) != set(seeds) or not seeds:
            raise DataError(
                f"{path}: the seeds of {arm} are not those of the other arms: a suite "
                "takes paired runs"
            )
    ordered = {arm: [scores[seed] for seed in seeds] for arm, scores in found.items()}
    arrays = {arm: np.array(values) for arm, values in ordered.items()}
    if not all(np.isfinite(values).all() for values in arrays.values()):
        raise DataError(f"{path}: a score in {metric} is not finite")
    return arrays


def check_arms(runs: Sequence[FinishedRun]) -> None:
    """Refuses runs that lack an arm which another has.

    Raises:
      DataError: the first such run and arm.
    """
    for run in runs:
        for other in runs:
            lacking = [arm for arm in other.scores if arm not in run.scores]
            if lacking:
                raise DataError(
                    f"{run.folder}: lacks the arm {lacking[0]}, which {other.folder} "
                    "has; every run of a suite needs every arm"
                )


def differences(runs: Sequence[FinishedRun]) -> list[str]:
    """Says in what the runs differ beside their task, and where data do not fit it."""
    return [
        *_config_differences(runs),
        *_data_differences(runs),
        *_formula_differences(runs),
    ]


def _config_differences(runs: Sequence[FinishedRun]) -> list[str]:
    known = [(run.folder, flat(run.config)) for run in runs if run.config]
    paths = sorted({path for _, config in known for path in config})
    told = []
    for path in paths:
        values = {str(folder): config.get(path) for folder, config in known}
        if path.startswith(FREE) or len({repr(v) for v in values.values()}) < 2:
            continue
        each = ", ".join(f"{folder}: {value}" for folder, value in values.items())
        told.append(f"the runs differ in more than the task: {path} ({each})")
    return told


def _data_differences(runs: Sequence[FinishedRun]) -> list[str]:
    told = []
    for place, run in enumerate(runs):
        for other in runs[:place]:
            if not run.data_sha256 or not other.data_sha256:
                continue
            same_data = run.data_sha256 == other.data_sha256
            same_task = run.config.get("task") == other.config.get("task")
            if same_data:
                told.append(
                    f"{other.folder} and {run.folder} hold the same data: they are one "
                    "task, counted twice"
                )
            elif same_task:
                told.append(
                    f"{other.folder} and {run.folder} name the same task, but the hashes "
                    "of their data differ"
                )
    return told


def _formula_differences(runs: Sequence[FinishedRun]) -> list[str]:
    told = []
    for arm in runs[0].scores:
        formulas = {str(run.summary["arms"][arm].get("formula")) for run in runs}
        if len(formulas) > 1:
            told.append(
                f"{arm} is not the same function in all runs: {'; '.join(formulas)}"
            )
    return told
