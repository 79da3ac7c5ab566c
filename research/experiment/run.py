"""The experiment, from config to verdict: what the launcher and a notebook call."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from research.config import ExperimentConfig
from research.config_values import from_mapping, to_mapping
from research.experiment.prepare import prepare
from research.experiment.run_folder import run_in
from research.experiment.started import recorded_plan
from research.experiment.variance import measure_variance
from research.records.folder import RunFolder, new_folder
from research.records.hosts import ALONE, Hosts
from research.records.outcome import check_outcome
from research.stopping import Stopping


def compare(
    config: ExperimentConfig | Mapping[str, Any] | None = None,
    *,
    workdir: Path | str | None = None,
    command: str | None = None,
    console: Console | None = None,
    stopping: Stopping | None = None,
    hosts: Hosts = ALONE,
) -> dict[str, Any]:
    """Trains every arm over all seeds and judges them; returns summary.json's mapping.

    In a folder that holds lanes of the same experiment only those that are missing are
    trained: of a run that was stopped, or of more seeds. Lanes that were saved on the
    way are gone on with. Here Ctrl-C raises KeyboardInterrupt at once, as it does
    everywhere in Python: the next call goes on from the last checkpoint. It is the
    launcher that saves before it stops.

    Args:
      config: an ExperimentConfig, or a nested mapping of the fields that differ from
        the defaults. None means make_moons with ReLU and GELU.
      workdir: the run folder; the first free `runs/<task>-<n>` when not given.
      command: what the manifest records as the command of this run.
      stopping: whom a signal handler tells; lanes are then saved before the run ends in
        KeyboardInterrupt.
      hosts: the processes that share the seeds; this one leads them.

    Raises:
      ConfigError: a field that cannot be used, or a folder that holds something else.
      InvalidComparison: the arms were not trained under equal conditions.
      AllDiverged: every lane of an arm stopped being finite; results are written.
    """
    given = to_mapping(config) if isinstance(config, ExperimentConfig) else config
    checked = from_mapping({} if given is None else given)
    place = Path(workdir) if workdir else None
    experiment = prepare(
        checked,
        recorded=recorded_plan(place) if place else None,
        processes=hosts.count,
    )
    console = console or Console()
    root = place or new_folder(Path("runs"), experiment.task.name)
    line = command or shlex.join(sys.argv)
    told: dict[str, Any] = {"command": line, "stopping": stopping}
    if checked.mode == "variance":
        summary = measure_variance(experiment, RunFolder(root), console, **told)
    else:
        summary = run_in(experiment, RunFolder(root), console, **told, hosts=hosts)
    check_outcome(summary)
    return summary
