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
def by_count(tmp_path_factory):
    """Returns count -> name -> array, from a process with four host devices."""
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
    counts: dict[int, dict[str, np.ndarray]] = {}
    for name, values in arrays.items():
        count, _, rest = name.partition("/")
        counts.setdefault(int(count), {})[rest] = values
    return counts


def assert_agree(mine, theirs):
    assert mine.keys() == theirs.keys()
    for name in mine.keys() - {"final_checksum"}:
        drawn = np.issubdtype(mine[name].dtype, np.integer) or mine[name].dtype == bool
        np.testing.assert_allclose(
            mine[name], theirs[name], 0, 0 if drawn else ROUNDING, err_msg=name
        )


def test_devices_change_no_draw_and_round_alike(tiny, by_count):
    # One device here, of a process that has two.
    alone = train(tiny, "relu", plan=fixed_plan(devices=1))
    mine = {name: np.asarray(values) for name, values in numbers(alone).items()}
    assert set(by_count) == {2, 4}
    assert mine["curves validation_loss"].shape == (8, 6)
    for count in by_count:
        assert_agree(by_count[count], mine)
