"""Whoever watches a run may break: training and results are as without them."""

import contextlib
import threading
from pathlib import Path

import pytest
from fault_runs import results, train

from research.experiment import observers
from research.records.events import RoundFinished
from research.records.folder import RunFolder
from research.reporting import event_file, figures


class Full:
    """A file on a disk that takes no more, from the n-th write on."""

    def __init__(self, path: Path, mode: str, *, room: int):
        self._file, self._room = path.open(mode), room

    def write(self, data: bytes) -> None:
        self._room -= len(data)
        self.flush()
        self._file.write(data)

    def flush(self) -> None:
        if self._room < 0:
            raise OSError(28, "No space left on device")

    def close(self) -> None:
        self._file.close()
        self.flush()


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory):
    """What the run gives when nothing breaks."""
    folder = tmp_path_factory.mktemp("unharmed") / "run"
    summary, _ = train(folder)
    assert not [told for told in summary["warnings"] if "TensorBoard" in told]
    return results(folder)


def warned(folder: Path, words: str) -> None:
    """Checks that a warning stands in both reports."""
    for name in ("report.html", "report.md"):
        assert words in (folder / name).read_text().replace("\\", ""), name


def break_construction(patch):
    def broken(*args, **options):
        raise PermissionError(13, "Permission denied")

    patch.setattr("research.reporting.tensorboard.EventFile", broken)


def break_start(patch):
    @contextlib.contextmanager
    def broken(*args, **options):
        raise ValueError("no board")
        yield

    patch.setattr("research.reporting.tensorboard.tensorboard_observer", broken)


def break_write(patch):
    class Broken(event_file.EventFile):
        def __init__(self, folder, **options):
            super().__init__(folder, **options)
            path = Path(self._file.name)
            self._file.close()
            self._file = Full(path, "ab", room=300)

    patch.setattr("research.reporting.tensorboard.EventFile", Broken)


def break_progress(patch):
    @contextlib.contextmanager
    def broken(console):
        def observe(event):
            if isinstance(event, RoundFinished):
                raise SystemExit(1)

        yield observe
        raise RuntimeError("the terminal is gone")

    patch.setattr(observers, "progress_observer", broken)


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (break_construction, "TensorBoard stopped: PermissionError"),
        (break_start, "TensorBoard stopped: ValueError: no board"),
        (break_write, "TensorBoard stopped: OSError: [Errno 28] No space left"),
        (break_progress, "progress stopped: SystemExit"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_broken_observer_is_a_warning(
    break_it, words, unharmed, tmp_path, monkeypatch, capfd
):
    break_it(monkeypatch)
    summary, shown = train(tmp_path / "run")
    assert results(tmp_path / "run") == unharmed
    assert any(words in told for told in summary["warnings"])
    assert words in shown
    warned(tmp_path / "run", words.partition(":")[0])
    assert capfd.readouterr() == ("", "")
    # What it was told later is not told any more, and what stopped is told once.
    part = words.partition(" ")[0]
    assert sum(told.startswith(part) for told in summary["warnings"]) == 1


def test_a_fault_at_closing_is_shown(unharmed, tmp_path, monkeypatch):
    class Broken(event_file.EventFile):
        def close(self):
            super().close()
            raise OSError(5, "Input/output error")

    monkeypatch.setattr("research.reporting.tensorboard.EventFile", Broken)
    _, shown = train(tmp_path / "run")
    assert "TensorBoard was not closed: OSError: [Errno 5]" in shown
    assert results(tmp_path / "run") == unharmed


def test_events_are_written_without_a_thread(tmp_path):
    before = threading.active_count()
    with contextlib.closing(event_file.EventFile(tmp_path, suffix=".a")):
        assert threading.active_count() == before


def test_event_files_are_read_in_order_though_the_clock_was_set_back(
    tmp_path, monkeypatch
):
    for attempt, now in (("z", 2000.0), ("y", 1000.0), ("x", 999.0), ("w", 3000.0)):
        monkeypatch.setattr(event_file.time, "time", lambda now=now: now)
        event_file.EventFile(tmp_path, suffix=f".{attempt}").close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name.rpartition(".")[2] for name in names] == ["z", "y", "x", "w"]


def test_a_log_that_cannot_be_written_is_a_warning(unharmed, tmp_path):
    # A folder in the log's place stops root, too.
    root = tmp_path / "run"
    train(root)
    RunFolder(root).log.unlink()
    RunFolder(root).log.mkdir()
    RunFolder(root).summary.unlink()
    summary, _ = train(root)
    assert any("log stopped: IsADirectoryError" in w for w in summary["warnings"])
    assert results(root) == unharmed


def test_figures_that_cannot_be_drawn_are_warnings(unharmed, tmp_path, monkeypatch):
    def broken(*args, **options):
        raise RuntimeError("no font")

    monkeypatch.setattr(figures.figure_shapes, "draw_activation", broken)
    monkeypatch.setattr("research.experiment.results.boundary_pictures", broken)
    root = tmp_path / "run"
    summary, _ = train(root, figures=True)
    assert any("could not be drawn: RuntimeError" in w for w in summary["warnings"])
    assert results(root) == unharmed
    assert (root / "figures/validation_loss.png").is_file()


def test_no_figure_at_all_leaves_the_report(unharmed, tmp_path, monkeypatch):
    def broken(*args, **options):
        raise MemoryError

    monkeypatch.setattr(figures, "save", broken)
    root = tmp_path / "run"
    train(root, figures=True)
    warned(root, "could not be drawn (MemoryError")
    assert results(root) == unharmed
