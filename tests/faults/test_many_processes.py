"""A run that several processes train: the bytes of one, and what a kill leaves."""

import socket
import time
from pathlib import Path

import pytest
from launched import WORDS, finish, results, start

WORDS = [word for word in WORDS if ".seeds=4" not in word] + ["--config.seeds=16"]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder where one process has trained the run."""
    folder = tmp_path_factory.mktemp("hosts")
    process = start(*WORDS, "--workdir=alone", cwd=folder)
    _, err = finish(process)
    assert (process.returncode, err) == (0, "")
    return folder


def coordinator() -> str:
    """Returns the flag of a port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return f"--coordinator=localhost:{free.getsockname()[1]}"


def start_all(place: Path, count: int, *words: str) -> list:
    """Starts the processes of a run on this machine."""
    where = coordinator()
    return [
        start(
            *words,
            where,
            f"--process_id={index}",
            f"--process_count={count}",
            cwd=place,
        )
        for index in range(count)
    ]


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_several_processes_give_the_bytes_of_one(place, count):
    name = f"by {count}"
    members = start_all(place, count, *WORDS, f"--workdir={name}")
    for index, process in enumerate(members):
        out, err = finish(process)
        assert (process.returncode, err) == (0, ""), out
        assert (f"process {index} of {count} trains its seeds" in out) == (index > 0)
    assert results(place / name) == results(place / "alone")
    # Each arm's seeds were shared, and each process told of its own before scoring.
    assert len(list((place / name).glob("checkpoints/finished/relu/*"))) == count
    assert not list((place / name).glob("results/ledger-*"))


def test_another_config_than_process_0_s_is_refused(place):
    words = [*WORDS, "--workdir=other config"]
    leader, other = start_all(place, 2, *words)
    # One flag of process 1 differs: it is started anew with the same number.
    other.kill()
    finish(other)
    flags = [word for word in leader.args if word.startswith("--coordinator")]
    other = start(
        *(word for word in words if "epochs" not in word),
        "--config.epochs=61",
        *flags,
        "--process_id=1",
        "--process_count=2",
        cwd=place,
    )
    _, err = finish(other)
    assert other.returncode == 2
    assert err.count("\n") == 1
    assert "another config than process 0 in epochs" in err
    _, err = finish(leader)
    assert leader.returncode == 75
    assert "process 1 of 2 has ended with exit code 2" in err


@pytest.mark.slow
def test_another_file_than_process_0_s_is_refused(place):
    """Each process has a folder of its own, with an activation of the same name."""
    words = [word for word in WORDS if ".activations=" not in word]
    words += ["--config.activations=relu,mine.py:f", f"--workdir={place / 'files'}"]
    homes = [place / "home 0", place / "home 1"]
    for scale, home in enumerate(homes):
        home.mkdir()
        (home / "mine.py").write_text(f"def f(x):\n    return {scale}.5 * x * x\n")
    where = coordinator()
    leader, other = (
        start(*words, where, f"--process_id={n}", "--process_count=2", cwd=home)
        for n, home in enumerate(homes)
    )
    _, err = finish(other)
    assert (other.returncode, err.count("\n")) == (3, 1)
    assert "mine.py:f is not that of process 0" in err
    _, err = finish(leader)
    assert leader.returncode == 75
    assert "has ended with exit code 3; it printed why; mend that" in err


@pytest.fixture(scope="module")
def long(place) -> list[str]:
    """A run long enough to be killed in the middle, trained by one process too."""
    words = [word for word in WORDS if "epochs" not in word]
    words.append("--config.epochs=10000")
    finish(start(*words, "--workdir=long", cwd=place))
    return words


@pytest.mark.slow
@pytest.mark.parametrize("victim", [0, 1])
def test_a_kill_ends_all_and_another_number_of_processes_goes_on(place, long, victim):
    name = f"killed {victim}"
    members = start_all(place, 2, *long, f"--workdir={name}")
    until = time.monotonic() + 300
    while len(blocks(place / name, "relu")) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    members[victim].kill()
    began = time.monotonic()
    finish(members[victim])
    out, err = finish(members[1 - victim])
    assert time.monotonic() - began < 60
    assert members[1 - victim].returncode == 75, out + err
    assert err.count("\n") == 1
    assert f"process {victim} of 2 gave no sign of life" in err
    assert "run the same commands again" in err
    assert len(blocks(place / name, "silu")) < 2
    kept = {path: path.stat().st_mtime_ns for path in blocks(place / name, "*")}
    process = start(*long, f"--workdir={name}", cwd=place)
    out, err = finish(process)
    assert (process.returncode, err) == (0, ""), out
    assert results(place / name) == results(place / "long")
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())


def blocks(workdir: Path, arm: str) -> list[Path]:
    return list(workdir.glob(f"checkpoints/finished/{arm}/*.npz"))
