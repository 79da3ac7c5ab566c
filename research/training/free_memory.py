"""How much memory arrays may still take: of the device, or of this process on a CPU."""

import os
from collections.abc import Iterator
from pathlib import Path

import jax

LEAST_BYTES = 2**28
MEMINFO = Path("/proc/meminfo")
OWN_GROUPS = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")
# Of cgroup v2 and v1: the limit, what is used, and what of that is a cache of files.
_V2 = ("memory.max", "memory.current", "inactive_file")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def free_bytes() -> int:
    """Returns the bytes free for arrays: the device's, or the process's on a CPU."""
    device = jax.local_devices()[0]
    if device.platform != "cpu":
        stats = device.memory_stats() or {}
        return stats.get("bytes_limit", 2**33) - stats.get("bytes_in_use", 0)
    return max(min([_available(), *_left_by_groups()]), LEAST_BYTES)


def _available() -> int:
    """Returns what the system could give, its caches of files counted as free."""
    try:
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_by_groups() -> Iterator[int]:
    """Yields what each control group that holds this process leaves of its limit."""
    try:
        lines = OWN_GROUPS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            root, names = GROUPS, _V2
        elif "memory" in controllers.split(","):
            root, names = GROUPS / "memory", _V1
        else:
            continue
        # In a container the path is often that of the host, and only the root is there.
        group = root / path.lstrip("/")
        for place in (group, *group.parents):
            if place.is_relative_to(root):
                yield from _left(place, *names)


def _left(group: Path, limit: str, used: str, cached: str) -> Iterator[int]:
    try:
        most = int((group / limit).read_text())
        taken = int((group / used).read_text())
    except (OSError, ValueError):
        return  # no such group, or "max": no limit
    try:
        stat = dict(
            line.split() for line in (group / "memory.stat").read_text().splitlines()
        )
        taken -= int(stat.get(cached, 0))
    except (OSError, ValueError):
        pass
    yield most - max(taken, 0)
