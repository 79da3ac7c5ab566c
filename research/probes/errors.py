"""How far a function in JAX is from the truth, in units in the last place.

Every finite float16 and bfloat16 pattern is tried, and every 1021st of float32. The
unit is the type's spacing at the true result, at least its subnormal spacing. XLA
flushes subnormals to zero on a CPU: subnormal inputs are left out, and a result counts
as failed only where the true one is a normal number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jaxtyping import Array, Bool, Float

from research.probes.references import Reference

CORE = 5.0
# Around a zero of a derivative, no formula but one made for it is relatively exact.
ZERO_MARGIN = 0.05
STRIDES = {"float32": 1021, "float16": 1, "bfloat16": 1}


@dataclass(frozen=True, kw_only=True)
class Failures:
    """The inputs at which one thing went wrong: how many, the lowest and the highest."""

    kind: str
    count: int
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class ErrorScan:
    """Errors of one derivative of one function in one type.

    x: the inputs, ascending. ulps: the error at each; inf where it failed, NaN where it
    is not judged. core: the largest at |x| <= 5, and core_at where; near zeros of a
    derivative left out. beyond, beyond_at: the same outside |x| <= 5.
    failures: zeros, wrong signs, infinities and NaN where the truth is normal.
    """

    dtype: str
    order: int
    x: Float[np.ndarray, " points"]
    ulps: Float[np.ndarray, " points"]
    core: float
    core_at: float
    beyond: float
    beyond_at: float
    failures: tuple[Failures, ...]


def measure(
    fn: Callable[[Float[Array, "..."]], Float[Array, "..."]],
    reference: Reference,
    *,
    dtype: str,
    order: int,
    thin: int = 1,
) -> ErrorScan:
    """Returns the errors of fn's derivative of an order against its float64 reference.

    fn is differentiated in reverse mode and compiled. Of the patterns that the type's
    stride selects, every `thin`-th is tried.
    """
    patterns = finite_patterns(dtype)[::thin]
    x = patterns.astype(np.float64)
    found = np.asarray(jax.jit(derivative(fn, order))(jnp.asarray(patterns)))
    with np.errstate(over="ignore", under="ignore"):
        true = np.asarray(reference(x), np.float64)
    failures = _failures(x, found.astype(np.float64), true, dtype)
    ulps = errors_in_ulps(found.astype(np.float64), true, dtype)
    judged = ~_near_zeros(x, true) if order else np.ones_like(x, bool)
    core = np.abs(x) <= CORE
    return ErrorScan(
        dtype=dtype,
        order=order,
        x=x,
        ulps=ulps,
        **_largest("core", x, ulps, judged & core),
        **_largest("beyond", x, ulps, judged & ~core),
        failures=failures,
    )


def derivative(
    fn: Callable[[Float[Array, "..."]], Float[Array, "..."]], order: int
) -> Callable[[Float[Array, "..."]], Float[Array, "..."]]:
    """Returns the elementwise derivative of an order, in reverse mode."""
    for _ in range(order):
        fn = _slope(fn)
    return fn


def _slope(fn):
    return lambda x: jax.vjp(fn, x)[1](jnp.ones_like(x))[0]


@cache
def finite_patterns(dtype: str) -> np.ndarray:
    """Returns 0 and the normal numbers of a type, ascending, every n-th by its stride."""
    kind = jnp.dtype(dtype)
    bits = np.arange(0, 2 ** (8 * kind.itemsize), STRIDES[dtype], dtype=np.uint64)
    values = bits.astype(f"uint{8 * kind.itemsize}").view(kind)
    with np.errstate(invalid="ignore"):
        wide = values.astype(np.float64)
    kept = np.isfinite(wide) & (np.abs(wide) >= float(jnp.finfo(kind).tiny))
    zero = np.zeros(1, kind)
    return np.concatenate(
        [values[kept & (wide < 0)][::-1], zero, values[kept & (wide > 0)]]
    )


def errors_in_ulps(
    found: Float[np.ndarray, " points"], true: Float[np.ndarray, " points"], dtype: str
) -> Float[np.ndarray, " points"]:
    """Returns |found - true| in the type's spacing at the true result.

    Where the true result overflows, infinity is no error; where it is subnormal, zero
    is none.
    """
    info = ml_dtypes.finfo(jnp.dtype(dtype))
    exponent = np.maximum(np.frexp(true)[1] - 1, info.minexp)
    with np.errstate(invalid="ignore", over="ignore"):
        ulps = np.abs(found - true) / np.exp2(exponent - float(info.nmant))
    fine = (found == true) | ((np.abs(true) > float(info.max)) & np.isinf(found))
    fine |= (np.abs(true) < float(info.tiny)) & (found == 0)
    return np.where(fine, 0, np.where(np.isnan(ulps), np.inf, ulps))


def _failures(x, found, true, dtype: str) -> tuple[Failures, ...]:
    info = ml_dtypes.finfo(jnp.dtype(dtype))
    size = np.abs(true)
    normal = (size >= float(info.tiny)) & (size <= float(info.max))
    found_kinds = {
        "zero": normal & (found == 0),
        "wrong sign": normal & (found * np.sign(true) < 0),
        "infinite": normal & np.isinf(found),
        "NaN": np.isnan(found),
    }
    return tuple(
        Failures(
            kind=kind,
            count=int(hit.sum()),
            low=float(x[hit].min()),
            high=float(x[hit].max()),
        )
        for kind, hit in found_kinds.items()
        if hit.any()
    )


def _near_zeros(
    x: Float[np.ndarray, " points"], true: Float[np.ndarray, " points"]
) -> Bool[np.ndarray, " points"]:
    """Tells which inputs, ascending, lie near a change of the true derivative's sign."""
    clear = np.flatnonzero(true)
    changes = np.flatnonzero(np.diff(np.sign(true[clear])))
    # How many stretches around a change are open at each input.
    opened = np.searchsorted(x, x[clear[changes]] - ZERO_MARGIN, "left")
    closed = np.searchsorted(x, x[clear[changes + 1]] + ZERO_MARGIN, "right")
    steps = np.bincount(opened, minlength=x.size + 1).astype(int)
    steps -= np.bincount(closed, minlength=x.size + 1)
    return np.cumsum(steps)[:-1] > 0


def _largest(name: str, x, ulps, chosen) -> dict[str, float]:
    if not chosen.any():
        return {name: 0.0, f"{name}_at": 0.0}
    index = np.argmax(np.where(chosen, ulps, -1))
    return {name: float(ulps[index]), f"{name}_at": float(x[index])}
