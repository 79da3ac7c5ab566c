"""summary.json of a published table, checked."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from research.statistics.power import SMALLEST_N
from research.statistics.score_summary import SCHEMA
from research.statistics.table import Claim, Row, judge_table


def summarise_table(
    rows: Sequence[Row],
    *,
    title: str,
    reference: str,
    higher_is_better: bool,
    confidence: float,
) -> dict[str, Any]:
    """Judge the table and return the mapping of summary.json, without `total_seconds`.

    Raises what `judge_table` raises.
    """
    claims = judge_table(rows, reference=reference, confidence=confidence)
    base = next(row for row in rows if row.name == reference)
    return {
        "schema": SCHEMA,
        "mode": "check_table",
        "task": title,
        "reference": reference,
        "higher_is_better": higher_is_better,
        "confidence": confidence,
        "reference_row": {"name": reference, **dataclasses.asdict(base.moments)},
        "claims": [dataclasses.asdict(claim) for claim in claims],
        "warnings": _cautions(rows, claims, confidence),
    }


def _cautions(
    rows: Sequence[Row], claims: Sequence[Claim], confidence: float
) -> list[str]:
    words = [
        "the runs are taken as unpaired and independent, which is all that a table of "
        "means can tell; seeds shared by the rows would show smaller differences"
    ]
    fewest = min(row.moments.n for row in rows)
    if fewest < SMALLEST_N:
        low, high = _std_factors(fewest, confidence)
        words.append(
            f"{fewest} runs hardly tell a standard deviation: the true one lies between "
            f"{low:.2g} and {high:.2g} times the one printed, at {100 * confidence:g} % "
            "confidence; a p from it rests on that"
        )
    if len(claims) > 1:
        chance = 1 - confidence ** len(claims)
        words.append(
            f"many comparisons: {len(claims)} rows against one reference; if all were "
            f"equal, the chance that one p falls below {1 - confidence:.2g} would be up "
            f"to {100 * chance:.0f} %, so p is adjusted over the table"
        )
    return words


def _std_factors(n: int, confidence: float) -> tuple[float, float]:
    """The ends of the sd's chi-square interval, as multiples of the sd."""
    tail = (1 - confidence) / 2
    quantiles = 2 * special.gammaincinv((n - 1) / 2, np.array([1 - tail, tail]))
    low, high = np.sqrt((n - 1) / quantiles).tolist()
    return low, high
