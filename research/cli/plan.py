"""The command that plans a run. The heavy imports stand inside."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from research.activations.names import canonical_config
from research.cli.analysis import read_path
from research.cli.workdir import is_finished, prepare_plan
from research.config import ExperimentConfig
from research.errors import ConfigError, DataError
from research.records.reopening import changes, recorded_config
from research.settings import POSITIVE, Check, from_to, shown

PLAN_FLAGS = ("pilot", "sd", "power")
POWER = 0.8
POWERS = from_to(0.5, 0.999)
# What a pilot may differ in: what is planned, and how it is judged, run and shown.
FREE = (
    "activations",
    "reference",
    "seeds",
    "first_seed",
    "seeds_plan",
    "analysis.",
    "compute.devices",
    "compute.lanes_per_chunk",
    "compute.cache",
    "tensorboard.",
    "checkpoint.",
)


@dataclass(frozen=True, kw_only=True)
class Planning:
    """What plan is asked for beside the config: a pilot or an sd, if any, and the power."""

    pilot: Path | None
    std_difference: float | None
    power: float


def read_planning(given: Mapping[str, str]) -> Planning:
    """Reads the flags of plan.

    Raises:
      ConfigError: a value that cannot be used, or flags that do not go together.
    """
    if "pilot" in given and "sd" in given:
        raise ConfigError("--sd: does not go with --pilot, whose scores tell the sd")
    if "power" in given and not {"pilot", "sd"} & given.keys():
        raise ConfigError("--power: needs --pilot=DIR or --sd=NUMBER")
    return Planning(
        pilot=_pilot(given["pilot"]) if "pilot" in given else None,
        std_difference=_number("sd", given["sd"], POSITIVE) if "sd" in given else None,
        power=_number("power", given["power"], POWERS) if "power" in given else POWER,
    )


def _pilot(text: str) -> Path:
    path = read_path("pilot", text)
    if not path.is_dir():
        raise ConfigError(f"--pilot={path}: no such folder")
    if not is_finished(path):
        raise ConfigError(
            f"--pilot={path}: holds no finished run (no results/summary.json)"
        )
    return path


def _number(flag: str, text: str, check: Check) -> float:
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is None or not check.accepts(number):
        raise ConfigError(f"--{flag}={shown(text)}: must be {check.allowed}")
    return number


def plan(
    config: ExperimentConfig, planning: Planning, workdir: Path | None, command: str
) -> None:
    """Shows what a run could show, hold and take, and writes it where a folder is given.

    Raises:
      ConfigError: a folder or a field that cannot be used.
      DataError: a pilot that cannot be read, or does not fit.
    """
    from research.cli.terminal import Terminal
    from research.records.folder import write_json
    from research.records.pilot import read_pilot
    from research.reporting.plan_table import print_plan

    pilot, differ = None, ()
    if planning.pilot is not None:
        pilot = read_pilot(planning.pilot)
        there = recorded_config(planning.pilot)
        if there is None:
            raise DataError(f"{planning.pilot}: holds no config.json")
        differ = tuple(
            str(change)
            for change in changes(there, config, canonical_config)
            if not change.field.startswith(FREE)
        )
    folder = None if workdir is None else prepare_plan(workdir)
    from research.experiment.planning import Known
    from research.experiment.planning import plan as plan_run

    known = Known(
        power=planning.power,
        std_difference=planning.std_difference,
        pilot=pilot,
        differences=differ,
    )
    told = {**plan_run(config, known), "command": command}
    if folder is not None:
        write_json(folder / "plan.json", told)
    print_plan(told, Terminal(), workdir=folder)
