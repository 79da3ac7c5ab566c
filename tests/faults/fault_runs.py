"""Runs that meet a fault: the tiny experiment, in this process and by the launcher."""

import contextlib
import dataclasses
import functools
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from rich.console import Console
from tiny_runs import TINY

from research.config_values import from_mapping
from research.experiment.lanes import Compiled
from research.experiment.prepare import Experiment, prepare
from research.experiment.run_folder import run_in
from research.records.folder import RunFolder
from research.reporting.figures import Drawn

ROOT = Path(__file__).parents[2]
# Chunks that fit any machine, so that bytes are the same wherever a lane lies.
SMALL = {
    **TINY,
    "seeds": 4,
    "epochs": 2,
    "compute": {"devices": 2, "lanes_per_chunk": 2},
}
WORDS = (
    "--config.activations=relu,gelu",
    "--config.seeds=4",
    "--config.epochs=2",
    "--config.batch_size=16",
    "--config.task.samples=200",
    "--config.task.test_samples=40",
    "--config.task.validation_samples=40",
    "--config.model.hidden=8,",
    "--config.optimizer.learning_rate=0.01",
    "--config.compute.devices=2",
    "--config.compute.lanes_per_chunk=2",
    "--config.tensorboard.seeds=0",
)


@functools.cache
def experiment() -> tuple[Experiment, Compiled]:
    """Returns the small experiment, prepared once, and the programs that it shares."""
    return prepare(from_mapping(SMALL)), {}


def train(
    root: Path, *, figures: bool = False, fresh: bool = False, **changes: Any
) -> tuple[dict[str, Any], str]:
    """Runs the small experiment; returns its summary and what the console showed.

    Args:
      figures: whether they are drawn, which takes longer than all the rest.
      fresh: whether the programs are compiled anew, as by another process.
      changes: of fields that the compiled programs do not depend on.
    """
    ready, compiled = experiment()
    console = Console(file=io.StringIO(), width=400)
    config = from_mapping({**SMALL, **changes})
    with contextlib.ExitStack() as stack:
        if not figures:
            drawn = mock.patch("research.reporting.report.draw_all", _undrawn)
            stack.enter_context(drawn)
        summary = run_in(
            dataclasses.replace(ready, config=config),
            RunFolder(root),
            console,
            command="python launch.py",
            compiled={} if fresh else compiled,
        )
    return summary, console.file.getvalue()  # type: ignore[attr-defined]


def _undrawn(root: Path) -> Drawn:
    return Drawn()


def results(workdir: Path) -> dict[str, bytes]:
    """Returns the bytes of what is a function of the lanes alone."""
    folder = RunFolder(workdir)
    paths = (folder.per_seed, folder.curves, folder.test_correct)
    return {path.name: path.read_bytes() for path in paths}


def launch(
    *argv: str, cwd: Path, timeout: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs launch.py with these variables set beside the tests' own."""
    return subprocess.run(
        [sys.executable, str(ROOT / "launch.py"), *argv],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def one_line(text: str) -> str:
    """Returns the only line of what was printed on stderr."""
    assert text.endswith("\n"), text
    assert text.count("\n") == 1, text
    assert text.startswith("launch.py: "), text
    return text
