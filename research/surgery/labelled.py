"""Texts with a class each, from a CSV file of the user's own."""

from pathlib import Path

import numpy as np

from research.errors import DataError
from research.records.csv_file import check_name, missing_columns, read_csv
from research.surgery.text import FEWEST, Sentences
from research.tasks.text import sha256

TEXT, LABEL = "text", "label"
# Of which rows are taken where there are more than are asked for.
SEED = 0


def read_labelled(path: Path, *, most: int) -> Sentences:
    """Returns the columns text and label; labels are numbered in the order of names.

    Numbers are put in the order of numbers, so that 0 to 9 keep their own.

    Raises:
      DataError: a file that cannot be read, lacks a column or a cell, or has a single
        label, or fewer than ten rows.
    """
    file = read_csv(path)
    if refusal := missing_columns(file, (TEXT, LABEL)):
        raise refusal
    places = [file.header.index(name) for name in (TEXT, LABEL)]
    rows: dict[str, str] = {}
    for number, cells in file.rows:
        text, label = (cells[place] for place in places)
        for name, cell in ((TEXT, text), (LABEL, label)):
            if not cell:
                raise file.refusal(number, name, "is empty")
        check_name(f"{path}: row {number}, column {LABEL}", label)
        if rows.setdefault(text, label) != label:
            raise file.refusal(number, LABEL, "the same text has another label above")
    classes = _in_order(set(rows.values()))
    if len(classes) < 2:
        raise DataError(f"{path}: has a single label; two are needed")
    if len(rows) < FEWEST:
        raise DataError(
            f"{path}: has {len(rows)} different texts; at least {FEWEST} are needed"
        )
    # Drawn: even steps through a file whose labels take turns would leave some out.
    drawn = np.random.default_rng(SEED).permutation(len(rows))[:most]
    texts = tuple(list(rows)[place] for place in np.sort(drawn))
    digest = sha256("\n".join(f"{rows[text]},{text}" for text in texts))
    taken = "all" if len(texts) == len(rows) else f"{len(texts)} of the {len(rows):,}"
    return Sentences(
        texts=texts,
        labels=np.array([classes.index(rows[text]) for text in texts], np.int32),
        classes=classes,
        remarks=(
            f"the texts are {taken} different ones of {path}, sha256 {digest}, with "
            f"{len(classes)} labels",
        ),
        files=(path,),
    )


def _in_order(labels: set[str]) -> tuple[str, ...]:
    if all(label.isdecimal() for label in labels):
        return tuple(sorted(labels, key=lambda label: (int(label), label)))
    return tuple(sorted(labels))
