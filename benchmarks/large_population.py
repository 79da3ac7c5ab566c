"""A comparison of very many seeds: its peak resident memory and its time.

Command: python benchmarks/large_population.py

It is the launcher's own run of the moons MLP, every part of it: two arms, trained, judged,
written and drawn, in a process of its own and a folder that is removed.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from absl import app, flags

LAUNCHER = Path(__file__).parents[1] / "launch.py"

SEEDS = flags.DEFINE_integer("seeds", 50_000, "seeds of each arm", lower_bound=1)
EPOCHS = flags.DEFINE_integer("epochs", 2, "epochs of each lane", lower_bound=1)


def main(argv: list[str]) -> None:
    """Runs it and prints what it took; exits with the run's own code."""
    del argv
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                sys.executable,
                str(LAUNCHER),
                f"--config.seeds={SEEDS.value}",
                f"--config.epochs={EPOCHS.value}",
                f"--workdir={folder}/run",
            ],
            check=False,
        )
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.*"))
    seconds = time.perf_counter() - began
    # Linux counts the peak in KiB.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(
        f"{SEEDS.value:,} seeds an arm, {EPOCHS.value} epochs: {seconds:.0f} s, "
        f"peak resident memory {peak:.2f} GiB, {size / 2**20:.0f} MiB written"
    )
    sys.exit(done.returncode)


if __name__ == "__main__":
    app.run(main)
