"""`launch.py plan`: what it shows and writes, from a pilot, an sd or neither."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from research.cli import main
from research.records.folder import RunFolder
from research.statistics import seeds_needed

# One program for the run and every plan of it, so that it is compiled once.
TINY = (
    "--config.seeds=8",
    "--config.batch_size=16",
    "--config.task.samples=200",
    "--config.task.test_samples=40",
    "--config.task.validation_samples=40",
    "--config.model.hidden=8",
    "--config.optimizer.learning_rate=0.01",
    "--config.compute.devices=2",
    "--config.tensorboard.seeds=0",
)
EPOCHS = ("--config.epochs=3",)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of 8 seeds, 5 to 12, whose report is not drawn."""
    folder = tmp_path_factory.mktemp("runs") / "pilot"
    argv = [*TINY, *EPOCHS, "--config.first_seed=5", f"--workdir={folder}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.reporting.report.write_report", lambda root: {})
        assert main(argv) == 0
    return folder


@pytest.fixture
def pilot(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the finished run that a test may spoil."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copytree(finished, "pilot")
    # Else an edited file is refused as such, whatever it says.
    RunFolder(Path("pilot")).sums.write_text("{}")
    return Path("pilot")


def plan(*argv: str, epochs: int = 3) -> dict[str, Any]:
    """Runs plan and returns plan.json."""
    argv = (*argv, f"--config.epochs={epochs}", "--workdir=planned")
    assert main(["plan", *TINY, *argv]) == 0
    return json.loads(Path("planned/plan.json").read_text())


def words(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def spoil(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_a_pilot_tells_the_sd_the_seeds_and_the_time(pilot: Path, capsys):
    # As if it had trained for longer: the speed of less than a second is not believed.
    path = pilot / "results/summary.json"
    summary = json.loads(path.read_text())
    for arm, seconds in zip(summary["arms"].values(), (2.0, 3.0), strict=True):
        arm["train_seconds"] = seconds
    path.write_text(json.dumps(summary))
    told = plan(f"--pilot={pilot}", "--config.first_seed=5", epochs=6)
    differences = summary["comparisons"][0]["differences"]
    found = told["statistics"]["arms"]["gelu"]
    std = np.std(differences, ddof=1)
    assert found["pilot_seeds"] == 8
    assert found["expected"]["std_difference"] == pytest.approx(std)
    assert found["low"]["std_difference"] < std < found["high"]["std_difference"]
    needed = seeds_needed(float(std), margin=0.005, level=0.05)
    assert found["expected"]["seeds_needed"] == needed
    # Twice the epochs take twice the time of the pilot's own training.
    assert told["time"]["source"] == "pilot"
    assert told["time"]["training_seconds"] == pytest.approx(2 * (2.0 + 3.0))
    assert told["lanes"]["lanes"] == 2 * 8
    assert told["lanes"]["steps_per_lane"] == 6 * (120 // 16)
    shown = words(capsys)
    assert "8 seeds are too few to see a difference of 0.5 points, and to call" in shown
    assert f"{needed}" in shown
    assert "train others than its own, 5 to 12 (--config.first_seed=13)" in shown
    assert "at the pilot's speed" in shown
    assert "Plan: planned/plan.json" in shown


def test_other_seeds_than_the_pilots_need_no_advice(pilot: Path, capsys):
    told = plan(f"--pilot={pilot}", "--config.first_seed=13")
    assert told["time"]["source"] == "reference"  # the pilot trained for an instant
    assert "Stein" not in words(capsys)


def test_what_the_pilot_lacks_or_did_otherwise_is_said(pilot: Path, capsys):
    told = plan(
        f"--pilot={pilot}",
        "--config.activations=relu,gelu,silu",
        "--config.task.noise=0.3",
        epochs=2,
    )
    assert told["statistics"]["arms"]["silu"] is None
    assert told["statistics"]["level"] == pytest.approx(0.025)
    assert told["time"]["source"] == "reference"
    shown = words(capsys)
    assert "task.noise (0.2 there, 0.3 now), epochs (3 there, 2 now)" in shown
    assert "the pilot lacks silu" in shown
    assert "the pilot's time is not comparable" in shown


def test_diverged_lanes_of_the_pilot_are_said(pilot: Path, capsys):
    path = pilot / "results/summary.json"
    arms = json.loads(path.read_text())["arms"]
    arms["gelu"]["diverged"] = 2
    spoil(path, arms=arms)
    plan(f"--pilot={pilot}")
    assert "2 of 8 lanes of gelu diverged in the pilot" in words(capsys)


def test_differences_that_do_not_vary_plan_nothing(pilot: Path, capsys):
    path = pilot / "results/per_seed.csv"
    relu = [row for row in path.read_text().splitlines() if not row.startswith("gelu")]
    gelu = [row.replace("relu", "gelu") for row in relu[1:]]
    path.write_text("\n".join([*relu, *gelu]))
    told = plan(f"--pilot={pilot}")
    assert told["statistics"]["arms"] == {"gelu": None}
    assert "every difference of gelu is the same in the pilot" in words(capsys)


def test_an_sd_is_exact_and_the_time_is_measured(pilot: Path, capsys):
    told = plan("--sd=0.01", "--power=0.9")
    found = told["statistics"]["arms"]["gelu"]
    assert found["expected"] == found["low"] == found["high"]
    # d_z = 0.5, power 0.9.
    assert found["expected"]["seeds_needed"] == 44
    assert found["expected"]["smallest_difference"] > 0.005
    assert told["time"]["source"] == "reference"
    assert told["time"]["timed_epochs"] >= 1
    assert told["time"]["training_seconds"] > 0
    assert min(told["memory"]["program_peak_bytes"].values()) > 0
    shown = words(capsys)
    assert "in 90 % of runs" in shown
    assert "Second lines" not in shown
    # The plan may be made again, and trained nothing.
    plan("--sd=0.01")
    assert [path.name for path in Path("planned").iterdir()] == ["plan.json"]


def test_too_few_seeds_are_told_so(pilot: Path, capsys):
    told = plan("--sd=0.001", "--config.analysis.confidence=0.999")
    assert told["statistics"]["arms"]["gelu"]["expected"]["smallest_difference"] is None
    shown = words(capsys)
    assert "8 seeds can show no difference, whatever its size: at least 11" in shown
    assert "none" in shown


def test_neither_says_how_to_get_the_seeds_and_writes_nothing(pilot: Path, capsys):
    assert main(["plan", *TINY, *EPOCHS]) == 0
    shown = words(capsys)
    assert "give --pilot=DIR, a finished run of some seeds, or --sd=NUMBER" in shown
    assert "16 = 2 arms × 8 seeds, 21 steps each" in shown
    assert [path.name for path in Path.cwd().iterdir()] == ["pilot"]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_is_not_wider_than_the_terminal(
    pilot: Path, capsys, monkeypatch, width
):
    monkeypatch.setenv("COLUMNS", str(width))
    plan(f"--pilot={pilot}")
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    assert any(line.startswith("(exact, erf) ") for line in lines)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--sd=0"], ["--sd='0'", "a finite number above 0"]),
        (["--sd=nan"], ["--sd='nan'", "above 0"]),
        (["--sd=inf"], ["--sd='inf'"]),
        (["--sd=much"], ["--sd='much'"]),
        (["--sd=1", "--power=1.5"], ["--power='1.5'", "from 0.5 to 0.999"]),
        (["--sd=1", "--power=1"], ["--power='1'"]),
        (["--power=0.9"], ["--power", "needs --pilot=DIR or --sd=NUMBER"]),
        (["--pilot=pilot", "--sd=1"], ["--sd", "does not go with --pilot"]),
        (["--pilot="], ["--pilot=''", "must be a path"]),
        (["--pilot=nowhere"], ["--pilot=nowhere", "no such folder"]),
        (["--pilot=."], ["--pilot=.", "no finished run"]),
        (["--powr=0.9"], ["did you mean --power"]),
        (["--seeds=9"], ["did you mean --config.seeds?"]),
        (["--workdir=pilot", "--sd=1"], ["--workdir=pilot", "holds no plan"]),
        (["--config.seeds=0"], ["--config.seeds=0"]),
    ],
)
def test_a_flag_that_cannot_be_used_is_one_line(pilot: Path, capsys, argv, expected):
    assert main(["plan", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    for word in expected:
        assert word in err


SPOILED = {
    "one seed": ({"seeds": 1}, "the run has 1 seed"),
    "other seeds": ({"seeds": 9}, "not those of per_seed.csv"),
    "analysis": ({"mode": "analyse"}, "is of mode analyse"),
    "no steps": ({"steps": 0}, "its steps is 0"),
    "no first seed": ({"first_seed": None}, "its first_seed is None"),
    "other metric": ({"primary_metric": "test_loss"}, "was judged by test_loss"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_pilot_that_cannot_be_used_is_one_line(pilot: Path, capsys, name):
    values, expected = SPOILED[name]
    spoil(pilot / "results/summary.json", **values)
    assert main(["plan", *TINY, "--pilot=pilot"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert expected in err


@pytest.mark.parametrize(
    "name",
    ["results/summary.json", "results/per_seed.csv", "config.json", "manifest.json"],
)
def test_a_damaged_file_of_the_pilot_is_named(pilot: Path, capsys, name):
    (pilot / name).write_text("{")
    assert main(["plan", *TINY, "--pilot=pilot"]) == 3
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"pilot/{name}" in err


def test_a_pilot_without_the_reference_is_refused(pilot: Path, capsys):
    argv = ["plan", *TINY, "--pilot=pilot", "--config.reference=silu"]
    assert main([*argv, "--config.activations=silu,relu"]) == 3
    err = capsys.readouterr().err
    assert "lacks the reference silu; it has relu, gelu" in err
