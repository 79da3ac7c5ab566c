"""A user's own code by name: `package.module:function` or `path/to/file.py:function`.

It is code that the user chose to run; nothing is imported before it is asked for.
"""

import importlib
import importlib.util
import re
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
    except (Exception, SystemExit) as error:
        raise ConfigError(f"{field}: importing it failed, {reason(error)}") from error
    return module
