"""Goes on with a stopped run on so many host devices: a process of its own.

Called with the run folder and the number of devices.
"""

import io
import json
import sys
from pathlib import Path

import jax
from rich.console import Console

from research import compare


def main(workdir: str, devices: str) -> None:
    """Runs what the folder's config.json says, on other devices."""
    jax.config.update("jax_num_cpu_devices", int(devices))
    jax.config.update("jax_numpy_rank_promotion", "raise")
    assert jax.device_count() == int(devices)
    config = json.loads((Path(workdir) / "config.json").read_text())
    config["compute"]["devices"] = int(devices)
    compare(config, workdir=workdir, console=Console(file=io.StringIO()))


if __name__ == "__main__":
    main(*sys.argv[1:])
