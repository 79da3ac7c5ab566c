"""Judging a published table of means, standard deviations and numbers of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research.statistics.multiplicity import holm
from research.statistics.unpaired_power import runs_needed, two_sample_t_power
from research.statistics.welch import Moments, effect_size_d, student_t, welch_t

Finding = Literal["survives", "falls to Holm", "falls to Welch", "not shown"]

_ROUNDING = 1e-12  # 1 - 0.95 is a little more than 0.05


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    name: str
    moments: Moments


@dataclass(frozen=True)
class Claim:
    """A row against the reference; differences are raw (row minus reference).

    `runs_needed` counts runs of each that show the observed effect four times in five
    at the level itself, `runs_needed_in_table` at the level divided by the number of
    rows compared; None for an effect of 0. `power` is what the table's own runs had.
    """

    name: str
    mean: float
    std: float
    n: int
    mean_difference: float
    ci_low: float
    ci_high: float
    degrees_of_freedom: float
    student_p: float
    student_p_adjusted: float
    welch_p: float
    welch_p_adjusted: float
    effect_size_d: float
    power: float
    runs_needed: int | None
    runs_needed_in_table: int | None
    finding: Finding


def judge_table(
    rows: Sequence[Row], *, reference: str, confidence: float
) -> tuple[Claim, ...]:
    """Recompute every row's p against the reference, Holm-adjusted over the table.

    Student's p pools the variances, as published tables do; Welch's does not. A claim
    `survives` when Welch's adjusted p is at most 1 - confidence, `falls to Holm` when
    only the unadjusted one is, `falls to Welch` when only Student's is.

    Raises ValueError where names repeat, the reference or a second row is missing, a
    standard deviation is not above 0 or a row has fewer than two runs.
    """
    names = [row.name for row in rows]
    if len(set(names)) < len(names) or reference not in names or len(names) < 2:
        raise ValueError(
            f"{reference!r} and other, different names are needed: {names}"
        )
    if any(row.moments.n < 2 or row.moments.std <= 0 for row in rows):
        raise ValueError("every row needs two or more runs and a std above 0")
    base = rows[names.index(reference)].moments
    compared = [row for row in rows if row.name != reference]
    students = [_p(student_t(row.moments, base).p_value) for row in compared]
    welches = [_p(welch_t(row.moments, base).p_value) for row in compared]
    adjusted = zip(holm(students), holm(welches), strict=True)
    return tuple(
        _claim(row, base, students_and_welch, len(compared), confidence)
        for row, students_and_welch in zip(
            compared, zip(students, welches, adjusted, strict=True), strict=True
        )
    )


def _p(value: float | None) -> float:
    assert value is not None  # every std is above 0
    return value


def _claim(
    row: Row,
    base: Moments,
    p_values: tuple[float, float, tuple[float, float]],
    compared: int,
    confidence: float,
) -> Claim:
    student_p, welch_p, (student_adjusted, welch_adjusted) = p_values
    test, level = welch_t(row.moments, base), 1 - confidence
    effect = effect_size_d(row.moments, base) or 0.0
    low, high = test.interval(confidence)
    return Claim(
        name=row.name,
        mean=row.moments.mean,
        std=row.moments.std,
        n=row.moments.n,
        mean_difference=test.difference,
        ci_low=low,
        ci_high=high,
        degrees_of_freedom=test.degrees_of_freedom,
        student_p=student_p,
        student_p_adjusted=student_adjusted,
        welch_p=welch_p,
        welch_p_adjusted=welch_adjusted,
        effect_size_d=effect,
        power=two_sample_t_power(
            row.moments.n, base.n, effect_size_d=effect, level=level
        ),
        runs_needed=runs_needed(effect, level=level),
        runs_needed_in_table=runs_needed(effect, level=level / compared),
        finding=_finding(student_p, welch_p, welch_adjusted, level + _ROUNDING),
    )


def _finding(student: float, welch: float, adjusted: float, level: float) -> Finding:
    if adjusted <= level:
        return "survives"
    if welch <= level:
        return "falls to Holm"
    return "falls to Welch" if student <= level else "not shown"
