"""What a measurement was made on: machine, versions, date."""

import datetime
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CPU = Path("/sys/devices/system/cpu/cpu0")
PACKAGES = ("jax", "jaxlib", "flax", "optax", "numpy", "scikit-learn", "torch")


def processor() -> str:
    """Returns the processor's name, as far as the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cores() -> list[int]:
    """Returns one CPU of each physical core that this process may use."""
    if not hasattr(os, "sched_getaffinity"):
        return list(range(os.cpu_count() or 1))
    first: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = CPU.with_name(f"cpu{cpu}") / "topology/thread_siblings_list"
        first.setdefault(siblings.read_text() if siblings.is_file() else str(cpu), cpu)
    return list(first.values())


def l2_kilobytes() -> int | None:
    """Returns the size of a core's second-level cache, where the system tells it."""
    size = CPU / "cache/index2/size"
    return int(size.read_text().strip().removesuffix("K")) if size.is_file() else None


def versions() -> dict[str, str]:
    """Returns the versions of Python and of what is measured, as far as installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def describe() -> dict[str, Any]:
    """Returns machine, versions and date; `load` is the system's over the last minute."""
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": len(cores()),
        "l2_kilobytes_per_core": l2_kilobytes(),
        "load": round(os.getloadavg()[0], 2),
        "versions": versions(),
    }


def sentence(found: Mapping[str, Any]) -> str:
    """Returns a description in one line."""
    packages = ", ".join(
        f"{name} {number}" for name, number in found["versions"].items()
    )
    return (
        f"{found['date']}, {found['cores']} cores of {found['processor']}, {packages}; "
        f"load before: {found['load']}"
    )
