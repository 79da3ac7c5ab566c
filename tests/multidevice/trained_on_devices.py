"""Trains the tiny experiment on 2 and 4 of four host devices: a process of its own.

Called with the file to write the arm's numbers to; the test compares them.
"""

import sys

import jax
import numpy as np
from tiny_runs import fixed_plan, numbers, tiny_experiment, train

HOST_DEVICES = 4
COUNTS = (2, 4)


def main(path: str) -> None:
    """Trains once for each count and writes `<count>/<name>` arrays."""
    jax.config.update("jax_num_cpu_devices", HOST_DEVICES)
    jax.config.update("jax_numpy_rank_promotion", "raise")
    found = {"host devices": np.int64(jax.device_count())}
    experiment = tiny_experiment()
    for count in COUNTS:
        arm = train(experiment, "relu", plan=fixed_plan(width=2, devices=count))
        for name, values in numbers(arm).items():
            found[f"{count}/{name}"] = values
    np.savez(path, allow_pickle=False, **found)


if __name__ == "__main__":
    main(sys.argv[1])
