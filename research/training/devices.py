"""Which devices the lanes are shared over."""

import contextlib
import os
from pathlib import Path

import jax
import numpy as np
from jax.sharding import Mesh

from research.errors import ConfigError

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
      A sentence when JAX already had fewer devices, which are then used; else None.

    Raises:
      ConfigError: JAX finds no device, or fewer accelerators than are wanted.
    """
    count = wanted or physical_cores()
    with contextlib.suppress(RuntimeError):  # JAX is running already
        jax.config.update("jax_num_cpu_devices", count)
    try:
        here = jax.local_device_count()
    except (RuntimeError, AssertionError):  # the second try's fault is an assertion
        raise ConfigError(
            f"JAX_PLATFORMS={os.environ.get('JAX_PLATFORMS', '')}: JAX finds no such "
            "device here; unset it, or install jax for it"
        ) from None
    if jax.default_backend() != "cpu" and wanted is not None and wanted > here:
        raise ConfigError(
            f"compute.devices={wanted}: must be at most {here}, the devices of this "
            f"machine's {jax.default_backend()}"
        )
    if jax.default_backend() == "cpu" and here < count:
        return (
            f"JAX was already running on {here} CPU device(s), which are used; "
            f"a fresh process would use {count}"
        )
    return None


def seed_mesh(devices: int) -> Mesh:
    """Returns the mesh of one axis that lanes are shared over, of this process's devices."""
    return Mesh(np.array(jax.local_devices()[:devices]), (AXIS,))
