"""A run folder may have been made by anybody: nothing in it may lead out of it."""

import os
import stat
from pathlib import Path

from research.errors import DataError


def check_inside(root: Path) -> None:
    """Passes a folder of files, folders, and links that stay in it; it may be one itself.

    What follows a link out of the folder would read, write or remove what is not the
    run's; what opens a pipe would wait for ever.

    Raises:
      DataError: the first link that leads out or nowhere, or thing of another kind.
    """
    home = root.resolve()
    for place, folders, files in os.walk(root):
        for name in sorted(folders + files):
            path = Path(place, name)
            if path.is_symlink():
                _check_link(path, home)
            elif _is_special(path):
                raise DataError(f"{path}: is no file but a pipe or device; remove it")


def _check_link(path: Path, home: Path) -> None:
    try:
        inside = path.resolve().is_relative_to(home)
    except (OSError, RuntimeError):  # Python 3.11 raises the latter
        raise DataError(
            f"{path}: is a link that leads in a circle; remove it"
        ) from None
    if not inside:
        raise DataError(
            f"{path}: is a link that leads out of the run folder, to "
            f"{os.readlink(path)}; put in its place what it names, or remove it"
        )


def _is_special(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:  # removed meanwhile
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
