"""Reading a finished run as a pilot: scores by arm, and what its training took."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from research.errors import DataError
from research.records.finished_run import FinishedRun, read_run
from research.records.folder import RunFolder, read_mapping
from research.settings import shown


@dataclass(frozen=True, kw_only=True)
class PilotArm:
    """An arm's scores in the order of the seeds, and the time that it took.

    step_seconds: training's time over all steps of all lanes.
    """

    scores: Float64[np.ndarray, "seeds"]
    diverged: int
    train_seconds: float
    step_seconds: float
    compile_seconds: float


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """A finished run of two seeds or more; hardware is the processor, then each device."""

    folder: Path
    metric: str
    first_seed: int
    seeds: int
    hardware: tuple[str, ...]
    lanes_per_chunk: int
    arms: Mapping[str, PilotArm]


def read_pilot(root: Path) -> Pilot:
    """Reads a finished run as a pilot.

    Raises:
      DataError: a file is missing or damaged, or the run is no comparison of trainings,
        or of one seed alone.
    """
    folder = RunFolder(root)
    mode = read_mapping(folder.summary).get("mode")
    if mode != "compare":
        raise DataError(
            f"{folder.summary}: is of mode {mode}; a pilot is a run of mode compare"
        )
    run = read_run(root)
    seeds = _whole(folder.summary, run.summary, "seeds")
    if seeds < 2:
        raise DataError(
            f"{folder.summary}: the run has 1 seed, and the sd of one difference is not "
            "known; a pilot takes 2 seeds or more"
        )
    if {len(scores) for scores in run.scores.values()} != {seeds}:
        raise DataError(f"{folder.summary}: its seeds are not those of per_seed.csv")
    manifest = read_mapping(folder.manifest)
    machine = _section(folder.manifest, manifest, "machine")
    devices = machine.get("devices", [])
    if not isinstance(devices, list):
        raise DataError(
            f"{folder.manifest}: is damaged, its machine.devices is {shown(devices)}"
        )
    laid = _section(folder.manifest, manifest, "plan")
    block = _whole(folder.manifest, laid, "lanes_per_block")
    steps = _whole(folder.summary, run.summary, "steps")
    lane_steps = -(-seeds // block) * block * steps
    return Pilot(
        folder=root,
        metric=run.summary["primary_metric"],
        first_seed=int(_number(folder.summary, run.summary, "first_seed")),
        seeds=seeds,
        hardware=(str(machine.get("processor")), *map(str, devices)),
        lanes_per_chunk=_whole(folder.manifest, laid, "lanes_per_chunk"),
        arms={slug: _arm(folder.summary, run, slug, lane_steps) for slug in run.scores},
    )


def _arm(path: Path, run: FinishedRun, slug: str, lane_steps: int) -> PilotArm:
    told = _section(path, run.summary["arms"], slug)
    return PilotArm(
        scores=run.scores[slug],
        diverged=int(_number(path, told, "diverged")),
        train_seconds=_number(path, told, "train_seconds"),
        step_seconds=_number(path, told, "train_seconds") / lane_steps,
        compile_seconds=_number(path, told, "compile_seconds"),
    )


def _section(path: Path, told: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = told.get(key)
    if not isinstance(value, dict):
        raise DataError(f"{path}: is damaged, its {key} is {value}")
    return value


def _whole(path: Path, told: Mapping[str, Any], key: str) -> int:
    number = _number(path, told, key)
    if number < 1 or number != int(number):
        raise DataError(f"{path}: is damaged, its {key} is {number:g}")
    return int(number)


def _number(path: Path, told: Mapping[str, Any], key: str) -> float:
    value = told.get(key)
    if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise DataError(f"{path}: is damaged, its {key} is {value}")
    return float(value)
