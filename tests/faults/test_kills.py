"""Kill -9 at random moments: the next run goes on, and ends in the same bytes."""

import time
from pathlib import Path

import numpy as np
import pytest
from launched import WORDS, finish, results, start

SAVED = (*WORDS, "--config.checkpoint.every_epochs=2")


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder where one run has been finished, never stopped; its programs are kept."""
    folder = tmp_path_factory.mktemp("kills")
    process = start(*SAVED, "--workdir=whole", cwd=folder)
    _, err = finish(process)
    assert (process.returncode, err) == (0, "")
    return folder


@pytest.fixture(scope="module")
def seconds(place) -> tuple[float, float]:
    """When a run opens its folder, and when it ends, its programs compiled."""
    began = time.monotonic()
    process = start(*SAVED, "--workdir=timed", cwd=place)
    while not (place / "timed/manifest.json").exists():
        time.sleep(0.01)
    opened = time.monotonic() - began
    finish(process)
    return opened, time.monotonic() - began


def kill_again_and_again(
    place: Path, seconds: tuple[float, float], *, kills: int, seed: int
) -> list[Path]:
    """Kills launchers at random moments, in one folder until its run is finished.

    Every fourth moment may come before the folder is opened. Returns the folders, the
    last one finished without a kill.
    """
    random = np.random.default_rng(seed)
    folders, killed = [place / f"killed-{seed}-0"], 0
    while True:
        process = start(*SAVED, f"--workdir={folders[-1].name}", cwd=place)
        low, high = (0.0 if killed % 4 == 3 else seconds[0]), seconds[1]
        if killed < kills:
            time.sleep(random.uniform(low, high))
            process.kill()
        _, err = finish(process)
        if process.returncode != 0:
            assert process.returncode == -9, err
            killed += 1
        elif killed == kills:
            return folders
        else:
            folders.append(place / f"killed-{seed}-{len(folders)}")


def assert_whole(place: Path, folders: list[Path]) -> None:
    wanted = results(place / "whole")
    for folder in folders:
        assert results(folder) == wanted, folder
        assert not list(folder.glob("results/.*")), folder
        assert not list(folder.glob("checkpoints/**/.*")), folder
        assert not list(folder.glob("checkpoints/underway/*/*")), folder


def test_three_kills_change_no_byte(place, seconds):
    folders = kill_again_and_again(place, seconds, kills=3, seed=1)
    assert_whole(place, folders)


@pytest.mark.slow
def test_twenty_kills_change_no_byte(place, seconds):
    folders = kill_again_and_again(place, seconds, kills=20, seed=2)
    assert_whole(place, folders)
