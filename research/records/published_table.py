"""A published table of means and standard deviations, from a CSV file."""

from dataclasses import dataclass
from pathlib import Path

from research.errors import DataError
from research.records.csv_file import (
    CsvFile,
    check_name,
    missing_columns,
    number,
    read_csv,
    shown_name,
)
from research.settings import shown

COLUMNS = ("name", "mean", "std", "n")
MOST_RUNS = 10**9
SMALLEST_STD = 1e-100  # below it an effect size overflows


@dataclass(frozen=True)
class PublishedRow:
    """One row: the mean and the standard deviation of n runs."""

    name: str
    mean: float
    std: float
    n: int


def read_table(path: Path) -> tuple[PublishedRow, ...]:
    """Reads the columns `name,mean,std,n`; two or more rows.

    Raises:
      DataError: what cannot be judged, named by row and column.
      OSError: the file cannot be read.
    """
    read = read_csv(path)
    header = tuple(name.lower() for name in read.header)
    file = CsvFile(read.name, header, read.rows)
    refusal = missing_columns(file, COLUMNS)
    if refusal:
        raise refusal
    foreign = [name for name in header if name not in COLUMNS or header.count(name) > 1]
    if foreign:
        raise DataError(
            f"{path}: column {shown_name(foreign[0])}: is not known; the columns are "
            f"{', '.join(COLUMNS)}"
        )
    rows: dict[str, PublishedRow] = {}
    for line, cells in file.rows:
        row = _row(file, line, dict(zip(header, cells, strict=True)))
        if row.name in rows:
            raise file.refusal(line, "name", f"{shown(row.name)} stands there twice")
        rows[row.name] = row
    if len(rows) < 2:
        raise DataError(f"{path}: holds one row, and a comparison takes two")
    return tuple(rows.values())


def _row(file: CsvFile, line: int, cells: dict[str, str]) -> PublishedRow:
    if not cells["name"]:
        raise file.refusal(line, "name", "is empty; it must be a name")
    check_name(f"{file.name}: row {line}, column name", cells["name"])
    mean, std, n = (number(file, line, name, cells[name]) for name in COLUMNS[1:])
    if std < SMALLEST_STD:
        raise file.refusal(
            line, "std", f"{shown(cells['std'])} must be above 0: no p follows from it"
        )
    if not n.is_integer() or not 2 <= n <= MOST_RUNS:
        raise file.refusal(
            line, "n", f"{shown(cells['n'])} must be a whole number of runs, 2 or more"
        )
    return PublishedRow(cells["name"], mean, std, int(n))
