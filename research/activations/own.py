"""A user's own activation, tried before anything trains with it.

It is an elementwise function of one array. A gated or parametric one of a user's own is
out of scope: a model of their own can hold that.
"""

import inspect
from collections.abc import Callable
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import errors

from research.errors import ConfigError
from research.own_code import line_of, load_function, reason, source_of

# Where value and slope must be finite: every half from -20 to 20, 0 among them.
PROBES = np.linspace(-20, 20, 81, dtype=np.float32)
SHAPES = ((), (3,), (2, 3), (32, 64))

# What went wrong while JAX traced the function, in the words of who wrote it.
_CAUSES: tuple[tuple[type[Exception], str], ...] = (
    (
        errors.TracerBoolConversionError,
        "a Python branch (if, and, or, while, min, max) on a traced value; use jnp.where",
    ),
    (
        errors.TracerArrayConversionError,
        "NumPy is called on a traced value; use jax.numpy",
    ),
    (
        errors.ConcretizationTypeError,
        "a traced value is turned into a Python number (float, int, math); use jax.numpy",
    ),
)


def load(word: str) -> Callable[[Any], Any]:
    """Returns the activation function that a word names.

    Raises:
      ConfigError: it cannot be loaded, is no function of one array, cannot be traced or
        differentiated, does not keep shape and dtype, mixes elements, or has a value or
        slope that is not finite at one of the probes.
    """
    function = load_function(word, field="activations")
    _check_signature(word, function)
    for shape in SHAPES:
        _check_traced(word, function, shape)
    _check_probes(word, function)
    return function


def _refuse(
    word: str,
    function: Callable[..., Any],
    text: str,
    error: BaseException | None = None,
) -> NoReturn:
    """Raises a ConfigError that names the line at fault, else that of the function."""
    place = line_of(error, function) if error else None
    place = place or source_of(function)
    where = f"activations={word}: {place}: " if place else f"activations={word}: "
    raise ConfigError(where + text) from error


def _check_signature(word: str, function: Callable[..., Any]) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some built-in ones have none to look at
    try:
        signature.bind(None)
    except TypeError:
        taken = ", ".join(signature.parameters) or "nothing"
        _refuse(
            word,
            function,
            f"must be a function of one array; it takes {taken} (a gated or parametric "
            "function of your own cannot be named)",
        )


def _check_traced(
    word: str, function: Callable[..., Any], shape: tuple[int, ...]
) -> None:
    example = jax.ShapeDtypeStruct(shape, jnp.float32)
    results: list[Any] = []
    try:
        jax.eval_shape(lambda x: results.append(function(x)), example)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _refuse(word, function, _cause(error), error)
    _check_form(word, function, results[0], example)
    try:
        jax.eval_shape(jax.grad(lambda x: function(x).sum()), example)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _refuse(word, function, f"JAX cannot differentiate it, {reason(error)}", error)


def _cause(error: BaseException) -> str:
    known = (text for kind, text in _CAUSES if isinstance(error, kind))
    return next(known, f"JAX cannot trace it, {reason(error)}")


def _check_form(
    word: str,
    function: Callable[..., Any],
    result: Any,
    example: jax.ShapeDtypeStruct,
) -> None:
    if isinstance(result, (np.ndarray, np.generic)):
        _refuse(word, function, "returns a NumPy array; use jax.numpy")
    if not isinstance(result, jax.Array):
        _refuse(word, function, f"must return one array, not a {type(result).__name__}")
    if (result.shape, result.dtype) != (example.shape, example.dtype):
        wanted, given = _form(example), _form(result)
        _refuse(word, function, f"must give {wanted} for {wanted}, not {given}")


def _form(array: Any) -> str:
    return f"{array.dtype}[{','.join(map(str, array.shape))}]"


def _check_probes(word: str, function: Callable[..., Any]) -> None:
    x = jnp.asarray(PROBES)
    try:
        value = np.asarray(jax.jit(function)(x))
        # Rows of another mean than the whole: what mixes elements shows.
        square = np.asarray(jax.jit(function)(x[:72].reshape(8, 9))).reshape(-1)
        alone, slope = jax.jit(jax.vmap(jax.value_and_grad(function)))(x)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _refuse(word, function, f"fails when it is run, {reason(error)}", error)
    for what, numbers in (("value", value), ("gradient", np.asarray(slope))):
        bad = ~np.isfinite(numbers)
        if bad.any():
            first = int(np.argmax(bad))
            _refuse(
                word,
                function,
                f"its {what} is {numbers[first]:g} at x = {PROBES[first]:g}, and not "
                f"finite at {bad.sum()} of {len(PROBES)} probes from {PROBES[0]:g} to "
                f"{PROBES[-1]:g}",
            )
    together, apart = np.append(value, square), np.append(alone, alone[:72])
    if not np.allclose(together, apart, rtol=1e-3, atol=1e-4):
        _refuse(
            word,
            function,
            "mixes the elements of its array: f(x) of an array is not f of each element",
        )
