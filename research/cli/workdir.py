"""Which folder a run goes into, and whether it already holds that run."""

import dataclasses
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from research.activations.names import arms
from research.config import ConfigError, ExperimentConfig, shown
from research.config_values import flat, from_mapping, to_mapping
from research.errors import DataError
from research.records.folder import new_folder

RUNS = Path("runs")


def prepare(workdir: Path | None, config: ExperimentConfig, stem: str) -> Path:
    """Returns a folder that can be written: a new, an empty or this run's finished one.

    Raises:
      ConfigError: a path that is no folder or cannot be written, or a folder that holds
        an unfinished run, a run of another config, or something else.
      DataError: the folder's config.json cannot be read.
    """
    if workdir is None:
        return new_folder(RUNS, stem)
    if _made(workdir):
        _check_same_run(workdir, config)
    return workdir


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
            read_json(workdir / "results/summary.json").get("mode") == mode
        )
        if not same:
            raise ConfigError(
                f"--workdir={workdir}: is not empty and holds no such analysis; name a "
                "new folder"
            )
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
    held = read_json(path).get("activations") if path.is_file() else None
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
        return any(workdir.iterdir())
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


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON object.

    Raises:
      DataError: it is missing, unreadable or no JSON object.
    """
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read, {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"{path}: is damaged, {error}") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}: is damaged, it holds no JSON object")
    return value


def _check_same_run(workdir: Path, config: ExperimentConfig) -> None:
    where = f"--workdir={workdir}:"
    if not (workdir / "config.json").is_file():
        raise ConfigError(f"{where} is not empty and holds no run; name a new folder")
    differ = list(differences(recorded(workdir), config))
    if differ:
        raise ConfigError(
            f"{where} holds a run of another config, which differs in "
            f"{', '.join(differ)}; name a new folder"
        )
    if not is_finished(workdir):
        raise ConfigError(
            f"{where} holds an unfinished run; remove the folder, or name a new one"
        )


def recorded(workdir: Path) -> ExperimentConfig:
    """Returns the config that a run's folder holds.

    Raises:
      DataError: its config.json cannot be read, or is of other fields.
    """
    path = workdir / "config.json"
    try:
        return from_mapping(read_json(path))
    except ConfigError as error:
        raise DataError(f"{path}: {error}") from None


def differences(old: ExperimentConfig, new: ExperimentConfig) -> Iterator[str]:
    """Yields each field that differs, with both values: `seeds (64 there, 3 now)`."""
    before, now = flat(_canonical(old)), flat(_canonical(new))
    for path, value in now.items():
        if before.get(path) != value:
            yield f"{path} ({shown(before.get(path))} there, {shown(value)} now)"


def _canonical(config: ExperimentConfig) -> dict[str, Any]:
    """Names each arm by its canonical name, so that an alias makes no difference."""
    names, reference = arms(config.activations, config.reference)
    return to_mapping(
        dataclasses.replace(config, activations=names, reference=reference)
    )
