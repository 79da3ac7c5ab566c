"""Peers in fresh processes: a peer's first run is timed with its start, then one more."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import machine

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a peer uses the machine.

    processes: they share the seeds, each on as many cores as every other.
    devices: host devices that JAX gets in each process.
    """

    processes: int
    cores: int
    devices: int = 1

    def __str__(self) -> str:
        """Returns the layout in words."""
        processes = f"{self.processes} process{'es' * (self.processes > 1)}"
        each = " each" * (self.processes > 1)
        devices = f", {self.devices} devices" * (self.devices > 1)
        return f"{processes}, {self.cores} core{'s' * (self.cores > 1)}{each}{devices}"


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One peer in one layout, once.

    cold_seconds: from the start of the processes to the end of their first run.
    warm_seconds: of the same run once more.
    cpu_seconds: of all processes in the second run.
    accuracy: after each epoch, the mean over all seeds.
    """

    peer: str
    layout: Layout
    seeds: int
    epochs: int
    steps: int
    cold_seconds: float
    warm_seconds: float
    cpu_seconds: float
    peak_bytes: int
    accuracy: Sequence[float]

    @property
    def microseconds(self) -> float:
        """Of one optimiser step of one seed, everything but the start included."""
        return self.warm_seconds * 1e6 / (self.seeds * self.steps)

    @property
    def start_seconds(self) -> float:
        """What a first run takes longer than the next: start, imports, compilation."""
        return self.cold_seconds - self.warm_seconds


def measure(peer: str, layout: Layout, *, seeds: int, epochs: int) -> Measurement:
    """Trains with a peer in fresh processes, twice.

    Raises:
      RuntimeError: a process ended, or seeds took different numbers of steps.
    """
    share = seeds // layout.processes
    with contextlib.ExitStack() as started:
        began = time.perf_counter()
        workers = [
            started.enter_context(_start(peer, layout, number, share, epochs))
            for number in range(layout.processes)
        ]
        _ask(workers, peer)
        between = time.perf_counter()
        answers = _ask(workers, peer)
        ended = time.perf_counter()
    steps = {count for answer in answers for count in answer["steps"]}
    if len(steps) != 1:
        raise RuntimeError(f"{peer}: seeds took {sorted(steps)} steps")
    each = [answer["accuracy"] for answer in answers]
    return Measurement(
        peer=peer,
        layout=layout,
        seeds=share * layout.processes,
        epochs=epochs,
        steps=steps.pop(),
        cold_seconds=between - began,
        warm_seconds=ended - between,
        cpu_seconds=sum(answer["cpu_seconds"] for answer in answers),
        peak_bytes=sum(answer["peak_bytes"] for answer in answers),
        accuracy=[sum(values) / len(values) for values in zip(*each, strict=True)],
    )


def run_on(cores: Sequence[int], *arguments: str) -> subprocess.Popen[str]:
    """Starts a module of this folder as a process that sees these cores only."""
    settings = {
        "JAX_PLATFORMS": "cpu",
        "OMP_NUM_THREADS": str(len(cores)),
        "OPENBLAS_NUM_THREADS": str(len(cores)),
    }
    with _staying_on(cores):
        return subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=os.environ | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


@contextlib.contextmanager
def _staying_on(cores: Sequence[int]) -> Iterator[None]:
    """Keeps this thread on these cores, as a process started meanwhile will stay."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _start(
    peer: str, layout: Layout, number: int, share: int, epochs: int
) -> subprocess.Popen[str]:
    """Starts one process of a peer."""
    first = number * layout.cores
    return run_on(
        machine.cores()[first : first + layout.cores],
        "benchmarks.worker",
        *(peer, str(layout.devices), str(number * share), str(share), str(epochs)),
    )


def _ask(workers: Sequence[subprocess.Popen[str]], peer: str) -> list[dict[str, Any]]:
    """Has every process train, all at the same time, and returns their answers."""
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    answers = []
    for worker in workers:
        assert worker.stdout is not None
        if not (line := worker.stdout.readline()):
            raise RuntimeError(f"{peer}: its process ended with {worker.wait()}")
        answers.append(json.loads(line))
    return answers
