"""Named arrays of one .npz file of the user's own."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from research.errors import DataError
from research.own_code import reason


def read_npz(
    path: Path, needed: Sequence[str], *, optional: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """Returns the arrays of these names.

    Raises:
      DataError: the file cannot be read, or lacks a needed array.
    """
    if not zipfile.is_zipfile(path):
        raise DataError(f"{path}: is no .npz file")
    try:
        with np.load(path, allow_pickle=False) as archive:
            held = archive.files
            wanted = [name for name in (*needed, *optional) if name in held]
            arrays = {name: archive[name] for name in wanted}
    # A damaged archive raises whatever the library in which it fails raises.
    except Exception as error:
        raise DataError(f"{path}: cannot be read as .npz, {reason(error)}") from None
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise DataError(
            f"{path}: has no array {missing[0]}; it must hold {', '.join(needed)}, not "
            f"{', '.join(held) or 'nothing'}"
        )
    return arrays
