"""What is missing of a finished run, or damaged."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from research.errors import DataError
from research.records.folder import RunFolder, read_arrays, read_mapping
from research.records.ledger import read_ledger
from research.records.score_table import read_scores


def gaps(folder: RunFolder, summary: Mapping[str, Any]) -> list[str]:
    """Says of each file of a run that was trained that it is missing, or how damaged."""

    def scores(path: Path) -> None:
        found = read_scores(path, summary["primary_metric"])
        for arm, told in summary["arms"].items():
            rows = len(found.get(arm, ()))
            if rows != told["seeds"]:
                raise DataError(
                    f"{path}: is damaged, it has {rows} rows of {arm} and the summary "
                    f"{told['seeds']}"
                )

    readers: dict[Path, Callable[[Path], Any]] = {
        folder.config: read_mapping,
        folder.manifest: read_mapping,
        folder.ledger: read_ledger,
        folder.per_seed: scores,
        folder.curves: read_arrays,
        folder.test_correct: read_arrays,
        folder.figures: read_arrays,
    }
    return [
        told for path, read in readers.items() if (told := _fault(folder, path, read))
    ]


def _fault(folder: RunFolder, path: Path, read: Callable[[Path], Any]) -> str | None:
    if not path.is_file():
        return f"{path.relative_to(folder.root)} is missing"
    try:
        read(path)
    except DataError as error:
        return str(error)
    return None
