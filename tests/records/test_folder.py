"""The run folder: files are whole or absent, and hold only what can be read back."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from research.records.folder import (
    RunFolder,
    new_folder,
    read_mapping,
    remove_unfinished,
    write_arrays,
    write_bytes,
    write_json,
    write_table,
)


def test_every_file_has_its_place(tmp_path):
    folder = RunFolder(tmp_path)
    places = {
        name: str(getattr(folder, name).relative_to(tmp_path))
        for name, kind in vars(RunFolder).items()
        if isinstance(kind, property)
    }
    assert places == {
        "config": "config.json",
        "manifest": "manifest.json",
        "log": "log.txt",
        "tensorboard": "tensorboard",
        "per_seed": "results/per_seed.csv",
        "curves": "results/curves.npz",
        "summary": "results/summary.json",
        "ledger": "results/ledger.json",
        "test_correct": "results/test_correct.npz",
        "sums": "results/sha256.json",
        "finished_lanes": "checkpoints/finished",
        "underway": "checkpoints/underway",
        "figures": "results/figures.npz",
    }


def test_a_new_folder_takes_the_first_free_number(tmp_path):
    parent = tmp_path / "runs"
    names = [new_folder(parent, "moons").name for _ in range(2)]
    (parent / "moons-3").write_text("a file in the way")
    names.append(new_folder(parent, "moons").name)
    assert names == ["moons-1", "moons-2", "moons-4"]


@pytest.mark.parametrize("broken", ["write_bytes", "replace"])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch, broken):
    path = tmp_path / "results/summary.json"
    write_bytes(path, b"old")

    def half(self: Path, content: object) -> None:
        if broken == "write_bytes":
            with self.open("wb") as file:
                file.write(b"ne")
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, broken, half)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_write_leaves_nothing_beside_it(tmp_path):
    write_bytes(tmp_path / "a/b.bin", b"1")
    write_bytes(tmp_path / "a/b.bin", b"2")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.bin"]
    assert (tmp_path / "a/b.bin").read_bytes() == b"2"


def test_what_a_killed_process_left_beside_its_place_is_removed(tmp_path, monkeypatch):
    write_bytes(tmp_path / "a/b.bin", b"old")
    (tmp_path / "a/.hidden").touch()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *args: None)
        write_bytes(tmp_path / "a/b.bin", b"new")
    assert len(list((tmp_path / "a").iterdir())) == 3
    remove_unfinished(tmp_path)
    assert {path.name for path in (tmp_path / "a").iterdir()} == {".hidden", "b.bin"}
    assert (tmp_path / "a/b.bin").read_bytes() == b"old"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_has_no_nan(tmp_path, number):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "x.json", {"a": [1, {"b": number}]})
    assert list(tmp_path.iterdir()) == []


def test_json_comes_back(tmp_path):
    content = {"é": "x·Φ(x)", "a": [1, 0.1, None, True]}
    write_json(tmp_path / "x.json", content)
    assert read_mapping(tmp_path / "x.json") == content
    assert json.loads((tmp_path / "x.json").read_bytes()) == content


def test_arrays_come_back_and_their_bytes_repeat(tmp_path):
    arrays = {
        "relu/loss": np.arange(6, dtype=np.float32).reshape(2, 3),
        "n": np.int32(4),
    }
    for name in ("a.npz", "b.npz"):
        write_arrays(tmp_path / name, arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert set(found) == {"relu/loss", "n"}
        assert found["relu/loss"].dtype == np.float32
        np.testing.assert_array_equal(found["relu/loss"], arrays["relu/loss"])


def test_a_table_gives_every_float_back(tmp_path):
    values = [0.1, 1 / 3, 1e-300, 2.0, float(np.float32(0.1))]
    write_table(tmp_path / "t.csv", ["arm", "x"], [["a,b", value] for value in values])
    with (tmp_path / "t.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["x"]) for row in table] == values
    assert {row["arm"] for row in table} == {"a,b"}
    assert b"\r" not in (tmp_path / "t.csv").read_bytes()
