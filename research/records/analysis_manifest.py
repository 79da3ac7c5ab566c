"""What an analysis was made with, so that it can be made again."""

import datetime
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from research.records.manifest import git_commit, processor

PACKAGES = ("numpy", "scipy")


def analysis_manifest(
    *, command: str, sources: Iterable[Path], packages: Iterable[str] = PACKAGES
) -> dict[str, Any]:
    """Returns versions, machine, git commit, command and the sources' hashes."""
    return {
        "command": command,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "git_commit": git_commit(),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in packages},
        },
        "machine": {"platform": platform.platform(), "processor": processor()},
        "source_sha256": {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sources
        },
    }
