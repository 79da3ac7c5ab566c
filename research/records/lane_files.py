"""Finished lanes on disk, block by block: what a run goes on from and is joined of."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from research.errors import DataError
from research.records.folder import RunFolder, write_arrays

_NAME = re.compile(r"\d+-\d+\.npz")


def write_lanes(folder: RunFolder, arm: str, arrays: Mapping[str, np.ndarray]) -> Path:
    """Writes a block of an arm's lanes, whole or not at all; returns its file."""
    seeds = arrays["seeds"]
    name = f"{seeds[0]}-{seeds[-1]}.npz"
    named = {**arrays, "arm": np.asarray(arm)}
    path = folder.finished_lanes / arm / name
    write_arrays(path, named)
    return path


def lane_files(folder: RunFolder, arm: str) -> list[Path]:
    """Returns the files of an arm's finished lanes, in the order of their seeds."""
    found = (folder.finished_lanes / arm).glob("*.npz")
    files = [path for path in found if _NAME.fullmatch(path.name) and path.is_file()]
    return sorted(files, key=lambda path: int(path.name.partition("-")[0]))


def read_lanes(path: Path) -> dict[str, np.ndarray]:
    """Reads a block of lanes; the file's own checksums are compared.

    Raises:
      DataError: it is damaged, or holds no lanes.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(_each(file))
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: is damaged, {error}") from None
    if "seeds" not in arrays:
        raise DataError(f"{path}: is damaged, it holds no seeds")
    if str(arrays.pop("arm", "")) != path.parent.name:
        raise DataError(f"{path}: holds lanes of another arm")
    return arrays


def _each(file: Mapping[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    for name in file:
        yield name, file[name]
