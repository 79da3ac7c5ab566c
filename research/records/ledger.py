"""The ledger: which lanes' test scores were computed, when, by which attempt.

Beside these openings it holds the looks of a sequential plan, and what was changed in
a run after its start.
"""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from research.errors import DataError
from research.records.folder import read_mapping, write_json
from research.settings import shown

# What each entry must hold for the next one to be written, and for a report.
_KINDS: dict[str, dict[str, type]] = {
    "openings": {"arm": str, "learning_rate": float, "seeds": list, "attempt": int},
    "looks": {"seeds": int, "margin": float, "decided": dict},
    "changes": {"field": str, "verdict_seen": bool},
}
# And of a change of what runs are judged by, which is told in figures.
_NUMBERS: dict[str, type] = {"from": float, "to": float}

LEDGER = "ledger.json"


def record_opening(
    path: Path, *, arm: str, learning_rate: float, seeds: Sequence[int]
) -> None:
    """Writes that these lanes' test scores are about to be computed.

    Written before they are, so that a crash in between shows. A lane that stands in the
    ledger already is written again with the next attempt number. One of several
    processes writes into a file of its own beside the ledger.
    """
    ledger = read_ledger(path)
    known = ledger["openings"]
    if path.name != LEDGER:
        known = known + read_ledger(path.with_name(LEDGER))["openings"]
    before = [
        opening["attempt"]
        for opening in known
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
            "time": _now(),
        }
    )
    write_json(path, ledger)


# What stands for the field of a config where it was the ledger that changed.
LOST = "results/ledger.json"


def record_look(
    path: Path, *, seeds: int, margin: float, decided: Mapping[str, str | None]
) -> None:
    """Writes that the scores of so many seeds an arm were judged, and what was decided.

    A look that was taken before an interruption is not written again.
    """
    ledger = read_ledger(path)
    known = [(look["seeds"], look["margin"]) for look in ledger["looks"]]
    if (seeds, margin) not in known:
        look = {"seeds": seeds, "margin": margin, "decided": dict(decided)}
        look["time"] = _now()
        ledger["looks"].append(look)
        write_json(path, ledger)


def record_change(
    path: Path, *, field: str, there: Any, now: Any, verdict_seen: bool
) -> None:
    """Writes that a field of the config was changed in a run that had started.

    One that was written before a kill, and did not come into the config, is not written
    again.
    """
    ledger = read_ledger(path)
    before = [change for change in ledger["changes"] if change["field"] == field]
    if before and (before[-1].get("from"), before[-1].get("to")) == (there, now):
        return
    ledger["changes"].append(
        {
            "field": field,
            "from": there,
            "to": now,
            "verdict_seen": verdict_seen,
            "time": _now(),
        }
    )
    write_json(path, ledger)


def record_loss(path: Path) -> None:
    """Writes that a run which has scored lanes goes on without the ledger it wrote."""
    record_change(path, field=LOST, there="written", now="gone", verdict_seen=True)


def take_over(path: Path) -> None:
    """Moves what other processes wrote, in `ledger-<n>.json` beside it, into the ledger."""
    for part in sorted(path.parent.glob(f"{path.stem}-*.json")):
        ledger = read_ledger(path)
        known = ledger["openings"]
        known += [each for each in read_ledger(part)["openings"] if each not in known]
        write_json(path, ledger)
        part.unlink()


def read_ledger(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Returns the ledger; an empty one where nothing was written yet."""
    empty: dict[str, list] = {"openings": [], "looks": [], "changes": []}
    told = {**empty, **(read_mapping(path) if path.is_file() else {})}
    for name in empty:
        rows = told[name]
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise DataError(f"{path}: is damaged, its {name} are no list of entries")
        for place, row in enumerate(rows):
            judged = str(row.get("field")).startswith(("seeds", "analysis."))
            kinds = {**_KINDS[name], **(_NUMBERS if judged else {})}
            for key, kind in kinds.items():
                if not _is(row.get(key), kind):
                    raise DataError(
                        f"{path}: is damaged, {key} of {name}[{place}] is "
                        f"{shown(row.get(key))}"
                    )
            if name == "changes" and not {"from", "to"} <= row.keys():
                raise DataError(
                    f"{path}: is damaged, {name}[{place}] has no from or to"
                )
    return told


def _is(value: Any, kind: type) -> bool:
    """Tells whether a value is of a kind; a list is one of whole numbers here."""
    if kind is list:
        return isinstance(value, list) and all(_is(each, int) for each in value)
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
