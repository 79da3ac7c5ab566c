"""Trains the tiny experiment on four host devices: a process of its own.

Called with the file to write the arm's numbers to; the test compares them.
"""

import sys

import jax
import numpy as np
from tiny_runs import fixed_plan, numbers, tiny_experiment, train

HOST_DEVICES = 4


def main(path: str) -> None:
    """Trains the ReLU arm, two seeds on each device, and writes its numbers by name."""
    jax.config.update("jax_num_cpu_devices", HOST_DEVICES)
    jax.config.update("jax_numpy_rank_promotion", "raise")
    found = {"host devices": np.int64(jax.device_count())}
    plan = fixed_plan(width=2, devices=HOST_DEVICES)
    found |= numbers(train(tiny_experiment(), "relu", plan=plan))
    np.savez(path, allow_pickle=False, **found)


if __name__ == "__main__":
    main(sys.argv[1])
