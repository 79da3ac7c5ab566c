"""A run folder may have been made by anybody: nothing in it may lead out of it."""

import os
from pathlib import Path

from research.errors import DataError


def check_inside(root: Path) -> None:
    """Passes a folder whose links, if there are any, stay in it; it may be one itself.

    What follows a link out of the folder would read, write or remove what is not the
    run's.

    Raises:
      DataError: the first link that leads out.
    """
    home = root.resolve()
    for place, folders, files in os.walk(root):
        for name in sorted(folders + files):
            path = Path(place, name)
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                raise DataError(
                    f"{path}: is a link that leads out of the run folder, to "
                    f"{os.readlink(path)}; put in its place what it names, or remove it"
                )
