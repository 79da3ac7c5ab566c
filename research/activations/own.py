"""A user's own activation: `package.module:function` or `path/to/file.py:function`.

The file is code that the user chose to run.
"""

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp

from research.config import ConfigError


def load(word: str) -> Callable[[Any], Any]:
    """Returns the function that `place:function` names, after a trial on shapes alone.

    Raises:
      ConfigError: no such file, module or function, or it does not map an array to
        an array of the same shape and dtype.
    """
    place, _, name = word.rpartition(":")
    module = _module(place, word)
    function = getattr(module, name, None)
    if not callable(function):
        raise ConfigError(f"activations: {word!r}: {place} has no function {name}")
    _try(function, word)
    return function


def _module(place: str, word: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        path = Path(place).expanduser()
        if not path.is_file():
            raise ConfigError(f"activations: {word!r}: there is no file {path}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ConfigError:
        raise
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(
            f"activations: {word!r}: importing it failed: {reason}"
        ) from error
    return module


def _try(function: Callable[[Any], Any], word: str) -> None:
    example = jax.ShapeDtypeStruct((2, 3), jnp.float32)
    try:
        result = jax.eval_shape(function, example)
        jax.eval_shape(jax.grad(lambda x: function(x).sum()), example)
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(
            f"activations: {word!r}: it cannot be traced and differentiated by JAX: "
            f"{reason}"
        ) from error
    if getattr(result, "shape", None) != example.shape or result.dtype != example.dtype:
        raise ConfigError(
            f"activations: {word!r}: float32[2,3] in must give float32[2,3] out, "
            f"it gives {result}"
        )
