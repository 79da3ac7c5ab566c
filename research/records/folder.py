"""The run folder: where everything lies, and writing that is whole or not at all."""

import csv
import io
import itertools
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from research.errors import ConfigError, DataError
from research.own_code import reason

# Characters that steer a terminal, as they stand in JSON; text has no use for them.
_CONTROL = re.compile(rb"\\u00(?:0[0-8bcef]|1|7[fF]|[89])|\x7f|\xc2[\x80-\x9f]")


@dataclass(frozen=True)
class RunFolder:
    """The paths of a run."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config.json"

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def log(self) -> Path:
        return self.root / "log.txt"

    @property
    def tensorboard(self) -> Path:
        return self.root / "tensorboard"

    @property
    def per_seed(self) -> Path:
        return self.root / "results/per_seed.csv"

    @property
    def curves(self) -> Path:
        return self.root / "results/curves.npz"

    @property
    def summary(self) -> Path:
        return self.root / "results/summary.json"

    @property
    def ledger(self) -> Path:
        return self.root / "results/ledger.json"

    def ledger_of(self, process: int) -> Path:
        """Where one of several processes writes, until process 0 takes it over."""
        if process == 0:
            return self.ledger
        return self.ledger.with_name(f"ledger-{process}.json")

    def log_of(self, process: int) -> Path:
        """Where one of several processes logs."""
        return self.log if process == 0 else self.root / f"log-{process}.txt"

    @property
    def sums(self) -> Path:
        return self.root / "results/sha256.json"

    @property
    def test_correct(self) -> Path:
        return self.root / "results/test_correct.npz"

    @property
    def finished_lanes(self) -> Path:
        return self.root / "checkpoints/finished"

    @property
    def underway(self) -> Path:
        return self.root / "checkpoints/underway"

    @property
    def figures(self) -> Path:
        return self.root / "results/figures.npz"


def new_folder(parent: Path, stem: str) -> Path:
    """Makes and returns `parent/<stem>-<n>` with the first free n.

    mkdir itself tells whether n is free, so that two runs can race.

    Raises:
      ConfigError: the parent is no folder, or cannot be written.
    """
    for n in itertools.count(1):
        folder = parent / f"{stem}-{n}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if parent.is_dir():
                continue
            raise ConfigError(
                f"{parent}: must be a folder; or give --workdir"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"{folder}: cannot be made, {error.strerror}; or give --workdir"
            ) from None
        return folder
    raise AssertionError("unreachable")


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file beside its place and moves it there, so that no half is ever seen."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        error.filename = str(path)  # and not the file beside it
        raise


def is_unfinished(path: Path) -> bool:
    """Tells whether a file lies beside its place, left there by a process that is gone."""
    return re.fullmatch(r"\..+\.\d+", path.name) is not None


def remove_unfinished(root: Path) -> None:
    """Removes the files that a process which was killed did not finish writing."""
    for path in filter(is_unfinished, root.rglob(".*")):
        if path.is_file():
            path.unlink(missing_ok=True)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a mapping; a NaN or an infinity in it is an error, not invalid JSON."""
    write_bytes(path, json_bytes(content))


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Returns a mapping as the bytes of a JSON file."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def read_mapping(path: Path) -> dict[str, Any]:
    """Reads a JSON object from a file that anybody may have touched.

    Raises:
      DataError: it is missing, unreadable or no JSON object.
    """
    try:
        content = path.read_bytes()
        value = json.loads(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be read, {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: is damaged, {error}") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}: is damaged, it holds no JSON object")
    if _CONTROL.search(content):
        raise DataError(f"{path}: is damaged, it holds control characters")
    return value


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Reads a .npz that anybody may have touched; its own checksums are compared.

    Raises:
      DataError: it is missing, unreadable, damaged or no .npz.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    # Damage shows in many ways: in the archive, the compression, or an array's header.
    except Exception as error:
        raise DataError(f"{path}: is damaged, {reason(error)}") from None


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes named arrays as one compressed .npz."""
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_bytes(path, content.getvalue())


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence]) -> None:
    """Writes a CSV file; floats in the fewest digits that give them back."""
    content = io.StringIO(newline="")
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_bytes(path, content.getvalue().encode())
