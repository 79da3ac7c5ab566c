"""What the commands do with a checked request; training and drawing are stand-ins."""

import json
import os
import shutil
import signal
import sys
import threading
import time
import types
from pathlib import Path

import pytest

from research.cli import main
from research.config_values import to_mapping
from research.errors import AllDiverged, ConfigError, DataError, InvalidComparison


class Stand:
    """Stands for the experiment and the reporting, and notes how they are called."""

    def __init__(self):
        self.trained: list[tuple] = []
        self.reported: list[Path] = []
        self.printed: list[dict] = []
        self.during = lambda: None

    def compare(self, config, *, workdir, command, console, stopping, hosts):
        self.trained.append((config, workdir, command))
        (workdir / "config.json").write_text(json.dumps(to_mapping(config)))
        self.during()
        (workdir / "results").mkdir()
        (workdir / "results/summary.json").write_text('{"schema": 1, "arms": {}}')
        return {"schema": 1}

    def write_report(self, workdir):
        self.reported.append(workdir)

    def print_verdict(self, summary, console, *, workdir):
        self.printed.append(summary)


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    stand = Stand()
    modules = {
        "research.experiment": {"compare": stand.compare},
        "research.reporting.report": {"write_report": stand.write_report},
        "research.reporting.console": {"print_verdict": stand.print_verdict},
    }
    for name, members in modules.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)
    return stand


def test_the_default_folder_is_the_first_free_one(stand: Stand):
    Path("runs/moons-2").mkdir(parents=True)
    assert main([]) == main(["compare"]) == 0
    folders = [workdir for _, workdir, _ in stand.trained]
    assert folders == [Path("runs/moons-1"), Path("runs/moons-3")]


def test_the_command_holds_its_workdir(stand: Stand):
    assert main(["--config.seeds=3", "--workdir=a b/c"]) == 0
    [(config, workdir, command)] = stand.trained
    assert config.seeds == 3
    assert workdir == Path("a b/c")
    assert command == "python launch.py compare --config.seeds=3 '--workdir=a b/c'"


def test_an_absolute_workdir(stand: Stand, tmp_path: Path):
    assert main([f"--workdir={tmp_path / 'x'}"]) == 0
    assert stand.trained[0][1] == tmp_path / "x"


def test_a_finished_run_is_shown_again_without_training(stand: Stand, capsys):
    argv = ["--config.activations=relu,silu", "--workdir=x"]
    assert main(argv) == 0
    assert main(["--config.activations=relu,swish", "--workdir=x"]) == 0
    assert len(stand.trained) == 1
    assert stand.reported == [Path("x")]
    assert stand.printed == [{"schema": 1, "arms": {}}]
    assert "nothing is trained" in capsys.readouterr().out


def test_another_config_in_the_same_folder_names_what_differs(stand: Stand, capsys):
    assert main(["--workdir=x"]) == 0
    assert main(["--workdir=x", "--config.seeds=3", "--config.model.hidden=8"]) == 2
    line = capsys.readouterr().err
    assert "seeds (64 there, 3 now)" in line
    assert "model.hidden ((64, 64) there, (8,) now)" in line
    assert "epochs" not in line
    assert len(stand.trained) == 1


def test_an_unfinished_run_and_one_of_fewer_seeds_go_on(stand: Stand):
    assert main(["--workdir=x"]) == 0
    shutil.rmtree("x/results")
    assert main(["--workdir=x"]) == 0
    shutil.rmtree("x/results")
    assert main(["--workdir=x", "--config.seeds=65"]) == 0
    assert [config.seeds for config, _, _ in stand.trained] == [64, 64, 65]


def test_a_finished_run_is_judged_again_with_another_margin(stand: Stand):
    assert main(["--workdir=x"]) == 0
    shutil.rmtree("x/results")
    assert main(["--workdir=x", "--config.analysis.margin=0.1"]) == 0
    assert len(stand.trained) == 2


def test_an_empty_folder_is_taken_and_a_foreign_one_refused(stand: Stand, capsys):
    Path("x").mkdir()
    assert main(["--workdir=x"]) == 0
    Path("y").mkdir()
    Path("y/thesis.tex").touch()
    assert main(["--workdir=y"]) == 2
    assert "holds no run" in capsys.readouterr().err


def test_a_workdir_that_is_no_folder(stand: Stand, capsys):
    Path("x").touch()
    for workdir in ("x", "x/y"):
        assert main([f"--workdir={workdir}"]) == 2
        assert f"--workdir={workdir}: must be a folder" in capsys.readouterr().err
    Path("runs").touch()
    assert main([]) == 2
    assert "give --workdir" in capsys.readouterr().err
    assert stand.trained == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_workdir_that_cannot_be_written(stand: Stand, capsys):
    Path("x").mkdir(mode=0o500)
    assert main(["--workdir=x"]) == 2
    assert "Permission denied" in capsys.readouterr().err


def test_a_workdir_on_a_file_system_that_refuses_new_files(stand: Stand, capsys):
    assert main(["--workdir=/proc/self/x"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "--workdir=/proc/self/x: must be a folder that can be written" in err


@pytest.mark.parametrize("text", ["{", "[]", '{"seeds": "x"}', "\xff"])
def test_a_damaged_config_json_is_data(stand: Stand, capsys, text):
    Path("x").mkdir()
    Path("x/config.json").write_text(text, encoding="latin-1")
    assert main(["--workdir=x"]) == 3
    err = capsys.readouterr().err
    assert "x/config.json" in err
    assert err.count("\n") == 1


def test_report_draws_again(stand: Stand):
    assert main(["--workdir=x"]) == 0
    assert main(["report", "--workdir=x"]) == 0
    assert stand.reported == [Path("x")]
    assert stand.printed == [{"schema": 1, "arms": {}}]


def test_report_of_damaged_files(stand: Stand, capsys):
    assert main(["--workdir=x"]) == 0
    Path("x/results/summary.json").write_text("{")
    assert main(["report", "--workdir=x"]) == 3
    assert "x/results/summary.json: is damaged" in capsys.readouterr().err


def test_report_of_missing_files(stand: Stand, capsys, monkeypatch):
    assert main(["--workdir=x"]) == 0
    module = sys.modules["research.reporting.report"]
    monkeypatch.setattr(
        module, "write_report", lambda workdir: (workdir / "curves.npz").read_bytes()
    )
    assert main(["report", "--workdir=x"]) == 3
    assert "x/curves.npz is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("seeds=3: no"), 2),
        (DataError("no\ndata"), 3),
        (InvalidComparison("seeds differ"), 4),
        (AllDiverged("relu"), 5),
        (OSError(28, "No space left on device", "x/log.txt"), 1),
    ],
)
def test_what_the_experiment_refuses(stand: Stand, capsys, error, code):
    def during():
        raise error

    stand.during = during
    assert main(["--workdir=x"]) == code
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("launch.py: ")


def test_a_bug_keeps_its_traceback(stand: Stand):
    stand.during = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        main(["--workdir=x"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_in_one_line(stand: Stand, capsys, number):
    def during():
        killer = threading.Timer(0.1, os.kill, (os.getpid(), number))
        killer.start()
        time.sleep(10)

    before = signal.getsignal(number)
    stand.during = during
    started = time.monotonic()
    assert main(["--workdir=x", "--config.seeds=3"]) == 75
    assert time.monotonic() - started < 5
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"stopped by {number.name}; " in err
    assert "launch.py compare --config.seeds=3 --workdir=x" in err
    assert signal.getsignal(number) is before
