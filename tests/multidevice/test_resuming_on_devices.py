"""A run that was stopped within its lanes goes on on another number of devices."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tiny_runs import TINY, After

from research import compare
from research.records.checkpoint import checkpoints
from research.records.folder import RunFolder

HERE = Path(__file__).parent
ROUNDING = 1e-6  # as for the lanes of test_devices_agree
# Five seeds leave lanes empty on every number of devices but one.
CONFIG = {
    **TINY,
    "mode": "null",
    "seeds": 5,
    "compute": {"devices": 2, "lanes_per_chunk": 2},
    "checkpoint": {"every_epochs": 1},
}


def run(workdir: Path, **options) -> None:
    compare(CONFIG, workdir=workdir, console=Console(file=io.StringIO()), **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The run on two devices, never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return folder


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Path:
    """The run on two devices, stopped after two epochs of its first arm."""
    folder = tmp_path_factory.mktemp("stopped")
    with pytest.raises(KeyboardInterrupt):
        run(folder, stopping=After(2))
    newest, _ = checkpoints(RunFolder(folder).underway / "relu/0-4")
    assert newest.name == "2"
    return folder


@pytest.mark.parametrize(
    "devices",
    [
        pytest.param(1, marks=pytest.mark.slow),
        pytest.param(2, marks=pytest.mark.slow),
        3,
    ],
)
def test_other_devices_go_on_within_rounding(whole, stopped, tmp_path, devices):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    script = HERE / "resumed_on_devices.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", script, tmp_path, str(devices)],
        env={
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE.parent}",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "results/summary.json").read_text())
    told = [t for t in summary["warnings"] if "number of devices changed" in t]
    assert len(told) == (devices != 2)
    assert not any("checkpoint" in told for told in summary["warnings"])
    with (
        np.load(tmp_path / "results/curves.npz") as mine,
        np.load(whole / "results/curves.npz") as theirs,
    ):
        assert set(mine) == set(theirs)
        for name in mine:
            atol = 0 if devices == 2 else ROUNDING
            np.testing.assert_allclose(mine[name], theirs[name], 0, atol, err_msg=name)
