"""The manifest: what a run was made with."""

import json
import subprocess

import numpy as np

from research.records import manifest as module
from research.records.manifest import manifest, sha256


def test_a_manifest_is_complete_and_json():
    made = manifest(
        sources={"own.py:f": "12ab"},
        command="python launch.py",
        devices=["cpu:0"],
        plan={"devices": 1},
        precision="float32",
        data={"inputs": np.zeros(3, np.float32)},
    )
    assert json.loads(json.dumps(made)) == made
    assert made["command"] == "python launch.py"
    assert set(made["versions"]) == {"python", *module.PACKAGES}
    assert made["machine"]["devices"] == ["cpu:0"]
    assert len(made["data_sha256"]["inputs"]) == 64
    assert made["machine"]["processor"] is not None


def test_a_hash_is_of_dtype_shape_and_values():
    array = np.arange(6, dtype=np.float32)
    changed = array.copy()
    changed[5] = np.nextafter(changed[5], 9)
    others = [array.reshape(2, 3), array.astype(np.float64), array[::-1], changed]
    assert len({sha256(array), *map(sha256, others)}) == 5
    assert sha256(array) == sha256(np.arange(12, dtype=np.float32)[:6])
    assert sha256(array[::2]) == sha256(array[::2].copy())


def test_a_machine_without_git_has_no_commit(monkeypatch):
    def absent(*args, **options):
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", absent)
    assert module.git_commit() is None
