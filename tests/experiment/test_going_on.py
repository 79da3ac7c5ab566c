"""A run that goes on: after a stop, with more seeds, with another margin, in one folder."""

import contextlib
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tiny_runs import TINY

from research import compare
from research.errors import ConfigError, DataError
from research.experiment import lanes
from research.experiment.observers import Watch
from research.records.folder import RunFolder
from research.records.ledger import read_ledger
from research.records.lock import locked


def run(workdir: Path, **changes):
    """Runs the tiny experiment without a picture, in chunks that fit any machine."""
    config = {**TINY, "compute": {"devices": 2, "lanes_per_chunk": 2}, **changes}
    return compare(config, workdir=workdir, console=Console(file=io.StringIO()))


@pytest.fixture(autouse=True)
def unshown(monkeypatch: pytest.MonkeyPatch):
    """Leaves out the report, which reads results and writes none."""
    monkeypatch.setattr("research.reporting.report.write_report", lambda root: {})
    monkeypatch.setattr("research.experiment.run_folder.watching", _unwatched)


@contextlib.contextmanager
def _unwatched(*args, **kwargs):
    yield Watch(lambda event: None)


def results(workdir: Path) -> dict[str, bytes]:
    """Returns the bytes of what is a function of the lanes alone."""
    folder = RunFolder(workdir)
    paths = (folder.per_seed, folder.curves, folder.test_correct)
    return {path.name: path.read_bytes() for path in paths}


def openings(workdir: Path) -> list[tuple[str, list[int], int]]:
    told = read_ledger(RunFolder(workdir).ledger)["openings"]
    return [(each["arm"], each["seeds"], each["attempt"]) for each in told]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """Twelve seeds in one go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.reporting.report.write_report", lambda root: {})
        patch.setattr("research.experiment.run_folder.watching", _unwatched)
        folder = tmp_path_factory.mktemp("whole")
        run(folder, seeds=12)
    return folder


def test_more_seeds_train_the_new_ones_alone(whole, tmp_path):
    run(tmp_path, seeds=8)
    before = RunFolder(tmp_path).per_seed.read_text().splitlines()
    summary = run(tmp_path, seeds=12)
    assert results(tmp_path) == results(whole)
    assert set(before) < set(RunFolder(tmp_path).per_seed.read_text().splitlines())
    assert openings(tmp_path) == [
        ("relu", list(range(8)), 1),
        ("gelu", list(range(8)), 1),
        ("relu", [8, 9, 10, 11], 1),
        ("gelu", [8, 9, 10, 11], 1),
    ]
    [change] = read_ledger(RunFolder(tmp_path).ledger)["changes"]
    assert (change["field"], change["from"], change["to"]) == ("seeds", 8, 12)
    assert change["verdict_seen"]
    assert any("4 seeds were added after" in told for told in summary["warnings"])
    assert json.loads(RunFolder(tmp_path).config.read_text())["seeds"] == 12


def test_a_run_that_was_stopped_goes_on_with_what_is_missing(
    whole, tmp_path, monkeypatch
):
    train_arm = lanes.train_arm

    def stopped(problem, *args, arm, **options):
        if arm == "gelu":
            raise KeyboardInterrupt
        yield from train_arm(problem, *args, arm=arm, **options)

    monkeypatch.setattr(lanes, "train_arm", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, seeds=12)
    monkeypatch.setattr(lanes, "train_arm", train_arm)
    summary = run(tmp_path, seeds=12)
    assert results(tmp_path) == results(whole)
    assert [arm for arm, _, _ in openings(tmp_path)] == ["relu", "gelu"]
    assert not any("added" in told for told in summary["warnings"])


def test_damaged_lanes_are_named_and_trained_again(whole, tmp_path):
    run(tmp_path, seeds=12)
    [path] = RunFolder(tmp_path).finished_lanes.glob("gelu/*.npz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    console = Console(file=io.StringIO(), width=400)
    config = {**TINY, "compute": {"devices": 2, "lanes_per_chunk": 2}, "seeds": 12}
    summary = compare(config, workdir=tmp_path, console=console)
    assert any(f"{path}: is damaged" in told for told in summary["warnings"])
    shown = " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]
    assert "is damaged" in shown
    assert results(tmp_path) == results(whole)
    assert openings(tmp_path)[-1] == ("gelu", list(range(12)), 2)


def test_a_stop_after_a_change_leaves_no_old_verdict(tmp_path, monkeypatch):
    run(tmp_path)

    def stopped(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lanes, "train_arm", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, seeds=12)
    assert not RunFolder(tmp_path).summary.exists()
    assert read_ledger(RunFolder(tmp_path).ledger)["changes"][0]["verdict_seen"]


SPOILED = {
    "a missing array": lambda arrays: arrays.pop("curves/train_loss"),
    "a score that is not finite": lambda arrays: arrays["test/accuracy"].fill(np.nan),
    "curves of other epochs": lambda arrays: arrays.update(
        {"curves/train_loss": arrays["curves/train_loss"][:, 1:]}
    ),
    "a score that is another": lambda arrays: arrays["test/accuracy"].fill(0.5),
    "an array of another kind": lambda arrays: arrays.update(
        {"scored/alive": arrays["scored/alive"].astype(float)}
    ),
    "an array of other rows": lambda arrays: arrays.update(
        {"splits": arrays["splits"][:3]}
    ),
    "seeds in another order": lambda arrays: arrays.update(
        {"seeds": arrays["seeds"][::-1]}
    ),
    "no word of whose they are": lambda arrays: (
        arrays.pop("sha256"),
        arrays.pop("of"),
    ),
    "another arm": lambda arrays: arrays.update({"arm": np.asarray("silu")}),
}


@pytest.mark.parametrize("how", SPOILED)
def test_lanes_that_are_not_this_arms_are_trained_again(whole, tmp_path, how):
    shutil.copytree(whole, tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    [path] = folder.finished_lanes.glob("gelu/*.npz")
    with np.load(path) as file:
        arrays = {name: file[name] for name in file}
    SPOILED[how](arrays)
    np.savez(path, allow_pickle=False, **arrays)
    (path.parent / "copy of it.npz").write_bytes(b"no lanes")
    folder.summary.unlink()
    run(folder.root, seeds=12)
    assert results(folder.root) == results(whole)
    assert openings(folder.root)[-1] == ("gelu", list(range(12)), 2)


def test_lanes_of_another_run_are_not_taken_for_its_own(whole, tmp_path):
    """They are sound, of the same arms and seeds, and were moved in from elsewhere."""
    shutil.copytree(whole, tmp_path / "run")
    mine = RunFolder(tmp_path / "run")
    other = RunFolder(tmp_path / "other")
    run(other.root, seeds=12, optimizer={"learning_rate": 0.1})
    shutil.rmtree(mine.finished_lanes)
    shutil.copytree(other.finished_lanes, mine.finished_lanes)
    mine.summary.unlink()
    summary = run(mine.root, seeds=12)
    assert results(mine.root) == results(whole)
    told = [told for told in summary["warnings"] if "of another config" in told]
    assert len(told) == 2
    assert all("its lanes are trained again" in each for each in told)


def test_other_code_in_the_same_file_is_refused(tmp_path):
    own = tmp_path / "own.py"
    own.write_text("import jax.numpy as jnp\ndef f(x):\n  return jnp.tanh(x)\n")
    run(tmp_path / "run", activations=f"relu,{own}:f")
    own.write_text("import jax.numpy as jnp\ndef f(x):\n  return jnp.sin(x)\n")
    with pytest.raises(
        DataError, match=r"own\.py:f is not what its lanes were trained"
    ):
        run(tmp_path / "run", activations=f"relu,{own}:f", seeds=12)


PLAN = {"devices": 1, "lanes_per_chunk": 4, "lanes_per_block": 8, "rule": "a test"}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("manifest.json", {"plan": {"devices": 0}}, "its plan|no plan"),
        ("manifest.json", {"plan": PLAN, "data_sha256": 5}, "its data_sha256 is 5"),
        (
            "manifest.json",
            {"plan": {**PLAN, "one_program": 1}},
            "one_program=1|no plan",
        ),
        ("results/ledger.json", {"openings": 5}, "its openings are no list"),
        ("config.json", ["no config"], "holds no JSON object"),
    ],
)
def test_damaged_records_are_named(whole, tmp_path, name, content, words):
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "run" / name).write_text(json.dumps(content))
    with pytest.raises(DataError, match=words):
        run(tmp_path / "run", seeds=12)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ConfigError, match="is not empty and holds no run"):
        run(tmp_path)


def test_another_margin_judges_again_and_says_so(tmp_path):
    first = run(tmp_path)
    before = results(tmp_path)
    second = run(tmp_path, analysis={"margin": 0.5})
    assert results(tmp_path) == before
    assert len(openings(tmp_path)) == 2
    assert (first["margin"], second["margin"]) == (0.005, 0.5)
    assert any("margin was changed from 0.005 to 0.5" in w for w in second["warnings"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seeds": 4}, r"seeds \(8 there, 4 now\); seeds may only grow"),
        ({"epochs": 3}, "differs in epochs"),
        ({"first_seed": 2}, "differs in first_seed"),
        ({"optimizer": {"learning_rate": 0.1}}, "optimizer.learning_rate"),
    ],
)
def test_what_would_change_old_lanes_is_refused(tmp_path_factory, change, words):
    folder = tmp_path_factory.getbasetemp() / "unchanged"
    if not folder.exists():
        run(folder)
    before = results(folder)
    with pytest.raises(ConfigError, match=words):
        run(folder, **change)
    assert results(folder) == before


HOLD = """
import sys, time
from pathlib import Path
from research.records.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_folder_is_one_process_at_a_time(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(ConfigError, match=f"process {other.pid} on "):
            run(tmp_path)
        assert not RunFolder(tmp_path).config.exists()
        other.kill()
        other.wait()
        with locked(tmp_path) as taken:
            assert taken.note is not None
            assert f"process {other.pid}" in taken.note
    with locked(tmp_path) as taken:
        assert taken.note is None


def test_a_sequential_plan_stops_when_every_arm_is_decided(tmp_path):
    summary = run(
        tmp_path,
        seeds=64,
        seeds_plan="sequential",
        epochs=10,
        task={"samples": 400, "test_samples": 200, "validation_samples": 40},
        analysis={"margin": 0.1},
    )
    used = summary["seeds"]
    assert used < 64
    assert used % 16 == 0
    looks = read_ledger(RunFolder(tmp_path).ledger)["looks"]
    assert [look["seeds"] for look in looks] == list(range(16, used + 1, 16))
    assert looks[-1]["decided"] == {"gelu": summary["comparisons"][0]["verdict"]}
    assert all(None in look["decided"].values() for look in looks[:-1])
    opened = [seed for _, seeds, _ in openings(tmp_path) for seed in seeds]
    assert sorted(opened) == sorted([*range(used)] * 2)
    assert summary["plan"] == "sequential"
    assert summary["comparisons"][0]["sequence"]["n"][-1] == used


def test_lanes_of_a_sequential_plan_are_those_of_a_fixed_one(whole, tmp_path):
    run(tmp_path, seeds=12, seeds_plan="sequential", analysis={"margin": 1e-9})
    assert results(tmp_path) == results(whole)


def test_null_trains_the_reference_against_itself(tmp_path):
    summary = run(tmp_path, mode="null")
    assert list(summary["arms"]) == ["relu", "relu~null"]
    rows = RunFolder(tmp_path).per_seed.read_text().splitlines()[1:]
    seeds = [int(row.split(",")[2]) for row in rows]
    assert seeds == [*range(8), *range(10_000, 10_008)]
    [comparison] = summary["comparisons"]
    assert not comparison["paired"]
    assert summary["mode"] == "null"
    assert summary["pairing"] is None
    alone = run(tmp_path / "alone", first_seed=10_000)
    base = alone["arms"]["relu"]
    assert summary["arms"]["relu~null"]["mean"] == pytest.approx(base["mean"])
    np.testing.assert_allclose(
        comparison["mean_difference"], base["mean"] - summary["arms"]["relu"]["mean"]
    )
