"""An activation's curve and its derivatives in float64, as functions of NumPy arrays.

They run on the CPU, whatever JAX trains on, for no other device has float64 for
certain. It is the activation itself that runs, in its float64 form.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from research.activations.record import Activation
from research.errors import ConfigError
from research.own_code import reason
from research.probes.errors import STRIDES, derivative

Curve = Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "..."]]
ORDERS = 3
TYPES = (*STRIDES, "float64")
# Every call is cut or filled up to this, so that each order is compiled once.
BLOCK = 4096


@dataclass(frozen=True)
class Curves:
    """f, f' and f'' of an activation; a gated one at value 1."""

    value: Curve
    slope: Curve
    curvature: Curve


def float64_curves(record: Activation) -> Curves:
    """Returns the curve of an activation and its derivatives, compiled when first called."""
    fn = same_type(record)
    return Curves(*(_in_blocks(derivative(fn, order)) for order in range(ORDERS)))


def same_type(
    record: Activation,
) -> Callable[[Float[Array, "..."]], Float[Array, "..."]]:
    """Returns an activation's curve with its result in the type of its input.

    The table's give that anyway; a user's own may give float32 for float16.
    """
    return lambda x: record.curve(x).astype(x.dtype)


def result_types(record: Activation) -> dict[str, str]:
    """Returns the type that an activation gives for an input of each type.

    Raises:
      ConfigError: a user's own function fails on one, or has no second derivative.
    """
    return {dtype: _result_type(record, dtype) for dtype in TYPES}


def _result_type(record: Activation, dtype: str) -> str:
    orders = ORDERS if dtype == "float64" else 2
    fn = same_type(record)
    with jax.enable_x64(dtype == "float64"):
        example = jax.ShapeDtypeStruct((1,), jnp.dtype(dtype))
        try:
            result = jax.eval_shape(record.curve, example)
            jax.eval_shape(derivative(fn, orders - 1), example)
        except Exception as error:
            raise ConfigError(
                f"activations={record.source}: fails on {dtype}, or its derivative "
                f"does, {reason(error)}"
            ) from error
    return str(result.dtype)


def _in_blocks(fn: Callable[[Float[Array, "..."]], Float[Array, "..."]]) -> Curve:
    compiled = jax.jit(fn)

    def evaluate(x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        flat = np.asarray(x, np.float64).ravel()
        parts = [np.zeros(0)]
        with (
            jax.enable_x64(True),
            jax.default_device(jax.local_devices(backend="cpu")[0]),
        ):
            for start in range(0, flat.size, BLOCK):
                part = flat[start : start + BLOCK]
                filled = np.pad(part, (0, BLOCK - part.size), mode="edge")
                parts.append(np.asarray(compiled(filled))[: part.size])
        return np.concatenate(parts).reshape(np.shape(x))

    return evaluate
