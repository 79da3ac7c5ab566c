"""A user's own code by name: `package.module:function` or `path/to/file.py:function`.

It is code that the user chose to run; nothing is imported before it is asked for.
"""

import importlib
import importlib.util
import inspect
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from research.errors import ConfigError

FORMS = "package.module:function or file.py:function"
_OWN = re.compile(r"(?P<place>[A-Za-z_][\w.]*|.+\.py):(?P<function>[A-Za-z_]\w*)")


def is_own(word: str) -> bool:
    """Tells whether a word names a user's own function."""
    return _OWN.fullmatch(word) is not None


def short_name(word: str) -> str:
    """Returns `file.function`, whatever folder or package the function lies in."""
    place, _, function = word.rpartition(":")
    stem = Path(place).stem if place.endswith(".py") else place.rpartition(".")[2]
    return f"{stem}.{function}"


def load_function(word: str, *, field: str) -> Callable[..., Any]:
    """Returns the function that a word names.

    Raises:
      ConfigError: no such file, module or function, or one that fails to import.
    """
    place, _, name = word.rpartition(":")
    function = getattr(_module(place, f"{field}={word}"), name, None)
    if not callable(function):
        raise ConfigError(f"{field}={word}: {place} has no function {name}")
    return function


def source_of(function: Callable[..., Any]) -> str | None:
    """Returns `file.py:line` of a function's definition, where it has one."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return _place(code.co_filename, code.co_firstlineno) if code else None


def line_of(error: BaseException, function: Callable[..., Any]) -> str | None:
    """Returns `file.py:line` of the last line of the function's file that an error left."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return last_line(error, code.co_filename) if code else None


def last_line(error: BaseException, filename: str) -> str | None:
    """Returns `file.py:line` of the last line of a file that an error left, if any."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == filename]
    return _place(filename, lines[-1]) if lines else None


def _place(filename: str, line: int | None) -> str:
    """Writes a place, from the current folder on where the file lies below it."""
    path, here = Path(filename), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{line}"


def reason(error: BaseException) -> str:
    """Returns an exception in one line, whatever its own text does."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        lines = []
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _module(place: str, field: str) -> ModuleType:
    path = Path(place).expanduser()
    if place.endswith(".py") and not path.is_file():
        raise ConfigError(f"{field}: there is no file {path}")
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        line = last_line(error, str(path))
        where = f" ({line})" if line else ""
        raise ConfigError(
            f"{field}: importing it failed, {reason(error)}{where}"
        ) from error
    return module
