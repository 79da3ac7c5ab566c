"""Scores of anybody's runs, from a CSV file: one row a run, or one column an arm."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float64

from research.errors import DataError
from research.records.csv_file import (
    CsvFile,
    check_name,
    missing_columns,
    number,
    read_csv,
    shown_name,
)

ARM, SEED, SCORE = "arm", "seed", "score"
FEWEST = 2  # runs of an arm


@dataclass(frozen=True)
class ArmScores:
    """One arm's runs in the order of the file.

    seeds: their ids as text, `7` for 7 and 7.0; None where the file has no seeds.
    rows: the lines of the file that they stand in.
    """

    scores: Float64[np.ndarray, "runs"]
    seeds: tuple[str, ...] | None
    rows: tuple[int, ...]


def read_scores(path: Path) -> dict[str, ArmScores]:
    """Reads the arms of a file, in its order; two or more, of two or more runs each.

    Long: the columns `arm`, `score` and, where known, `seed`. Wide: one column an arm,
    and `seed` where known.

    Raises:
      DataError: what cannot be judged, named by row and column.
      OSError: the file cannot be read.
    """
    file = read_csv(path)
    lowered = tuple(name.lower() for name in file.header)
    special = [n for n in (ARM, SEED, SCORE) if lowered.count(n) == 1]
    header = tuple(
        low if low in special else name
        for low, name in zip(lowered, file.header, strict=True)
    )
    file = CsvFile(file.name, header, file.rows)
    arms = _long(file) if ARM in header else _wide(file)
    _check_enough(file, arms)
    return arms


def _long(file: CsvFile) -> dict[str, ArmScores]:
    refusal = missing_columns(file, (ARM, SCORE))
    if refusal:
        raise refusal
    foreign = [name for name in file.header if name not in (ARM, SEED, SCORE)]
    if foreign:
        raise DataError(
            f"{file.name}: column {shown_name(foreign[0])}: is not known; beside arm, "
            "seed and score there must be none, for one row is one run"
        )
    places = {name: place for place, name in enumerate(file.header)}
    found: dict[str, list[tuple[int, str, float]]] = {}
    for row, cells in file.rows:
        arm = cells[places[ARM]]
        if not arm:
            raise file.refusal(row, ARM, "is empty; it must be a name")
        if arm not in found:
            check_name(f"{file.name}: row {row}, column {ARM}", arm)
        seed = _seed(file, row, cells[places[SEED]]) if SEED in places else ""
        score = number(file, row, SCORE, cells[places[SCORE]])
        found.setdefault(arm, []).append((row, seed, score))
    return {arm: _arm(file, arm, runs, SEED in places) for arm, runs in found.items()}


def _wide(file: CsvFile) -> dict[str, ArmScores]:
    places = {name: place for place, name in enumerate(file.header) if name != SEED}
    place = file.header.index(SEED) if SEED in file.header else None
    found: dict[str, list[tuple[int, str, float]]] = {arm: [] for arm in places}
    ended: dict[str, int] = {}
    for row, cells in file.rows:
        seed = "" if place is None else _seed(file, row, cells[place])
        for arm, column in places.items():
            text = cells[column]
            if not text:
                ended.setdefault(arm, row)
                continue
            if place is None and arm in ended:
                raise file.refusal(ended[arm], arm, "is empty, and scores follow below")
            found[arm].append((row, seed, number(file, row, arm, text)))
    return {
        arm: _arm(file, arm, runs, place is not None) for arm, runs in found.items()
    }


def _seed(file: CsvFile, row: int, text: str) -> str:
    """Returns a seed id; whole numbers are told by their value."""
    if not text:
        raise file.refusal(
            row, SEED, "is empty; give each run its seed, or none a seed"
        )
    try:
        value = float(text)
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else text
    except ValueError:
        return text


def _arm(
    file: CsvFile, arm: str, runs: list[tuple[int, str, float]], seeded: bool
) -> ArmScores:
    seen: dict[str, int] = {}
    for row, seed, _ in runs:
        if seeded and seed in seen:
            raise file.refusal(
                row,
                SEED,
                f"{shown_name(arm)} has seed {shown_name(seed)} in row {seen[seed]} "
                "already",
            )
        seen[seed] = row
    return ArmScores(
        scores=np.array([score for _, _, score in runs], dtype=np.float64),
        seeds=tuple(seed for _, seed, _ in runs) if seeded else None,
        rows=tuple(row for row, _, _ in runs),
    )


def _check_enough(file: CsvFile, arms: dict[str, ArmScores]) -> None:
    if len(arms) < 2:
        names = ", ".join(map(shown_name, arms)) or "none"
        raise DataError(
            f"{file.name}: row 1: holds one arm ({names}), and a comparison takes two"
            if arms
            else f"{file.name}: row 1: holds no arm"
        )
    for arm, runs in arms.items():
        if len(runs.rows) < FEWEST:
            where = f" (row {runs.rows[0]})" if runs.rows else ""
            count = "1 run" if runs.rows else "no runs"
            raise DataError(
                f"{file.name}: column {shown_name(arm)}: {count}{where} is too few; "
                f"{FEWEST} are needed to tell anything, and 6 for a verdict"
            )


def check_pairs(path: Path, arms: dict[str, ArmScores], reference: str) -> None:
    """Refuses seeds that an arm and the reference share only in part.

    Raises:
      DataError: the first seed that one of them lacks, by its row.
    """
    base = arms[reference]
    for arm, runs in arms.items():
        if runs.seeds is None or base.seeds is None:
            continue
        mine, theirs = set(runs.seeds), set(base.seeds)
        if mine == theirs or not mine & theirs:
            continue
        has, lacks = (arm, reference) if mine - theirs else (reference, arm)
        missing = (mine - theirs) or (theirs - mine)
        holder = arms[has]
        assert holder.seeds is not None
        row, seed = next(
            (row, seed)
            for row, seed in zip(holder.rows, holder.seeds, strict=True)
            if seed in missing
        )
        count = len(mine ^ theirs)
        raise DataError(
            f"{path}: row {row}: {shown_name(has)} has seed {shown_name(seed)}, arm "
            f"{shown_name(lacks)} has none: "
            f"{'1 seed lacks its' if count == 1 else f'{count} seeds lack their'} pair; "
            "add or remove them, or leave the seeds out to compare unpaired"
        )
