"""One process a run folder: the system drops the lock of a process that is gone."""

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from research.errors import ConfigError, DataError

NAME = ".lock"


@dataclass(frozen=True)
class Taken:
    """A run folder that this process holds.

    note: a sentence where a process that held it is gone, killed or crashed; else None.
    check: raises DataError where the folder was removed meanwhile, or is another's now.
    """

    note: str | None
    check: Callable[[], None]


@contextlib.contextmanager
def locked(root: Path) -> Iterator[Taken]:
    """Holds a run folder for this process, and makes it where there is none.

    Raises:
      ConfigError: another process holds it, or it is no folder.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = _taken(root)
    except (FileExistsError, NotADirectoryError):
        raise ConfigError(f"workdir={root}: must be a folder") from None
    except IsADirectoryError:
        raise DataError(f"{root / NAME}: is a folder, not a file; remove it") from None

    def check() -> None:
        if not _is_there(file, root / NAME):
            raise DataError(
                f"workdir={root}: was removed, or taken over, while this process "
                "trained; nothing more is written there"
            )

    with file:
        left = _holder(file)
        _write(file, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        note = f"took the folder over from {left}, which is gone" if left else None
        try:
            yield Taken(note, check)
        finally:
            if _is_there(file, root / NAME):
                (root / NAME).unlink(missing_ok=True)


def _taken(root: Path) -> BinaryIO:
    """Returns the lock's file, locked.

    A process that leaves removes the file. Whoever opened it before locks a file that
    nobody else will find, and has to begin again.
    """
    while True:
        file = (root / NAME).open("a+b")
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


def _is_there(file: BinaryIO, path: Path) -> bool:
    """Tells whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _holder(file: BinaryIO) -> str:
    """Returns who wrote the file: `process 12 on host`, or nothing."""
    file.seek(0)
    text = file.read(1000)
    try:
        told = json.loads(text)
        pid, host = int(told["pid"]), str(told["host"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "another process" if text else ""
    return f"process {pid} on {host}" if host.isprintable() else "another process"


def _write(file: BinaryIO, text: str) -> None:
    """Writes past the file's buffer, which would be written again when it is closed."""
    file.seek(0)
    file.truncate()
    try:
        os.write(file.fileno(), text.encode())
    except OSError as error:
        error.filename = file.name
        raise
