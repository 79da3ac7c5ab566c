"""One process a run folder: the system drops the lock of a process that is gone."""

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from research.errors import ConfigError

NAME = ".lock"


@contextlib.contextmanager
def locked(root: Path) -> Iterator[str | None]:
    """Holds a run folder for this process, and makes it where there is none.

    Yields:
      A sentence where a process that held it is gone, killed or crashed; else None.

    Raises:
      ConfigError: another process holds it, or it is no folder.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = _taken(root)
    except (FileExistsError, NotADirectoryError):
        raise ConfigError(f"workdir={root}: must be a folder") from None
    with file:
        left = _holder(file)
        _write(file, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        try:
            yield f"took the folder over from {left}, which is gone" if left else None
        finally:
            (root / NAME).unlink(missing_ok=True)


def _taken(root: Path) -> IO[str]:
    """Returns the lock's file, locked.

    A process that leaves removes the file. Whoever opened it before locks a file that
    nobody else will find, and has to begin again.
    """
    while True:
        file = (root / NAME).open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            with file:
                raise ConfigError(
                    f"workdir={root}: is in use by {_holder(file)}; wait for it, or name "
                    "another folder"
                ) from None
        if _is_there(file, root / NAME):
            return file
        file.close()


def _is_there(file: IO[str], path: Path) -> bool:
    """Tells whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _holder(file: IO[str]) -> str:
    """Returns who wrote the file: `process 12 on host`, or nothing."""
    file.seek(0)
    text = file.read()
    try:
        told = json.loads(text)
        return f"process {told['pid']} on {told['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process" if text else ""


def _write(file: IO[str], text: str) -> None:
    """Writes past the file's buffer, which would be written again when it is closed."""
    file.seek(0)
    file.truncate()
    try:
        os.write(file.fileno(), text.encode())
    except OSError as error:
        error.filename = file.name
        raise
