"""A seed's results do not depend on how many devices share the seeds."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import fixed_plan, numbers, train

HERE = Path(__file__).parent
ROUNDING = 1e-6  # as for another chunk width: a few units in the last place of a loss


@pytest.fixture(scope="module")
def on_four(tmp_path_factory):
    """The ReLU arm's numbers from a process that has four host devices."""
    path = tmp_path_factory.mktemp("devices") / "trained.npz"
    done = subprocess.run(
        [sys.executable, "-W", "error", HERE / "trained_on_devices.py", path],
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
    with np.load(path, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    assert arrays.pop("host devices") == 4
    return arrays


@pytest.mark.parametrize("devices", [1, 2])
def test_devices_change_no_draw_and_round_alike(tiny, on_four, devices):
    here = numbers(train(tiny, "relu", plan=fixed_plan(devices=devices)))
    assert on_four["curves validation_loss"].shape == (8, 6)
    assert here.keys() == on_four.keys()
    for name in here.keys() - {"final_checksum"}:
        mine, theirs = np.asarray(here[name]), on_four[name]
        drawn = np.issubdtype(mine.dtype, np.integer) or mine.dtype == bool
        np.testing.assert_allclose(
            mine, theirs, 0, 0 if drawn else ROUNDING, err_msg=name
        )
