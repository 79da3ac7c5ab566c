"""CSV files of the user's own: rows with their numbers, and cells as numbers."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

from research.errors import DataError
from research.settings import near, shown

LARGEST = 1e100  # beyond it sums of squares overflow


@dataclass(frozen=True)
class CsvFile:
    """The header and the rows of a file, as text without blanks around it.

    rows: pairs of the line's number in the file, 1 the header, and its cells.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    def refusal(self, row: int, column: str, words: str) -> DataError:
        """Returns the refusal of a cell."""
        return DataError(
            f"{self.name}: row {row}, column {shown_name(column)}: {words}"
        )


def shown_name(name: str) -> str:
    """Returns a name of the user's as a message shows it: `gelu`, cut where long."""
    return shown(name)[1:-1]


def read_csv(path: Path) -> CsvFile:
    """Reads a UTF-8 file whose cells are divided by commas; empty rows are left out.

    Raises:
      DataError: no UTF-8, no row, columns without a name or with one twice, or rows of
        another length than the header.
      OSError: the file cannot be read.
    """
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    lines: list[tuple[int, tuple[str, ...]]] = []
    try:
        for cells in reader:
            stripped = tuple(cell.strip() for cell in cells)
            if any(stripped):
                lines.append((reader.line_num, stripped))
    except csv.Error as error:
        raise DataError(f"{path}: row {reader.line_num}: {error}") from None
    if not lines:
        raise DataError(f"{path}: is empty")
    (number, header), *rows = lines
    _check_header(path, number, header)
    if not rows:
        raise DataError(f"{path}: holds a header and no rows")
    for number, cells in rows:
        if len(cells) != len(header):
            raise DataError(
                f"{path}: row {number}: has {len(cells)} cells, the header "
                f"{len(header)}"
            )
    return CsvFile(str(path), header, tuple(rows))


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: row {row}: is not UTF-8, byte {content[error.start]:#04x}; "
            "save the file as UTF-8"
        ) from None
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{path}: row {row}: holds a zero byte; this is no text file")
    return text


def _check_header(path: Path, number: int, header: tuple[str, ...]) -> None:
    for place, name in enumerate(header, start=1):
        where = f"{path}: row {number}, column {place}"
        if not name:
            raise DataError(f"{where}: has no name; the first row names the columns")
        if is_number(name):
            raise DataError(
                f"{where}: {shown(name)} is a number; the first row names the columns"
            )
        check_name(where, name)
        if header.index(name) < place - 1:
            raise DataError(f"{where}: {shown(name)} names two columns")


def check_name(where: str, name: str) -> None:
    """Refuses a name that no table could show.

    Raises:
      DataError: it has more than 60 characters or some that cannot be printed.
    """
    if len(name) > 60 or not name.isprintable():
        raise DataError(
            f"{where}: {shown(name)} must be a name of at most 60 printable characters"
        )


def is_number(text: str) -> bool:
    """Tells whether a text is a number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def number(file: CsvFile, row: int, column: str, text: str) -> float:
    """Returns the number of a cell.

    Raises:
      DataError: it is empty, a word, not finite, or beyond 1e100.
    """
    if not text:
        raise file.refusal(row, column, "is empty; it must be a number")
    if not is_number(text) or "_" in text:
        comma = "; write decimals with a point" if "," in text else ""
        raise file.refusal(row, column, f"{shown(text)} is not a number{comma}")
    value = float(text)
    if not math.isfinite(value):
        raise file.refusal(
            row, column, f"{shown(text)} is not finite; say what a failed run scored"
        )
    if abs(value) > LARGEST:
        raise file.refusal(row, column, f"{shown(text)} is beyond 1e100")
    return value


def missing_columns(file: CsvFile, names: tuple[str, ...]) -> DataError | None:
    """Returns the refusal of a file that lacks one of these columns, or None."""
    for name in names:
        if name not in file.header:
            return DataError(
                f"{file.name}: has no column {name}, its columns are "
                f"{', '.join(map(shown_name, file.header[:8]))}{near(name, file.header)}"
            )
    return None
