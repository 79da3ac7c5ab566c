"""Going on with other code, other packages, other devices, or records that are gone."""

import contextlib
import io
import shutil
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tiny_runs import TINY

from research import compare
from research.cli import commands
from research.cli.workdir import Prepared
from research.config_values import from_mapping
from research.errors import DataError, Refusal
from research.experiment.observers import Watch
from research.records import sources
from research.records.folder import RunFolder, read_mapping, write_json
from research.records.ledger import LOST, read_ledger
from research.stopping import Stopping


def run(workdir: Path, **changes):
    """Runs four seeds of the tiny experiment without a picture."""
    config = {**TINY, "seeds": 4, "epochs": 2, **changes}
    config["compute"] = {
        "devices": 2,
        "lanes_per_chunk": 2,
        **changes.get("compute", {}),
    }
    return compare(config, workdir=workdir, console=Console(file=io.StringIO()))


@contextlib.contextmanager
def _unwatched(*args, **kwargs):
    yield Watch(lambda event: None)


@pytest.fixture(autouse=True)
def unshown(monkeypatch: pytest.MonkeyPatch):
    """Leaves out the report, which reads results and writes none."""
    monkeypatch.setattr("research.reporting.report.write_report", lambda root: {})
    monkeypatch.setattr("research.experiment.run_folder.watching", _unwatched)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.reporting.report.write_report", lambda root: {})
        patch.setattr("research.experiment.run_folder.watching", _unwatched)
        folder = tmp_path_factory.mktemp("whole")
        run(folder)
    return folder


@pytest.fixture
def copy(whole, tmp_path) -> RunFolder:
    shutil.copytree(whole, tmp_path / "run")
    return RunFolder(tmp_path / "run")


def test_other_code_behind_an_import_is_refused(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_scale.py").write_text("SCALE = 1.0\n")
    own = tmp_path / "own_act.py"
    own.write_text("from own_scale import SCALE\ndef f(x):\n  return SCALE * x * x\n")
    run(tmp_path / "run", activations=f"relu,{own}:f")
    (tmp_path / "own_scale.py").write_text("SCALE = 3.0\n")
    with pytest.raises(
        DataError, match=r"own_scale of .*own_act\.py:f is not what its"
    ):
        run(tmp_path / "run", activations=f"relu,{own}:f", seeds=8)
    sys.modules.pop("own_scale")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(x):\n  return 2 * x * x\n", r"own\.py:f is not what its lanes were"),
        ("def f(x: return x\n", r"own\.py:f: importing it failed, SyntaxError"),
        (None, "there is no file"),
    ],
)
def test_a_finished_run_of_other_code_is_not_shown_as_this_one(tmp_path, text, words):
    own = tmp_path / "own.py"
    own.write_text("def f(x):\n  return x * x\n")
    names = f"relu,{own}:f"
    run(tmp_path / "run", activations=names)
    own.unlink() if text is None else own.write_text(text)
    config = from_mapping({**TINY, "activations": names})
    finished = Prepared(tmp_path / "run", finished=True)
    with pytest.raises(Refusal, match=words):
        commands.compare(config, finished, "", Stopping())


def test_another_version_of_this_software_is_refused(copy, monkeypatch):
    monkeypatch.setattr(sources, "_training_files", lambda: [Path(__file__)])
    with pytest.raises(DataError, match=r"this software is not .* \(commit .* there, "):
        run(copy.root, seeds=8)


def test_lanes_by_another_version_are_not_taken_for_its_own(copy, monkeypatch):
    copy.manifest.unlink()
    monkeypatch.setattr(sources, "_training_files", lambda: [Path(__file__)])
    summary = run(copy.root)
    told = [told for told in summary["warnings"] if "of another code" in told]
    assert len(told) == 2


def test_other_packages_are_told(copy):
    manifest = read_mapping(copy.manifest)
    manifest["versions"]["optax"] = "0.0.1"
    write_json(copy.manifest, manifest)
    summary = run(copy.root, seeds=8)
    told = [told for told in summary["warnings"] if "differ by rounding" in told]
    assert len(told) == 1
    assert told[0].startswith("optax changed from 0.0.1 to ")
    # It is said once, as long as it does not change again.
    assert run(copy.root, seeds=12)["warnings"].count(told[0]) == 1
    fields = [change["field"] for change in read_ledger(copy.ledger)["changes"]]
    assert fields.count("versions.optax") == 1


def test_another_number_of_devices_is_told_however_it_came(copy):
    manifest = read_mapping(copy.manifest)
    manifest["plan"]["devices"] = 1  # as on a machine of one core
    write_json(copy.manifest, manifest)
    summary = run(copy.root, seeds=8)
    told = [told for told in summary["warnings"] if "number of devices" in told]
    assert told == [
        "the number of devices changed from 1 to 2 on the way: lanes trained before and "
        "after differ by rounding"
    ]


def test_the_same_machine_is_nothing_to_tell(copy):
    summary = run(copy.root, seeds=8)
    assert not any("on the way" in told for told in summary["warnings"])
    assert [change["field"] for change in read_ledger(copy.ledger)["changes"]] == [
        "seeds"
    ]


def test_a_ledger_that_is_gone_is_told(copy):
    copy.ledger.unlink()
    copy.summary.unlink()
    summary = run(copy.root, seeds=8)
    assert any(told.startswith(f"{LOST} was gone") for told in summary["warnings"])


def test_a_folder_in_the_place_of_lanes_is_refused_before_training(copy):
    (path,) = copy.finished_lanes.glob("gelu/*.npz")
    path.unlink()
    path.mkdir()
    with pytest.raises(DataError, match=r"gelu/0-3\.npz: is a folder, not a file"):
        run(copy.root)


def test_a_folder_that_is_removed_on_the_way_ends_the_run(tmp_path, monkeypatch):
    root, seen = tmp_path / "run", []

    def remove(event):
        seen.append(event)
        if len(seen) == 2:
            shutil.rmtree(root)
            run(root, epochs=1)

    @contextlib.contextmanager
    def watching(*args, **kwargs):
        monkeypatch.setattr("research.experiment.run_folder.watching", _unwatched)
        yield Watch(remove)

    monkeypatch.setattr("research.experiment.run_folder.watching", watching)
    with pytest.raises(DataError, match="was removed, or taken over"):
        run(root)
    folder = RunFolder(root)
    assert read_mapping(folder.config)["epochs"] == 1
    assert read_mapping(folder.summary)["epochs"] == 1
    assert not run(root, epochs=1)["warnings"]
