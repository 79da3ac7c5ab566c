"""The least time that a step can take on this machine: what it must do at peak speed.

Products at the measured matrix peak, validation's share of them, and Adam's bytes at the
measured bandwidth of the second-level cache; all of it on every core at once.

Command: python -m benchmarks.roof   (of one core, as JSON)
"""

import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import job, machine
from benchmarks.workers import run_on

LARGE = 1024  # rows and columns of the large product
# Parameters, two moments and the gradient are read; all but the gradient are written.
ADAM_STREAMS = 7
REPEATS = 15


@dataclass(frozen=True, kw_only=True)
class Roof:
    """Of one core while all are busy, the mean over cores.

    matrix_peak: FLOP/s of a large product.
    step_products: FLOP/s of a hidden layer's three products at a step's own shapes, as
      XLA does them, many seeds in a call.
    cache_bandwidth: bytes/s, read and written, within the second-level cache.
    """

    cores: int
    matrix_peak: float
    step_products: float
    cache_bandwidth: float

    @property
    def microseconds(self) -> float:
        """Of one optimiser step of one seed, all cores at work."""
        return self._at(max(self.matrix_peak, self.step_products))

    @property
    def microseconds_of_own_products(self) -> float:
        """The same with the products as fast as they were at their own shapes."""
        return self._at(self.step_products)

    def _at(self, speed: float) -> float:
        products = (step_flops() + validation_flops() / job.STEPS) / speed
        return (products + adam_bytes() / self.cache_bandwidth) / self.cores * 1e6


def step_flops() -> int:
    """Returns the FLOP of a step's products: forward, to the kernels, to the inputs."""
    sizes = [2 * job.BATCH * a * b for a, b in itertools.pairwise(job.WIDTHS)]
    return 3 * sum(sizes) - sizes[0]  # nobody asks for the gradient of the data


def validation_flops() -> int:
    """Returns the FLOP of one evaluation's products."""
    return sum(
        2 * job.VALIDATION_ROWS * a * b for a, b in itertools.pairwise(job.WIDTHS)
    )


def adam_bytes() -> int:
    """Returns the bytes that an update must move."""
    parameters = sum((a + 1) * b for a, b in itertools.pairwise(job.WIDTHS))
    return ADAM_STREAMS * 4 * parameters


def measure_roof() -> Roof:
    """Measures all cores at once, each in a process of its own."""
    cores = machine.cores()
    workers = [run_on([core], "benchmarks.roof") for core in cores]
    answers = [json.loads(worker.communicate()[0]) for worker in workers]
    return Roof(
        cores=len(cores),
        **{
            name: sum(answer[name] for answer in answers) / len(cores)
            for name in answers[0]
        },
    )


def measure_core() -> dict[str, float]:
    """Returns one core's speeds, each the best of several tries."""
    random = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype(np.float32)

    seeds, hidden = 16, job.WIDTHS[1]
    x, dy = (jnp.asarray(draw(seeds, job.BATCH, hidden)) for _ in range(2))
    kernel = jnp.asarray(draw(seeds, hidden, hidden))
    large = draw(2, LARGE, LARGE)
    values = draw(2, (machine.l2_kilobytes() or 1024) * 1024 // 4 // 4)

    @jax.jit
    def products(
        x: jax.Array, dy: jax.Array, kernel: jax.Array
    ) -> tuple[jax.Array, ...]:
        return x @ kernel, dy @ kernel.swapaxes(1, 2), x.swapaxes(1, 2) @ dy

    return {
        "matrix_peak": 2 * LARGE**3 / best(lambda: large[0] @ large[1]),
        "step_products": 6
        * (seeds * job.BATCH * hidden**2)
        / best(lambda: jax.block_until_ready(products(x, dy, kernel)), 50),
        "cache_bandwidth": 3
        * values[0].nbytes
        / best(lambda: np.add(values[0], values[1], out=values[0]), 200),
    }


def best(work: Callable[[], object], calls: int = 1) -> float:
    """Returns the seconds of one call, in the fastest of several tries."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        for _ in range(calls):
            work()
        seconds.append((time.perf_counter() - began) / calls)
    return min(seconds)


if __name__ == "__main__":
    print(json.dumps(measure_core()))
