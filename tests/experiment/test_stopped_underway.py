"""A run that was stopped or killed within its lanes goes on from where it was saved."""

import contextlib
import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console
from tiny_runs import TINY, After

from research import compare
from research.experiment.observers import Watch
from research.records.checkpoint import checkpoints
from research.records.folder import RunFolder
from research.records.ledger import read_ledger
from research.stopping import Stopping


def run(workdir: Path, *, stopping: Stopping | None = None, **changes):
    """Runs the tiny experiment, saved after every epoch, without a picture."""
    fixed = {
        "compute": {"devices": 2, "lanes_per_chunk": 2},
        "checkpoint": {"every_epochs": 1},
    }
    return compare(
        {**TINY, **fixed, **changes},
        workdir=workdir,
        console=Console(file=io.StringIO()),
        stopping=stopping,
    )


def stop(workdir: Path, asked: int, **changes) -> None:
    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        run(workdir, stopping=After(asked), **changes)


@contextlib.contextmanager
def _unwatched(*args, **kwargs):
    yield Watch(lambda event: None)


@pytest.fixture(autouse=True, scope="module")
def unshown():
    """Leaves out the report, which reads results and writes none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.reporting.report.write_report", lambda root: {})
        patch.setattr("research.experiment.run_folder.watching", _unwatched)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """Eight seeds in one go."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    assert not list(RunFolder(folder).underway.rglob("*.json"))
    return folder


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Path:
    """A run that was stopped after three epochs of its second arm."""
    folder = tmp_path_factory.mktemp("stopped")
    stop(folder, 9)
    assert epochs(folder) == ["3", "2"]
    return folder


def epochs(workdir: Path, block: str = "gelu/0-7") -> list[str]:
    """Returns the checkpoints of a block, the newest first."""
    return [path.name for path in checkpoints(RunFolder(workdir).underway / block)]


def results(workdir: Path) -> dict[str, bytes | dict]:
    """Returns what must not depend on stops: bytes, and the summary without times."""
    folder = RunFolder(workdir)
    paths = (folder.per_seed, folder.curves, folder.test_correct)
    return {
        **{path.name: path.read_bytes() for path in paths},
        "summary": timeless(json.loads(folder.summary.read_text())),
    }


def timeless(summary: dict) -> dict:
    """Returns a summary without its times, and what was trained in that time."""
    times = ("step_seconds", "compile_seconds", "train_seconds")
    kept = {
        slug: {name: value for name, value in arm.items() if name not in times}
        for slug, arm in summary["arms"].items()
    }
    left_out = ("total_seconds", "trained_now", "changes", "arms")
    rest = {name: value for name, value in summary.items() if name not in left_out}
    return {**rest, "arms": kept}


def openings(workdir: Path) -> list[tuple[str, list[int], int]]:
    told = read_ledger(RunFolder(workdir).ledger)["openings"]
    return [(each["arm"], each["seeds"], each["attempt"]) for each in told]


def test_a_stopped_run_ends_in_the_same_bytes(whole, stopped, tmp_path):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    run(tmp_path)
    assert results(tmp_path) == results(whole)
    assert openings(tmp_path) == openings(whole)
    assert not list(RunFolder(tmp_path).underway.rglob("*.json"))


def test_it_does_go_on_where_it_was(stopped, tmp_path):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    stop(tmp_path, 1)
    assert epochs(tmp_path) == ["4", "3"]
    stop(tmp_path, 0)
    assert epochs(tmp_path) == ["4", "3"]


def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(
    whole, stopped, tmp_path
):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    newest, _ = checkpoints(RunFolder(tmp_path).underway / "gelu/0-7")
    manifest = newest / "arrays/manifest.ocdbt"
    content = bytearray(manifest.read_bytes())
    content[len(content) // 2] ^= 1
    manifest.write_bytes(content)
    summary = run(tmp_path)
    [told] = [told for told in summary["warnings"] if "checkpoint" in told]
    assert told.startswith(f"{newest}: is damaged, arrays/manifest.ocdbt")
    found, wanted = results(tmp_path), results(whole)
    for each in (found, wanted):
        each.pop("summary")
    assert found == wanted


def test_two_damaged_checkpoints_are_named_and_the_lanes_begin_anew(
    whole, stopped, tmp_path
):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    for path in checkpoints(RunFolder(tmp_path).underway / "gelu/0-7"):
        (path / "sha256.json").write_text("{}")
    summary = run(tmp_path)
    assert sum("is damaged" in told for told in summary["warnings"]) == 2
    per_seed = RunFolder(tmp_path).per_seed.read_bytes()
    assert per_seed == RunFolder(whole).per_seed.read_bytes()


def test_other_versions_are_named_and_not_used(whole, stopped, tmp_path, monkeypatch):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr("research.experiment.underway.TRAINERS", ("jax", "scipy"))
    summary = run(tmp_path)
    assert sum("is of other versions" in told for told in summary["warnings"]) == 2
    per_seed = RunFolder(tmp_path).per_seed.read_bytes()
    assert per_seed == RunFolder(whole).per_seed.read_bytes()


def test_a_half_written_checkpoint_is_not_told(whole, stopped, tmp_path):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    newest, _ = checkpoints(RunFolder(tmp_path).underway / "gelu/0-7")
    (newest / "sha256.json").unlink()
    run(tmp_path)
    assert results(tmp_path) == results(whole)


def test_more_seeds_leave_the_block_underway_as_it_is(whole, stopped, tmp_path):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    run(tmp_path, seeds=16)
    rows = RunFolder(tmp_path).per_seed.read_text().splitlines()
    assert set(RunFolder(whole).per_seed.read_text().splitlines()) < set(rows)
    assert len(rows) == 1 + 2 * 16
    assert openings(tmp_path) == [
        ("relu", list(range(8)), 1),
        ("relu", list(range(8, 16)), 1),
        ("gelu", list(range(8)), 1),
        ("gelu", list(range(8, 16)), 1),
    ]


def test_how_often_it_is_saved_may_change(whole, stopped, tmp_path):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    run(tmp_path, checkpoint={"every_epochs": None})
    assert results(tmp_path) == results(whole)


def test_a_run_without_every_epochs_saves_at_a_stop_alone(whole, tmp_path):
    stop(tmp_path, 1, checkpoint={})
    assert epochs(tmp_path, "relu/0-7") == ["1"]
    run(tmp_path, checkpoint={})
    assert results(tmp_path) == results(whole)


@pytest.mark.parametrize(
    ("mode", "asked", "block"),
    [
        ({"mode": "null"}, 9, "relu~null/10000-10007"),
        pytest.param(
            {"seeds_plan": "sequential", "seeds": 20},
            14,
            "relu/16-19",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["null", "sequential"],
)
def test_other_plans_and_modes_go_on_too(tmp_path, mode, asked, block):
    mode = {**mode, "analysis": {"margin": 1e-9}}
    run(tmp_path / "whole", **mode)
    stop(tmp_path / "stopped", asked, **mode)
    assert epochs(tmp_path / "stopped", block)
    run(tmp_path / "stopped", **mode)
    found, wanted = (results(tmp_path / name) for name in ("stopped", "whole"))
    for each in (found, wanted):
        each["summary"].pop("looks")  # type: ignore[union-attr]
    assert found == wanted


@pytest.mark.slow
def test_a_sub_run_of_variance_goes_on_too(tmp_path):
    mode = {"mode": "variance", "vary": "init,order", "seeds": 2, "epochs": 2}
    run(tmp_path / "whole", **mode)
    stop(tmp_path / "stopped", 16, **mode)
    assert epochs(tmp_path / "stopped/init-1", "gelu/20000-20001")
    run(tmp_path / "stopped", **mode)
    for name in ("all", "init-1", "order-7"):
        assert results(tmp_path / "stopped" / name) == results(
            tmp_path / "whole" / name
        )


def test_a_checkpoint_that_cannot_be_written_stops_no_training(
    whole, tmp_path, monkeypatch
):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("research.experiment.underway.write_checkpoint", full)
    summary = run(tmp_path)
    per_seed = RunFolder(tmp_path).per_seed.read_bytes()
    assert per_seed == RunFolder(whole).per_seed.read_bytes()
    assert sum("no checkpoint could be written" in t for t in summary["warnings"]) == 2
