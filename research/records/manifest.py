"""What a run was made with, so that it can be made again."""

import datetime
import hashlib
import importlib.metadata
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("jax", "jaxlib", "flax", "optax", "numpy", "scipy", "scikit-learn")


def manifest(
    *,
    command: str,
    devices: list[str],
    plan: Mapping[str, Any],
    precision: str,
    data: Mapping[str, np.ndarray],
    remarks: Sequence[str] = (),
    sources: Mapping[str, str],
) -> dict[str, Any]:
    """Returns versions, machine, plan, data hashes, git commit and command.

    remarks: what is to be known of the data, such as a text's hash.
    sources: hashes of the code that trains.
    """
    return {
        "command": command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "git_commit": git_commit(),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in PACKAGES},
        },
        "machine": {
            "platform": platform.platform(),
            "processor": processor(),
            "devices": devices,
        },
        "precision": precision,
        "plan": dict(plan),
        "data": list(remarks),
        "source_sha256": dict(sources),
        "data_sha256": {name: sha256(array) for name, array in data.items()},
    }


def sha256(array: np.ndarray) -> str:
    """Returns the hash of an array's dtype, shape and bytes."""
    whole = np.ascontiguousarray(array)
    head = f"{whole.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + whole.tobytes()).hexdigest()


def file_sha256(path: Path) -> str:
    """Returns the hash of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def git_commit() -> str | None:
    """Returns the commit of this code, with `+changes` when files differ from it."""
    here = Path(__file__).parent

    def git(*words: str) -> str:
        return subprocess.run(
            ("git", "-C", str(here), *words),
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        ).stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + ("+changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def processor() -> str:
    """Returns the processor's name, as Linux gives it or else as Python does."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
