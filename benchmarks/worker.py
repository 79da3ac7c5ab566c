"""One process of a peer: trains its seeds each time a line arrives, and answers in JSON.

Command: python -m benchmarks.worker PEER DEVICES FIRST_SEED SEEDS EPOCHS
"""

import importlib
import json
import os
import resource
import sys
import time


def main(peer: str, devices: str, first: str, count: str, epochs: str) -> None:
    """Imports the peer at the first line, so that its cost is in the first answer."""
    os.environ["JAX_NUM_CPU_DEVICES"] = devices
    seeds = range(int(first), int(first) + int(count))
    for _ in sys.stdin:
        began = time.process_time()
        module = importlib.import_module(f"benchmarks.peers.{peer}")
        curves = module.run(seeds, int(epochs))
        answer = {
            "cpu_seconds": time.process_time() - began,
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "steps": curves.steps.tolist(),
            "accuracy": curves.accuracy.mean(axis=1).tolist(),
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
