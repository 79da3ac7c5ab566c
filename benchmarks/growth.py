"""What a step of one seed costs, in time and memory, as everything grows.

Command: make bench-growth

Seeds, parameters and samples of the default experiment, each cell in a process of its
own. Times are of the fastest round, compilation left out; memory is the most that the
process held, Python, JAX and compiling included.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from absl import app

from benchmarks import machine
from benchmarks.growth_cell import epoch_steps
from benchmarks.results_page import write_section
from benchmarks.workers import run_on

SEEDS = (1, 8, 64, 512, 4096)
PARAMETERS = (1, 16)
SAMPLES = (1, 100)
# An epoch of more steps takes many minutes: such a cell is left out.
MOST_STEPS = 10_000_000
FLAT = 1.15  # the most that a step may cost at 4096 seeds, as times that at 64

Cell = tuple[int, int, int]


def main(argv: list[str]) -> None:
    """Measures every cell and writes the table."""
    del argv
    about = machine.sentence(machine.describe())
    print(about)
    found: dict[Cell, dict[str, Any]] = {}
    for cell in itertools.product(SEEDS, PARAMETERS, SAMPLES):
        if epoch_steps(*cell) <= MOST_STEPS:
            found[cell] = measure(cell)
            print(cell, found[cell], flush=True)
    lines = ["`make bench-growth`: " + about, "", *table(found), "", *verdict(found)]
    print("\n".join(lines))
    write_section("Growth", lines)


def measure(cell: Cell) -> dict[str, Any]:
    """Returns a cell's numbers, from a process of its own.

    Raises:
      RuntimeError: the process failed.
    """
    worker = run_on(machine.cores(), "benchmarks.growth_cell", *map(str, cell))
    answer, _ = worker.communicate()
    if worker.returncode:
        raise RuntimeError(f"{cell}: its process ended with {worker.returncode}")
    return json.loads(answer.splitlines()[-1])


def table(found: dict[Cell, dict[str, Any]]) -> Iterator[str]:
    """Yields the table: seeds down, sizes across; µs of a step of one seed, and memory."""
    sizes = list(itertools.product(PARAMETERS, SAMPLES))
    heads = [f"parameters x{p}, samples x{s}" for p, s in sizes]
    yield "| seeds | " + " | ".join(heads) + " |"
    yield "| --- " * (len(sizes) + 1) + "|"
    for seeds in SEEDS:
        cells = [cell_text(found.get((seeds, *size))) for size in sizes]
        yield f"| {seeds} | " + " | ".join(cells) + " |"


def cell_text(numbers: dict[str, Any] | None) -> str:
    """Returns a cell in words; None is one that would take too long."""
    if numbers is None:
        return "left out: many minutes"
    return f"{numbers['microseconds']:.1f} µs, {numbers['peak_bytes'] / 2**20:,.0f} MiB"


def verdict(found: dict[Cell, dict[str, Any]]) -> Iterator[str]:
    """Yields whether the cost of a lane stays flat from 64 seeds to 4096."""
    few, many = (found[seeds, 1, 1]["microseconds"] for seeds in (64, 4096))
    told = "flat" if many <= FLAT * few else "not flat"
    yield (
        f"From 64 to 4096 seeds a step of one seed goes from {few:.1f} to {many:.1f} µs: "
        f"{many / few:.2f} times, {told} within {100 * (FLAT - 1):.0f} %."
    )


if __name__ == "__main__":
    app.run(main)
