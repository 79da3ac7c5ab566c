"""What activations cost beside ReLU: compiled, alternating in one run, medians."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Function = Callable[[Float[Array, " n"]], Float[Array, " n"]]
# Standard deviation of the inputs: tails and centre both have their share.
SCALE = 2.0


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Median seconds of a call, and seconds of tracing and compiling it, once.

    beside_base: the median over the trials of this call's time over the base's.
    """

    seconds: float
    beside_base: float
    compile_seconds: float


def costs(
    functions: Mapping[str, Function], *, base: str, elements: int, trials: int
) -> dict[str, dict[str, Cost]]:
    """Returns by name the cost of "forward" and of "value_and_gradient", in float32.

    The gradient is a reverse-mode one for a given cotangent. The functions take turns,
    so that what else the machine does meets all of them.
    """
    draws = np.random.default_rng(0).normal(size=(2, elements))
    inputs = jnp.float32(SCALE * draws[0]), jnp.float32(draws[1])
    jax.block_until_ready(jax.jit(jnp.add)(*inputs))  # starts the backend
    found: dict[str, dict[str, Cost]] = {name: {} for name in functions}
    for what, program in PROGRAMS.items():
        compiled, spent = {}, {}
        for name, fn in functions.items():
            began = time.perf_counter()
            compiled[name] = jax.jit(program(fn)).lower(*inputs).compile()
            spent[name] = time.perf_counter() - began
        times = _alternate(compiled, inputs, trials)
        for name, taken in times.items():
            ratios = [a / b for a, b in zip(taken, times[base], strict=True)]
            found[name][what] = Cost(
                seconds=statistics.median(taken),
                beside_base=statistics.median(ratios),
                compile_seconds=spent[name],
            )
    return found


def _forward(fn: Function) -> Callable[..., Any]:
    return lambda x, cotangent: fn(x)


def _value_and_gradient(fn: Function) -> Callable[..., Any]:
    def both(x, cotangent):
        value, pull_back = jax.vjp(fn, x)
        return value, pull_back(cotangent)[0]

    return both


PROGRAMS = {"forward": _forward, "value_and_gradient": _value_and_gradient}


def _alternate(
    compiled: Mapping[str, Callable[..., Any]],
    inputs: tuple[Array, Array],
    trials: int,
) -> dict[str, list[float]]:
    for call in compiled.values():
        jax.block_until_ready(call(*inputs))
    times: dict[str, list[float]] = {name: [] for name in compiled}
    for _ in range(trials):
        for name, call in compiled.items():
            began = time.perf_counter()
            jax.block_until_ready(call(*inputs))
            times[name].append(time.perf_counter() - began)
    return times
