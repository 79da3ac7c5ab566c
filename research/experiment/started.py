"""What is told and written of an experiment before it trains."""

import dataclasses
from pathlib import Path
from typing import Any

import jax

from research.config_values import to_mapping
from research.errors import DataError
from research.experiment.identity import code, data_arrays
from research.experiment.prepare import NULL, PRECISION, Experiment
from research.records.events import RunStarted
from research.records.folder import RunFolder, read_mapping
from research.records.manifest import manifest
from research.settings import shown
from research.training.plan import Plan


def recorded_plan(root: Path) -> Plan | None:
    """Returns the plan that a folder's lanes were trained by; None where it has none.

    Raises:
      DataError: manifest.json cannot be read.
    """
    path = RunFolder(root).manifest
    if not path.is_file():
        return None
    told: Any = read_mapping(path).get("plan")
    try:
        plan = Plan(**told)
    except TypeError:
        raise DataError(f"{path}: is damaged, it holds no plan") from None
    for name in ("devices", "lanes_per_chunk", "lanes_per_block"):
        value = getattr(plan, name)
        if not isinstance(value, int) or value < 1:
            raise DataError(f"{path}: is damaged, its plan has {name}={shown(value)}")
    if not isinstance(plan.one_program, bool):
        told = f"one_program={shown(plan.one_program)}"
        raise DataError(f"{path}: is damaged, its plan has {told}")
    return plan


def run_started(experiment: Experiment) -> RunStarted:
    config = experiment.config
    return RunStarted(
        title=experiment.title,
        arms=tuple(experiment.problems),
        reference=experiment.reference,
        seeds=experiment.seeds_of(experiment.reference),
        other_seeds={
            arm: experiment.seeds_of(arm)
            for arm in experiment.problems
            if arm.endswith(NULL)
        },
        epochs=config.epochs,
        steps_per_epoch=experiment.steps_per_epoch,
        config=to_mapping(config),
    )


def describe_manifest(experiment: Experiment, command: str) -> dict[str, Any]:
    config, task = experiment.config, experiment.task
    devices = jax.local_devices()[: experiment.plan.devices]
    return manifest(
        command=command,
        devices=[f"{device.platform}:{device.id}" for device in devices],
        plan=dataclasses.asdict(experiment.plan),
        precision=f"{config.compute.dtype}, matmul {PRECISION}",
        remarks=task.remarks,
        sources=code(config),
        data=data_arrays(experiment),
    )
