"""SIGTERM and SIGINT to the real launcher: lanes are saved, and the line resumes."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from launched import EPOCHS, ROOT, WORDS, finish, results, start

from research.cli.entry import _signals_told

# Longer than any test waits: this run is always stopped.
ENDLESS = [word for word in WORDS if "epochs" not in word] + ["--config.epochs=200000"]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder where one run has been finished, never stopped."""
    folder = tmp_path_factory.mktemp("signals")
    process = start(*WORDS, "--workdir=whole", cwd=folder)
    _, err = finish(process)
    assert (process.returncode, err) == (0, "")
    return folder


def wait_for(workdir: Path, arm: str, epoch: int) -> None:
    """Waits until a run's log says that an arm has reached an epoch."""
    log, until = workdir / "log.txt", time.monotonic() + 300
    while time.monotonic() < until:
        for line in log.read_text().splitlines() if log.exists() else ():
            words = line.split(", ")
            if line.startswith(f"{arm}: seeds") and int(words[1].split()[1]) >= epoch:
                return
        time.sleep(0.02)
    raise AssertionError(f"{arm} has not reached epoch {epoch}")


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_a_signal_saves_and_the_printed_command_goes_on(place, number):
    name = f"a run of {number.name}"
    process = start(
        *WORDS, "--config.checkpoint.every_epochs=1", f"--workdir={name}", cwd=place
    )
    wait_for(place / name, "relu", 3)
    process.send_signal(number)
    out, err = finish(process)
    assert process.returncode == 75, out + err
    assert err.count("\n") == 1
    assert f"stopped by {number.name}; " in err
    told, _, command = err.strip().partition("run the same command again: ")
    assert told
    kept = [
        path.parent.name for path in (place / name).glob("checkpoints/*/*/*/*/sha*")
    ]
    finished = [path.name for path in (place / name).glob("checkpoints/finished/*/*")]
    assert kept or finished
    python, launcher, *words = shlex.split(command)
    assert (python, launcher) == ("python", "launch.py")
    assert f"--workdir={name}" in words
    again = start(*words, cwd=place)
    out, err = finish(again)
    assert (again.returncode, err) == (0, "")
    assert results(place / name) == results(place / "whole")


def test_a_second_signal_ends_at_once(place):
    process = start(*ENDLESS, "--workdir=twice", cwd=place)
    wait_for(place / "twice", "relu", EPOCHS)
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    finish(process)
    assert process.returncode in (75, -signal.SIGTERM)


def test_a_signal_before_any_training_ends_at_once(place):
    process = start(*ENDLESS, "--workdir=early", cwd=place)
    until = time.monotonic() + 100
    while not (place / "early").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, err = finish(process)
    assert process.returncode == 75
    assert time.monotonic() - began < 60
    assert err.count("\n") == 1
    assert not list((place / "early").glob("checkpoints/underway/*"))


# Imported by Python before the launcher: holds the launcher's first import up.
SLOW_IMPORT = """
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "research.cli":
            print("importing", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_while_the_launcher_is_imported_is_told(tmp_path, number):
    (tmp_path / "sitecustomize.py").write_text(SLOW_IMPORT)
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "launch.py"), "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    process.send_signal(number)
    _, err = finish(process)
    assert process.returncode == 75
    assert err == f"launch.py: stopped by {number.name}; nothing was trained\n"


def test_a_hangup_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with _signals_told():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        signal.signal(signal.SIGHUP, before)
        with pytest.raises(KeyboardInterrupt, match="SIGHUP"), _signals_told():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
