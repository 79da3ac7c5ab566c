"""Loads a config file: Python whose `get_config()` returns a ConfigDict."""

import difflib
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from research.config import ExperimentConfig
from research.config_values import each_checked
from research.errors import ConfigError
from research.own_code import last_line, reason
from research.settings import shown

CONFIGS = Path(__file__).parents[2] / "configs"
DEFAULT = CONFIGS / "moons.py"
SURGERY = CONFIGS / "surgery.py"


def load(path: Path) -> ExperimentConfig:
    """Runs a config file and returns its fields, each checked alone.

    The file is read here rather than by ml_collections, whose loader rests on
    `load_module`, which Python has deprecated, and answers errors with tracebacks.

    Raises:
      ConfigError: no such file, one that fails, or wrong fields in it.
    """
    from ml_collections import ConfigDict

    _check_readable(path)
    names = _guarded(path, lambda: runpy.run_path(str(path)))
    if not callable(names.get("get_config")):
        raise ConfigError(f"--config={path}: has no function get_config()")
    made = _guarded(path, names["get_config"])
    if not isinstance(made, ConfigDict):
        raise ConfigError(
            f"--config={path}: get_config() must return default_config() with fields "
            f"set, not {shown(made)}"
        )
    mapping = _guarded(path, made.to_dict)
    try:
        return each_checked(mapping)
    except ConfigError as error:
        raise ConfigError(f"--config={path}: {error}") from None


def _check_readable(path: Path) -> None:
    try:
        path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"--config={path}: no such file{_near(path)}") from None
    except OSError as error:
        raise ConfigError(
            f"--config={path}: cannot be read, {error.strerror}"
        ) from None


def _guarded(path: Path, step: Callable[[], Any]) -> Any:
    """Runs a step of the user's file; whatever it raises is told in one line."""
    try:
        return step()
    except SyntaxError as error:
        where = f"line {error.lineno}" if error.lineno else "its text"
        raise ConfigError(
            f"--config={path}: a syntax error in {where}, {error.msg}"
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        line = last_line(error, str(path))
        where = f" ({line})" if line else ""
        raise ConfigError(f"--config={path}: raises {reason(error)}{where}") from error


def _near(path: Path) -> str:
    if path.is_symlink():
        return ", its link leads nowhere"
    files = [*path.parent.glob("*.py"), *CONFIGS.glob("*.py")]
    stems = {file.stem: file for file in reversed(files)}
    close = difflib.get_close_matches(path.stem, stems, n=1)
    if not close:
        return ""
    file = stems[close[0]].absolute()
    here = Path.cwd()
    return f"; did you mean {file.relative_to(here) if here in file.parents else file}?"
