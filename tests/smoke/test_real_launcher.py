"""The real launcher in a process of its own, with tiny settings, from config to report."""

import io
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny_runs import TINY

from research import compare
from research.experiment import run_folder

ROOT = Path(__file__).parents[2]
# The config of tiny_runs as words of the command line.
WORDS = [
    f"--config.{path}={value}"
    for path, value in {
        "activations": TINY["activations"],
        "seeds": TINY["seeds"],
        "epochs": TINY["epochs"],
        "batch_size": TINY["batch_size"],
        "task.samples": 200,
        "task.test_samples": 40,
        "task.validation_samples": 40,
        "model.hidden": "8,",
        "optimizer.learning_rate": 0.01,
        "compute.devices": 2,
        "tensorboard.seeds": 2,
    }.items()
]


@pytest.fixture(scope="module")
def launched(tmp_path_factory):
    """The process, and its run folder."""
    workdir = tmp_path_factory.mktemp("launched") / "run"
    done = subprocess.run(
        [sys.executable, ROOT / "launch.py", *WORDS, f"--workdir={workdir}"],
        cwd=workdir.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done, workdir


def test_it_says_the_verdict_and_nothing_on_stderr(launched):
    done, workdir = launched
    assert done.stderr == ""
    summary = json.loads((workdir / "results/summary.json").read_text())
    [comparison] = summary["comparisons"]
    for word in ("moons", "MLP 2-8-1", "relu", "gelu", comparison["verdict"]):
        assert word in done.stdout
    assert str(workdir.name) in done.stdout
    assert "16 trainings" in done.stdout


def test_the_run_folder_is_whole(launched):
    _, workdir = launched
    expected = {
        "config.json",
        "manifest.json",
        "log.txt",
        "report.html",
        "report.md",
        "results/per_seed.csv",
        "results/curves.npz",
        "results/summary.json",
        "results/ledger.json",
        "results/test_correct.npz",
        "results/figures.npz",
    }
    files = {path.relative_to(workdir) for path in workdir.rglob("*") if path.is_file()}
    assert expected <= set(map(str, files))
    assert {"figures", "tensorboard"} <= {path.parts[0] for path in files}
    assert not [path for path in files if path.name.startswith(".")]
    manifest = json.loads((workdir / "manifest.json").read_text())
    assert f"--workdir={workdir}" in manifest["command"]
    assert "--config.seeds=8" in manifest["command"]
    assert manifest["plan"]["devices"] == 2


def test_the_events_can_be_read(launched):
    _, workdir = launched
    tags: set[str] = set()
    for folder in {path.parent for path in workdir.rglob("events.out.tfevents.*")}:
        events = EventAccumulator(str(folder))
        events.Reload()
        for tag in events.Tags()["scalars"]:
            tags.add(tag)
            assert all(math.isfinite(event.value) for event in events.Scalars(tag))
    assert any("validation" in tag for tag in tags)
    arms = {path.name for path in (workdir / "tensorboard").iterdir()}
    assert {"relu", "gelu"} <= arms


def test_a_notebook_gets_the_same_bytes(launched, tmp_path, monkeypatch):
    monkeypatch.setattr("research.reporting.report.write_report", lambda root: {})
    monkeypatch.setattr(run_folder, "print_verdict", lambda *args, **options: None)
    compare(TINY, workdir=tmp_path, console=Console(file=io.StringIO()))
    for name in ("per_seed.csv", "curves.npz", "test_correct.npz"):
        mine = (tmp_path / "results" / name).read_bytes()
        assert mine == (launched[1] / "results" / name).read_bytes(), name


def test_a_finished_run_is_shown_again(launched):
    done, workdir = launched
    table = workdir / "results/per_seed.csv"
    before = table.stat().st_mtime_ns
    again = subprocess.run(
        [sys.executable, ROOT / "launch.py", "report", f"--workdir={workdir}"],
        cwd=workdir.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (again.returncode, again.stderr) == (0, "")
    assert table.stat().st_mtime_ns == before
    assert again.stdout.strip() != ""
    assert [line for line in again.stdout.splitlines() if line.startswith("gelu")] == [
        line
        for line in done.stdout.splitlines()
        if line.startswith("gelu") and ":" not in line
    ]
