"""The real launcher in a process of its own, with a run that takes a few seconds."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
EPOCHS = 60
# Digits of results that say how long something took, and how much of it was done then.
TIMES = ("step_seconds", "compile_seconds", "train_seconds")
WORDS = [
    f"--config.{path}={value}"
    for path, value in {
        "activations": "relu,silu",
        "seeds": 4,
        "epochs": EPOCHS,
        "batch_size": 16,
        "task.samples": 200,
        "task.test_samples": 40,
        "task.validation_samples": 40,
        "model.hidden": "8,",
        "compute.devices": 2,
        "compute.lanes_per_chunk": 2,
        "tensorboard.seeds": 0,
    }.items()
]


def environment(cache: Path) -> dict[str, str]:
    """Returns the environment of a launcher that compiles each program once only."""
    return {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Starts launch.py in a folder; what it compiles is shared by the folder's runs."""
    return subprocess.Popen(
        [sys.executable, str(ROOT / "launch.py"), *words],
        cwd=cwd,
        env=environment(cwd / "compiled"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Waits for a launcher and returns what it printed and said on stderr."""
    with process:
        return process.communicate(timeout=600)


def results(workdir: Path) -> dict[str, Any]:
    """Returns what a run found, bytes where they are promised, and without its times."""
    folder = workdir / "results"
    summary = json.loads((folder / "summary.json").read_text())
    for name in ("total_seconds", "trained_now"):
        del summary[name]
    for arm in summary["arms"].values():
        for name in TIMES:
            del arm[name]
    with np.load(folder / "curves.npz", allow_pickle=False) as curves:
        arrays = {
            name: (str(x.dtype), x.shape, x.tobytes()) for name, x in curves.items()
        }
    return {
        "per_seed.csv": (folder / "per_seed.csv").read_bytes(),
        "summary.json": json.dumps(summary),
        **arrays,
    }
