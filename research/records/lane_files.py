"""Finished lanes on disk, block by block: what a run goes on from and is joined of."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from research.errors import DataError
from research.records.folder import RunFolder, read_arrays, write_arrays
from research.records.manifest import sha256

_NAME = re.compile(r"\d+-\d+\.npz")


def write_lanes(
    folder: RunFolder,
    arm: str,
    arrays: Mapping[str, np.ndarray],
    *,
    of: Mapping[str, str],
) -> Path:
    """Writes a block of an arm's lanes, whole or not at all; returns its file.

    Args:
      of: hashes of what they were trained with, which reading them must say again.
    """
    seeds = arrays["seeds"]
    name = f"{seeds[0]}-{seeds[-1]}.npz"
    named = {**arrays, "arm": np.asarray(arm), "of": np.asarray(json.dumps(dict(of)))}
    named["sha256"] = np.asarray(_sum(named))
    path = folder.finished_lanes / arm / name
    write_arrays(path, named)
    return path


def lane_files(folder: RunFolder, arm: str) -> list[Path]:
    """Returns the files of an arm's finished lanes, in the order of their seeds.

    Raises:
      DataError: a folder lies in the place of one, where none could be written.
    """
    found = (folder.finished_lanes / arm).glob("*.npz")
    files = [path for path in found if _NAME.fullmatch(path.name) and path.exists()]
    for path in files:
        if path.is_dir():
            raise DataError(f"{path}: is a folder, not a file; remove it")
    return sorted(files, key=lambda path: int(path.name.partition("-")[0]))


def has_lanes(folder: RunFolder) -> bool:
    """Tells whether a run has scored any lanes."""
    return any(folder.finished_lanes.glob("*/*.npz"))


def read_lanes(path: Path, *, of: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Reads a block of lanes; the hash over its arrays is compared first.

    Raises:
      DataError: it is damaged, or holds lanes of another arm or run, or no lanes.
    """
    arrays = read_arrays(path)
    if not {"sha256", "of", "arm", "seeds"} <= arrays.keys():
        raise DataError(f"{path}: does not say whose lanes it holds")
    if str(arrays.pop("sha256")) != _sum(arrays):
        raise DataError(f"{path}: is damaged, its arrays are not what was written")
    if str(arrays.pop("arm")) != path.parent.name:
        raise DataError(f"{path}: holds lanes of another arm")
    there = json.loads(str(arrays.pop("of")))
    for name, value in of.items():
        if there.get(name) != value:
            raise DataError(f"{path}: is of a run of another {name}")
    return arrays


def _sum(arrays: Mapping[str, np.ndarray]) -> str:
    """Returns a SHA-256 over the names, shapes, kinds and bytes of arrays."""
    parts = [f"{name} {sha256(arrays[name])}" for name in sorted(arrays)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
