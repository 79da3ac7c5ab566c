"""The IDX format of the MNIST files, plain or gzipped.

Two zero bytes, the type of the numbers (8: bytes), the number of dimensions, each
dimension as a big-endian 32-bit number, then the numbers.
Y. LeCun, C. Cortes, C. J. C. Burges, The MNIST database of handwritten digits, 1998.
"""

import gzip
import math
import zlib
from pathlib import Path

import numpy as np

from research.errors import DataError
from research.tasks.files import read_bytes

BYTES = 8


def find_idx(folder: Path, published: str) -> Path:
    """Returns the file of a published name: with a dot before `idx` or gzipped as well.

    Raises:
      DataError: there is none.
    """
    names = [
        name + end
        for name in (published, published.replace("-idx", ".idx"))
        for end in ("", ".gz")
    ]
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"{folder}: has no file {' or '.join(names)}")


def read_idx(path: Path) -> np.ndarray:
    """Returns the array of bytes that an IDX file holds.

    Raises:
      DataError: no IDX file of bytes, or shorter or longer than it says.
    """
    content = _unpacked(path)
    zeros, kind, dimensions = content[:2], content[2:3], content[3:4]
    if zeros != b"\0\0" or kind != bytes([BYTES]) or dimensions not in (b"\1", b"\3"):
        raise DataError(
            f"{path}: starts with {content[:4].hex(' ') or 'nothing'}; an IDX file of "
            "images starts with 00 00 08 03, one of labels with 00 00 08 01"
        )
    head = 4 + 4 * dimensions[0]
    sizes = tuple(
        int.from_bytes(content[start : start + 4], "big") for start in range(4, head, 4)
    )
    wanted = head + math.prod(sizes)
    if len(content) != wanted:
        raise DataError(
            f"{path}: has {len(content):,} bytes, but its head says {wanted:,}"
        )
    return np.frombuffer(content, np.uint8, offset=head).reshape(sizes)


def _unpacked(path: Path) -> bytes:
    content = read_bytes(path)
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{path}: cannot be unpacked, {error}") from None
