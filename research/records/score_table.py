"""Reading per_seed.csv back: one metric of every arm."""

import csv
from pathlib import Path

import numpy as np
from jaxtyping import Float64

from research.errors import DataError


def read_scores(path: Path, metric: str) -> dict[str, Float64[np.ndarray, "seeds"]]:
    """Returns each arm's scores in the order of the table.

    Raises:
      DataError: the table cannot be read, or lacks the metric.
    """
    found: dict[str, list[float]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                found.setdefault(row["arm"], []).append(float(row[metric]))
    except OSError as error:
        raise DataError(f"{path}: cannot be read, {error.strerror}") from None
    except (KeyError, TypeError, ValueError, csv.Error):
        raise DataError(f"{path}: is damaged, or lacks {metric}") from None
    return {arm: np.array(scores) for arm, scores in found.items()}
