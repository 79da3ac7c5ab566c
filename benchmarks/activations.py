"""These activations beside jax.nn's, alternating in one run: forward, and with gradient.

Command: taskset -c 0 python -m benchmarks.activations

Both are compiled and see the same million elements of a normal distribution. The
gradient is a reverse-mode one for a given cotangent, value and gradient both kept. On a
busy machine pin it to a core, and compare ratios within one run, never times across.
"""

import datetime
import statistics
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from absl import app, flags
from jaxtyping import Array, Float

from benchmarks import machine
from research.activations import elementwise
from research.probes.peers import PEERS

ACTIVATIONS = flags.DEFINE_list(
    "activations", ["gelu", "gelu_tanh", "silu", "quick_gelu", "mish"], "which to time"
)
DTYPES = flags.DEFINE_list(
    "dtypes", ["float32", "bfloat16", "float16"], "in which types"
)
ELEMENTS = flags.DEFINE_integer("elements", 1_000_000, "array size", lower_bound=1)
TRIALS = flags.DEFINE_integer(
    "trials", 30, "trials of each, alternating", lower_bound=1
)
SCALE = 2.0  # standard deviation of the inputs: tails and centre both have their share

Function = Callable[[Float[Array, " n"]], Float[Array, " n"]]


def forward(fn: Function) -> Callable[..., object]:
    """Returns the compiled function, of the inputs and an unused cotangent."""
    return jax.jit(lambda x, cotangent: fn(x))


def value_and_gradient(fn: Function) -> Callable[..., object]:
    """Returns the compiled value and gradient, of the inputs and a cotangent."""

    def both(x, cotangent):
        value, pull_back = jax.vjp(fn, x)
        return value, pull_back(cotangent)[0]

    return jax.jit(both)


def alternate(
    programs: dict[str, Callable[..., object]], arguments: tuple[Array, ...]
) -> dict[str, list[float]]:
    """Returns the milliseconds of each program's trials, taken in turn."""
    for program in programs.values():
        jax.block_until_ready(program(*arguments))
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(TRIALS.value):
        for name, program in programs.items():
            began = time.perf_counter()
            jax.block_until_ready(program(*arguments))
            times[name].append((time.perf_counter() - began) * 1e3)
    return times


def main(argv: list[str]) -> None:
    """Prints medians, minima and their ratios for every activation and type."""
    del argv
    random = np.random.default_rng(0)
    draws = random.normal(size=(2, ELEMENTS.value))
    device = jax.devices()[0]
    print(
        f"{datetime.date.today()}, jax {jax.__version__} on {device.platform}, "
        f"{machine.processor()}, {ELEMENTS.value:,} elements, {TRIALS.value} trials"
    )
    print("milliseconds: ours, jax.nn; ratio below 1: ours is faster")
    heading = f"{'':32}{'minimum':>18}{'ratio':>7}{'median':>18}{'ratio':>7}"
    for dtype in DTYPES.value:
        print(f"\n{dtype}\n{heading}")
        inputs = jnp.asarray(SCALE * draws[0], dtype), jnp.asarray(draws[1], dtype)
        for name in ACTIVATIONS.value:
            for program in (forward, value_and_gradient):
                ours, peer = alternate(
                    {
                        "ours": program(getattr(elementwise, name)),
                        "jax.nn": program(PEERS[name]),
                    },
                    inputs,
                ).values()
                line = f"  {name:<11}{program.__name__:<19}"
                for summary in (min, statistics.median):
                    a, b = summary(ours), summary(peer)
                    line += f"{a:9.3f}{b:9.3f}{a / b:7.2f}"
                print(line, flush=True)


if __name__ == "__main__":
    app.run(main)
