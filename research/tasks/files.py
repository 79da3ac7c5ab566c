"""Files and folders of the user's own: found, read, and refused in one line."""

from pathlib import Path

from research.errors import ConfigError, DataError
from research.settings import near


def existing(path: str) -> Path:
    """Returns the file or folder that `task.path` names.

    Raises:
      DataError: nothing is there.
    """
    found = Path(path).expanduser()
    if not found.exists():
        raise DataError(f"task.path={path}: does not exist{_neighbour(found)}")
    return found


def given_path(path: str | None, *, task: str, what: str) -> Path:
    """Returns the file or folder that `task.path` names, which the task needs.

    Args:
      what: it should be, such as `a folder of WAV files`.

    Raises:
      ConfigError: no path is given.
      DataError: nothing is there.
    """
    if path is None:
        raise ConfigError(f"task.path='': task.name={task} needs {what}")
    return existing(path)


def given_folder(path: str | None, *, task: str, what: str) -> Path:
    """Returns the folder that `task.path` names, which the task needs.

    Raises:
      ConfigError: no path is given.
      DataError: no folder is there.
    """
    folder = given_path(path, task=task, what=what)
    if not folder.is_dir():
        raise DataError(f"task.path={path}: must be {what}")
    return folder


def read_bytes(path: Path) -> bytes:
    """Returns what a file holds.

    Raises:
      DataError: the file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read, {error.strerror}") from None


def read_text(path: Path) -> str:
    """Returns the text of a UTF-8 file, its line ends as they are.

    Raises:
      DataError: the file cannot be read, is empty, or is not UTF-8.
    """
    content = read_bytes(path)
    if not content:
        raise DataError(f"{path}: is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: row {row}: is not UTF-8, byte {content[error.start]:#04x} at "
            f"{error.start}; save the file as UTF-8"
        ) from None


def _neighbour(path: Path) -> str:
    """Returns `; did you mean …?` for a file or folder beside it of a close name."""
    try:
        return near(path.name, [other.name for other in path.parent.iterdir()])
    except OSError:
        return ""
