"""Variance of the mean of a table whose rows and columns were both drawn."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int

from research.statistics.paired import cleared


@dataclass(frozen=True)
class TwoWay:
    """Variances of the mean of y[r, c] = μ + row + column + interaction.

    `rows` is the variance with the columns held and new rows drawn, `columns` the other
    way round; the interaction, of which `interaction` is the part in the mean, is in
    both. `resampled` is what a bootstrap of both finds (see `two_way`).
    """

    rows: float
    columns: float
    interaction: float
    resampled: float

    @property
    def row_part(self) -> float:
        """Variance that the rows alone add to the mean: σ²(row)/R."""
        return _variance(self.rows - self.interaction, self.rows)

    @property
    def column_part(self) -> float:
        """Variance that the columns alone add to the mean: σ²(column)/C."""
        return _variance(self.columns - self.interaction, self.columns)

    @property
    def both(self) -> float:
        """Variance of the mean with new rows and new columns."""
        return self.row_part + self.column_part + self.interaction


@dataclass(frozen=True)
class Table:
    """A centred table's cells, row by row, and the column that each belongs to.

    columns: None where every row has a cell of each column, in their order.
    """

    cells: Float64[np.ndarray, "rows cells_a_row"]
    columns: Int[np.ndarray, "rows cells_a_row"] | None
    uses: Int[np.ndarray, "columns"]

    @property
    def row_means(self) -> Float64[np.ndarray, "rows"]:
        """Mean of each row."""
        return self.cells.mean(axis=1)

    @property
    def column_sums(self) -> Float64[np.ndarray, "columns"]:
        """Sum of each column over the rows that have it."""
        if self.columns is None:
            return self.cells.sum(axis=0)
        return np.bincount(self.columns.ravel(), weights=self.cells.ravel())


def two_way(table: Table) -> TwoWay:
    """Unbiased variances of the mean by the method of moments, two rows at least.

    The squares within rows, within columns and over all N cells have expectations that
    are linear in the three variances (Gao and Owen 2017, "Efficient moment calculations
    for variance components in large unbalanced crossed random effects models", EJS 11);
    in a full table that is the analysis of variance. Where no column is in two rows,
    column and interaction are one, and count as column.

    A bootstrap of rows times columns has the variance ΣR²/N² + ΣC²/N² + Σ(residual)²/N²
    in closed form, R and C being the sums of rows and columns. It expects the
    interaction three times (Owen 2007, "The pigeonhole bootstrap", AOAS 1).
    """
    cells, uses = table.cells, table.uses.astype(np.float64)
    rows, columns, n = len(cells), len(uses), cells.size
    squares = float(np.sum(cells**2))
    of_rows = float(np.sum(cells.sum(axis=1) ** 2))
    of_columns = table.column_sums**2
    within_rows = (squares - of_rows * rows / n) / (n - rows)
    overlap = float(np.sum(uses**2)) / n**2
    if n == columns:
        column, interaction = within_rows, 0.0
        row = (squares / n - column * (1 - 1 / n)) / (1 - 1 / rows)
    else:
        within_columns = (squares - float(np.sum(of_columns / uses))) / (n - columns)
        both_within = within_columns * (1 - 1 / rows) + within_rows * (1 - overlap)
        unshared = 1 - 1 / rows - overlap + 1 / n
        interaction = max(0.0, both_within - squares / n) / unshared
        row, column = within_columns - interaction, within_rows - interaction
    size = squares / n
    residual = squares - of_rows / columns - float(np.sum(of_columns)) / rows
    return TwoWay(
        rows=_variance(row / rows + interaction / n, size / rows),
        columns=_variance(column * overlap + interaction / n, size * overlap),
        interaction=_variance(interaction / n, size / n),
        resampled=_variance((of_rows + np.sum(of_columns) + residual) / n**2, size / n),
    )


def _variance(value: float, size: float) -> float:
    """The estimate, 0 where it is negative or rounding of numbers of this size."""
    return max(0.0, cleared(float(value), size=size) or 0.0)
