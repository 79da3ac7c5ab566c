"""Checkpoints of a block of lanes: written whole, checked before they are restored.

```
<block>/<epoch>/arrays       by Orbax, which would restore a flipped bit in silence
<block>/<epoch>/shapes.json  of every array: what Orbax is to restore
<block>/<epoch>/sha256.json  of every file, and whose lanes these are; written last
```
"""

import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from research.errors import DataError
from research.records.folder import read_mapping, write_json

KEPT = 2
BESIDE = 8 * 1024
_ARRAYS, _SHAPES, _SUMS = "arrays", "shapes.json", "sha256.json"


def write_checkpoint(
    block: Path, epoch: int, arrays: Mapping[str, np.ndarray], *, of: Mapping[str, Any]
) -> None:
    """Writes a checkpoint, whole or not at all, and leaves the last two.

    Args:
      of: whose lanes these are, which reading them must say again.
    """
    path = block / str(epoch)
    remove_checkpoint(path)
    path.mkdir(parents=True)
    _check_room(path, arrays)
    with _orbax() as (ocp, checkpointer):
        filled = {name: array for name, array in arrays.items() if array.size}
        checkpointer.save(path.absolute() / _ARRAYS, ocp.args.PyTreeSave(filled))
    shapes = {name: [str(x.dtype), list(x.shape)] for name, x in arrays.items()}
    write_json(path / _SHAPES, shapes)
    write_json(path / _SUMS, {"of": dict(of), "files": _sums(path)})
    for old in checkpoints(block)[KEPT:]:
        remove_checkpoint(old)


def _check_room(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Asks for the room of a checkpoint: where there is none, Orbax's threads print
    hundreds of lines.

    Raises:
      OSError: the disk is full, or takes no file as large.
    """
    # Beside its bytes an array has a file of its own, and what describes it.
    room = sum(array.nbytes for array in arrays.values()) + BESIDE * (1 + len(arrays))
    with tempfile.TemporaryFile(dir=folder) as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, room)


def checkpoints(block: Path) -> list[Path]:
    """Returns a block's checkpoints, the newest first; those half written do not count."""
    found = [path.parent for path in block.glob(f"*/{_SUMS}")]
    named = [path for path in found if path.name.isdecimal()]
    return sorted(named, key=lambda path: int(path.name), reverse=True)


def belongs_to(path: Path) -> dict[str, Any]:
    """Returns whose lanes a checkpoint says that it holds.

    Raises:
      DataError: it is damaged.
    """
    of = read_mapping(path / _SUMS).get("of")
    if not isinstance(of, dict):
        raise DataError(f"{path}: is damaged, it does not say whose lanes it holds")
    return of


def read_checkpoint(path: Path, *, of: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Reads a checkpoint of these lanes; every file's hash is compared first.

    Raises:
      DataError: it is damaged, or of other lanes, another config or other versions.
    """
    there = belongs_to(path)
    for name, value in of.items():
        if there.get(name) != value:
            other = "another" if isinstance(value, str) else "other"
            raise DataError(f"{path}: is of {other} {name}")
    _check_sums(path)
    shapes = read_mapping(path / _SHAPES)
    try:
        return _restore(path / _ARRAYS, shapes)
    except Exception as error:
        # Whatever Orbax meets in files whose hashes agree, training can begin anew.
        raise DataError(f"{path}: cannot be restored, {error}") from None


def remove_checkpoint(path: Path) -> None:
    """Removes a checkpoint: what is half removed is no checkpoint any more."""
    with contextlib.suppress(FileNotFoundError, IsADirectoryError):
        (path / _SUMS).unlink()
    shutil.rmtree(path, ignore_errors=True)


def remove_checkpoints(block: Path) -> None:
    """Removes all of a block's checkpoints, half written ones too."""
    for path in checkpoints(block):
        remove_checkpoint(path)
    shutil.rmtree(block, ignore_errors=True)


def _sums(path: Path) -> dict[str, str]:
    """Returns the SHA-256 of every file below a checkpoint but their list."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {
        file.relative_to(path).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file != path / _SUMS
    }


def _check_sums(path: Path) -> None:
    there, now = read_mapping(path / _SUMS).get("files"), _sums(path)
    if not isinstance(there, dict):
        raise DataError(f"{path}: is damaged, it holds no SHA-256 of its files")
    for name in sorted(there.keys() | now.keys()):
        if there.get(name) != now.get(name):
            raise DataError(f"{path}: is damaged, {name} is not what was written")


def _restore(path: Path, shapes: Mapping[str, Any]) -> dict[str, np.ndarray]:
    like = {name: np.empty(shape, dtype) for name, (dtype, shape) in shapes.items()}
    filled = {name: array for name, array in like.items() if array.size}
    with _orbax() as (ocp, checkpointer):
        kinds = ocp.checkpoint_utils.construct_restore_args(filled)
        found = checkpointer.restore(
            path.absolute(), ocp.args.PyTreeRestore(filled, restore_args=kinds)
        )
    return {**like, **{name: np.asarray(array) for name, array in found.items()}}


@contextlib.contextmanager
def _orbax() -> Iterator[tuple[Any, Any]]:
    """Yields Orbax and a checkpointer; it takes half a second to import, and logs much.

    What goes wrong is raised, too, so that nothing of it need be printed.
    """
    loggers = [logging.getLogger(name) for name in ("absl", "asyncio")]
    before = [logger.level for logger in loggers]
    try:
        import orbax.checkpoint as ocp

        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        with ocp.Checkpointer(ocp.PyTreeCheckpointHandler()) as checkpointer:
            yield ocp, checkpointer
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
