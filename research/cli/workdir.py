"""Which folder a run goes into, and whether it already holds that run."""

import contextlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from research.activations.names import canonical_config
from research.config import ExperimentConfig
from research.errors import ConfigError
from research.records.folder import new_folder, read_mapping
from research.records.inside import check_inside
from research.records.reopening import (
    changes,
    changes_verdict,
    check_changes,
    holds_something,
    recorded_config,
)

RUNS = Path("runs")


@dataclass(frozen=True)
class Prepared:
    """A folder for a run, and whether that very run lies in it, finished."""

    workdir: Path
    finished: bool


def prepare(workdir: Path | None, config: ExperimentConfig, stem: str) -> Prepared:
    """Returns a folder that can be written: a new, an empty or this run's.

    Raises:
      ConfigError: a path that is no folder or cannot be written, or a folder that holds
        a run of another config, or something else.
      DataError: the folder's config.json cannot be read.
    """
    if workdir is None:
        return Prepared(new_folder(RUNS, stem), finished=False)
    if not _made(workdir):
        return Prepared(workdir, finished=False)
    there = recorded_config(workdir)
    if there is None:
        raise ConfigError(
            f"--workdir={workdir}: is not empty and holds no run; name a new folder"
        )
    found = changes(there, config, canonical_config)
    check_changes(workdir, found)
    same = is_finished(workdir) and not changes_verdict(found)
    return Prepared(workdir, finished=same)


def prepare_analysis(workdir: Path | None, stem: str, mode: str) -> Path:
    """Returns a folder that can be written: a new one, or one of the same analysis.

    An analysis takes no time, so that its folder is written anew.

    Raises:
      ConfigError: a path that is no folder or cannot be written, or a folder that holds
        something else.
      DataError: the folder's summary.json cannot be read.
    """
    if workdir is None:
        return new_folder(RUNS, stem)
    if _made(workdir):
        same = is_finished(workdir) and (
            read_mapping(workdir / "results/summary.json").get("mode") == mode
        )
        if not same:
            raise ConfigError(
                f"--workdir={workdir}: is not empty and holds no such analysis; name a "
                "new folder"
            )
    return workdir


def prepare_surgery(workdir: Path | None, config: ExperimentConfig, stem: str) -> Path:
    """Returns a folder that can be written: a new one, or one of the same surgery.

    What it measures is measured anew; what it trained, in a run folder within, is kept.

    Raises:
      ConfigError: a path that is no folder or cannot be written, or a folder that holds
        a surgery of another config, or something else.
      DataError: the folder's config.json cannot be read.
    """
    if workdir is None:
        return new_folder(RUNS, stem)
    if _made(workdir):
        there = recorded_config(workdir)
        if there is None:
            raise ConfigError(
                f"--workdir={workdir}: is not empty and holds no surgery; name a new "
                "folder"
            )
        check_changes(workdir, changes(there, config, lambda config: config))
    return workdir


def prepare_profile(workdir: Path | None, arms: Sequence[str]) -> Path:
    """Returns a folder that can be written: a new one, or one of these arms' profile.

    Raises:
      ConfigError: a path that is no folder or cannot be written, or a folder that holds
        something else.
      DataError: the folder's profile.json cannot be read.
    """
    if workdir is None:
        return new_folder(RUNS, "profile")
    if not _made(workdir):
        return workdir
    path = workdir / "profile.json"
    held = read_mapping(path).get("activations") if path.is_file() else None
    if not isinstance(held, dict) or set(held) != set(arms):
        what = f"a profile of {', '.join(held)}" if held else "no profile"
        raise ConfigError(
            f"--workdir={workdir}: is not empty and holds {what}; name a new folder"
        )
    return workdir


def prepare_plan(workdir: Path) -> Path:
    """Returns a folder that can be written: a new or an empty one, or a plan's.

    Raises:
      ConfigError: a path that is no folder or cannot be written, or a folder that holds
        something else.
    """
    if _made(workdir) and not (workdir / "plan.json").is_file():
        raise ConfigError(
            f"--workdir={workdir}: is not empty and holds no plan; name a new folder"
        )
    return workdir


def _made(workdir: Path) -> bool:
    """Makes a folder where there is none, and tells whether it holds anything."""
    try:
        workdir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=workdir):
            pass
        check_inside(workdir)
        return holds_something(workdir)
    except FileExistsError:
        raise ConfigError(f"--workdir={workdir}: must be a folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"--workdir={workdir}: must be a folder that can be written, {reason}"
        ) from None


def is_finished(workdir: Path) -> bool:
    """Tells whether a folder holds a run with its verdict."""
    return (workdir / "results/summary.json").is_file()


def remove_if_empty(workdir: Path) -> None:
    """Removes the folder of a run that was refused before anything was written."""
    with contextlib.suppress(OSError):
        workdir.rmdir()
