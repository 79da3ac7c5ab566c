"""The command that swaps a checkpoint's activation. The heavy imports stand inside."""

import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research.activations.names import distinct
from research.cli.workdir import prepare_surgery, remove_if_empty
from research.config import ExperimentConfig
from research.config_values import to_mapping
from research.errors import ConfigError, Refusal, Stopped
from research.model_configs import CheckpointConfig
from research.stopping import Stopping
from research.task_configs import RecoveryConfig

# The fields that have a flag of their own.
FIELDS = {
    "checkpoint": "model.path",
    "activations": "activations",
    "layers": "model.layers",
    "text": "task.path",
    "labels": "task.labels",
}
PACKAGES = ("numpy", "jax", "flax", "safetensors", "tokenizers")


def as_fields(given: Mapping[str, str]) -> dict[str, str]:
    """Returns the flags of surgery as those of the fields that they stand for.

    Raises:
      ConfigError: a field is given by both.
    """
    fields = {f"config.{FIELDS.get(name, '')}": name for name in given}
    for field, name in fields.items():
        if name in FIELDS and field in given:
            raise ConfigError(f"--{name}: stands for --{field}; give one of the two")
    return {
        f"config.{FIELDS[name]}" if name in FIELDS else name: text
        for name, text in given.items()
    }


def in_flags(error: ConfigError) -> ConfigError:
    """Returns a refusal that names the flag where one stands for the field."""
    told = str(error)
    for flag, field in FIELDS.items():
        if told.startswith(f"--config.{field}="):
            return ConfigError(told.replace(f"--config.{field}=", f"--{flag}=", 1))
    return error


def check_surgery(config: ExperimentConfig) -> None:
    """Checks that a config is one of surgery.

    Raises:
      ConfigError: another task, model or mode, no checkpoint, or two names of one
        function among the activations.
    """
    if not isinstance(config.task, RecoveryConfig):
        raise ConfigError(f"task.name={config.task.name}: must be recovery for surgery")
    if not isinstance(config.model, CheckpointConfig):
        raise ConfigError(
            f"model.name={config.model.name}: must be checkpoint for surgery"
        )
    if config.model.path is None:
        raise ConfigError(
            "surgery: needs --checkpoint=DIR, the local folder of a published checkpoint"
        )
    if config.mode != "compare":
        raise ConfigError(f"mode={config.mode}: must be compare for surgery")
    distinct(config.activations)


def surgery(
    config: ExperimentConfig, workdir: Path | None, command: str, stopping: Stopping
) -> None:
    """Swaps, measures, tunes and measures again; writes and shows it.

    Args:
      stopping: told of signals.

    Raises:
      Refusal: a checkpoint, rows, an activation or a folder that cannot be used; what
        training refuses; a signal.
    """
    began = time.perf_counter()
    from research.experiment.prepare import ready
    from research.surgery.swap import prepare_swap

    ready(config)
    # The checkpoint is read first, so that a refusal leaves no folder.
    swap = prepare_swap(config)
    from research.cli.terminal import Terminal
    from research.records.analysis_manifest import analysis_manifest
    from research.records.folder import RunFolder, write_json
    from research.records.lock import locked
    from research.reporting.console import print_verdict
    from research.reporting.report import write_report
    from research.surgery.operation import operate

    folder = RunFolder(prepare_surgery(workdir, config, "surgery"))
    console, line = Terminal(), f"{command} {shlex.quote(f'--workdir={folder.root}')}"
    try:
        with locked(folder.root) as taken:
            if taken.note:
                console.print(taken.note, markup=False)
            write_json(folder.config, to_mapping(config))
            summary = operate(swap, folder, console, command=line, stopping=stopping)
            write_json(
                folder.manifest,
                analysis_manifest(
                    command=line, sources=swap.sources, packages=PACKAGES
                ),
            )
            summary["total_seconds"] = time.perf_counter() - began
            write_json(folder.summary, summary)
            write_report(folder.root)
    except Refusal:
        _leave(folder)
        raise
    except KeyboardInterrupt as signal:
        _leave(folder)
        raise Stopped(
            f"stopped by {str(signal) or 'SIGINT'}; what was trained is kept; to go on, run "
            f"the same command again: {line}"
        ) from None
    print_verdict(summary, console, workdir=folder.root)


def _leave(folder: Any) -> None:
    """Removes a folder in which nothing was trained or measured."""
    if {each.name for each in folder.root.iterdir()} <= {folder.config.name}:
        folder.config.unlink(missing_ok=True)
        remove_if_empty(folder.root)
