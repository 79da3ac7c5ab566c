"""One cell of the table of growth, as JSON.

Command: python -m benchmarks.growth_cell SEEDS PARAMETERS SAMPLES, the latter two as
factors of the default experiment's
"""

import json
import math
import resource
import sys

from benchmarks import job
from benchmarks.peers import engine
from research.config import ExperimentConfig
from research.config_values import from_mapping

# Steps of all seeds together that a cell takes, at the default size of network; at
# least one epoch.
STEPS = 500_000


def config_of(seeds: int, parameters: int, samples: int) -> ExperimentConfig:
    """Returns the default experiment with a network and data of so many times the size."""
    width = job.WIDTHS[1] * math.isqrt(parameters)
    return from_mapping(
        {
            "seeds": seeds,
            "model": {"hidden": (width, width)},
            "task": {
                "samples": samples * job.SAMPLES,
                "test_samples": samples * job.TEST_ROWS,
                "validation_samples": samples * job.VALIDATION_ROWS,
            },
        }
    )


def epoch_steps(seeds: int, parameters: int, samples: int) -> int:
    """Returns the steps of all seeds in an epoch, those of a larger network as more."""
    return seeds * parameters * (samples * job.TRAIN_ROWS // job.BATCH)


def main(seeds: int, parameters: int, samples: int) -> None:
    """Trains, and prints the time of a step and the most memory that was held."""
    epochs = min(1 + STEPS // epoch_steps(seeds, parameters, samples), 300)
    config = config_of(seeds, parameters, samples)
    trained = engine.train(config, range(seeds), epochs)
    plan = engine.compiled(config)[0].plan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        json.dumps(
            {
                "microseconds": trained.step_seconds * 1e6,
                "peak_bytes": peak,
                "parameters": trained.parameters,
                "epochs": epochs,
                "devices": plan.devices,
                "lanes_per_chunk": plan.lanes_per_chunk,
            }
        )
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
