"""Which devices the lanes are shared over."""

import os
from pathlib import Path

import jax
import numpy as np
from jax.sharding import Mesh

AXIS = "seeds"


def physical_cores() -> int:
    """Returns the physical cores that this process may use, by its cgroup too."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}
    siblings = set()
    for cpu in allowed:
        place = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        siblings.add(place.read_text() if place.is_file() else str(cpu))
    return max(min(len(siblings), _cgroup_cores()), 1)


def _cgroup_cores() -> int:
    limit = Path("/sys/fs/cgroup/cpu.max")
    if not limit.is_file():
        return os.cpu_count() or 1
    quota, period = limit.read_text().split()
    return (os.cpu_count() or 1) if quota == "max" else int(quota) // int(period)


def claim_devices(wanted: int | None) -> str | None:
    """Gives the CPU one host device a physical core, where JAX has none yet.

    Returns:
      A sentence when JAX already had other devices, which are then used; else None.
    """
    count = wanted or physical_cores()
    try:
        jax.config.update("jax_num_cpu_devices", count)
    except RuntimeError:
        if jax.default_backend() == "cpu" and jax.device_count() < count:
            return (
                f"JAX was already running on {jax.device_count()} CPU device(s); "
                f"{count} would be used in a fresh process"
            )
    return None


def seed_mesh(devices: int) -> Mesh:
    """Returns the mesh of one axis that lanes are shared over."""
    return Mesh(np.array(jax.devices()[:devices]), (AXIS,))
