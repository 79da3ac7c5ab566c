"""The ledger: which lanes' test scores were computed, when, by which attempt."""

import datetime
from collections.abc import Sequence
from pathlib import Path

from research.records.folder import read_json, write_json


def record_opening(
    path: Path, *, arm: str, learning_rate: float, seeds: Sequence[int]
) -> None:
    """Writes that these lanes' test scores are about to be computed.

    Written before they are, so that a crash in between shows. A lane that stands in the
    ledger already is written again with the next attempt number.
    """
    ledger = read_json(path) if path.is_file() else {"openings": []}
    before = [
        opening["attempt"]
        for opening in ledger["openings"]
        if opening["arm"] == arm
        and opening["learning_rate"] == learning_rate
        and set(opening["seeds"]) & set(seeds)
    ]
    ledger["openings"].append(
        {
            "arm": arm,
            "learning_rate": learning_rate,
            "seeds": list(seeds),
            "attempt": 1 + max(before, default=0),
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        }
    )
    write_json(path, ledger)
