"""A disk that takes no more: one line with the path, and what was written is whole."""

import errno
import json
import os
import resource
from pathlib import Path

import numpy as np
import pytest
from fault_runs import WORDS, launch, one_line, results, train

from research.cli import main
from research.records import folder as folder_module
from research.records.folder import RunFolder
from research.records.lock import locked

FILES = (
    "config.json",
    "manifest.json",
    "results/ledger.json",
    "checkpoints/finished/relu/0-3.npz",
    "checkpoints/finished/gelu/0-3.npz",
    "results/per_seed.csv",
    "results/curves.npz",
    "results/figures.npz",
    "results/summary.json",
    "results/sha256.json",
    "report.html",
    "report.md",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What the run gives when the disk has room."""
    root = tmp_path_factory.mktemp("whole") / "run"
    train(root)
    return results(root)


def check_readable(root: Path) -> None:
    """Checks that no file is half written and none lies beside its place."""
    for path in root.rglob("*.json"):
        json.loads(path.read_text())
    for path in root.rglob("*.npz"):
        with np.load(path, allow_pickle=False) as arrays:
            assert dict(arrays)
    assert not [path for path in root.rglob(".*") if path.is_file()]


@pytest.mark.parametrize("name", FILES)
def test_a_full_disk_names_the_file_and_loses_nothing(
    name, whole, tmp_path, monkeypatch
):
    root = tmp_path / "run"
    write = Path.write_bytes

    def full(self: Path, content: bytes) -> int:
        place = (root / name).with_name(f".{Path(name).name}.{os.getpid()}")
        if self == place:
            write(self, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as raised:
        train(root)
    assert raised.value.filename == str(root / name)
    check_readable(root)
    kept = {path: path.read_bytes() for path in root.rglob("finished/**/*.npz")}
    monkeypatch.undo()
    train(root)
    assert results(root) == whole
    assert {path: path.read_bytes() for path in kept} == kept


def test_the_launcher_tells_a_full_disk_in_one_line(tmp_path, monkeypatch, capsys):
    def full(self: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    command = ["profile", "--activations=relu", f"--workdir={tmp_path / 'p'}"]
    monkeypatch.setattr("research.probes.profile.profile", _profiled)
    assert main(command) == 1
    line = one_line(capsys.readouterr().err)
    assert f"{tmp_path / 'p/profile.json'}: No space left on device" in line


def _profiled(records, *, tell):
    from research.probes.profile import Profile

    return Profile(told={}, drawn={})


def test_a_lock_that_cannot_be_written_names_itself(tmp_path, monkeypatch):
    def full(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("research.records.lock.os.write", full)
    with pytest.raises(OSError, match="No space left") as raised, locked(tmp_path):
        raise AssertionError("the lock was not written")
    assert raised.value.filename == str(tmp_path / ".lock")


@pytest.mark.parametrize("name", ["results", "checkpoints", "tensorboard", "figures"])
def test_a_file_in_a_folders_place_is_named(name, tmp_path):
    root = tmp_path / "run"
    root.mkdir()
    # A run that was started: an empty folder with a file in it is refused before.
    train(root)
    RunFolder(root).summary.unlink()
    for path in sorted((root / name).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    if (root / name).is_dir():
        (root / name).rmdir()
    (root / name).write_text("in the way")
    if name == "tensorboard":
        _, shown = train(root)
        assert "TensorBoard stopped: FileExistsError" in shown.replace(
            "NotADirectoryError", "FileExistsError"
        )
        return
    with pytest.raises(OSError, match=rf"{name}"):
        train(root, figures=name == "figures")
    assert (root / name).read_text() == "in the way"


def test_a_read_only_folder_is_refused_before_anything_trains(tmp_path, capsys):
    if os.geteuid() == 0:
        pytest.skip("root may write into every folder")
    (tmp_path / "shut").mkdir(mode=0o555)
    for workdir in ("shut", "shut/run"):
        assert main([f"--workdir={tmp_path / workdir}"]) == 2
        assert "Permission denied" in one_line(capsys.readouterr().err)


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [8])
def test_the_real_launcher_under_a_limit_of_file_sizes(kilobytes, tmp_path, whole):
    """The system itself refuses what is longer: at the manifest, the lanes, a report."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    workdir = f"--workdir={tmp_path / 'run'}"
    resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, before[1]))
    try:
        done = launch(*WORDS, workdir, cwd=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.returncode == 1
    line = one_line(done.stderr)
    assert f"{tmp_path / 'run'}/" in line
    assert "File too large" in line
    check_readable(tmp_path / "run")
    assert launch(*WORDS, workdir, cwd=tmp_path).returncode == 0
    assert results(tmp_path / "run") == whole


def test_a_file_beside_its_place_is_taken_away(tmp_path, monkeypatch):
    def full(self: Path, content: bytes) -> int:
        self.touch()
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="quota") as raised:
        folder_module.write_bytes(tmp_path / "a/b.json", b"{}")
    assert raised.value.filename == str(tmp_path / "a/b.json")
    assert list((tmp_path / "a").iterdir()) == []
