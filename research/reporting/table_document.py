"""What a published table's check says, in words and tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import numbers
from research.reporting.document import Document, Row, Section, Table

FINDINGS = {
    "survives": "survives",
    "falls to Holm": "falls to Holm's adjustment",
    "falls to Welch": "falls to Welch's test",
    "not shown": "is not shown to differ",
}


def table_document(summary: Mapping[str, Any]) -> Document:
    """Returns the report of a published table."""
    claims = summary["claims"]
    level, reference = f"{100 * summary['confidence']:g} %", summary["reference"]
    better = "higher" if summary["higher_is_better"] else "lower"
    counted = numbers.counted(len(claims), "row")
    findings = tuple(_findings(summary))
    return Document(
        title=f"{summary['task']}: what survives of the claims against {reference}",
        lede=findings[0],
        facts=f"{summary['task']} · {counted} against {reference} · {better} is better "
        f"· confidence {level}",
        shown=_shown(summary),
        findings=findings,
        sections=(
            Section(
                title="The table, recomputed", table=_full(summary), told=findings[1:]
            ),
        ),
        method=tuple(_method(summary, level)),
        settings=(
            ("table", summary["task"]),
            ("reference", _row_text(summary["reference_row"])),
            ("direction", f"{better} is better"),
            ("confidence", level),
        ),
        cost=f"{counted} checked in {numbers.duration(summary['total_seconds'])}; "
        "nothing trained",
        captions={
            "claims": (
                "Differences to the reference",
                f"Each row's difference of means with its {level} interval by Welch. "
                "Filled: the claim survives Holm's adjustment over the whole table. "
                "Where a bar holds 0, the table does not tell the row from the "
                "reference.",
            )
        },
    )


def _row_text(row: Mapping[str, Any]) -> str:
    return f"{row['name']}, {row['mean']:g} ± {row['std']:g} over {row['n']} runs"


def _scale(summary: Mapping[str, Any]) -> numbers.Scale:
    halves = [(c["ci_high"] - c["ci_low"]) / 2 for c in summary["claims"]]
    return numbers.make_scale(False, (), halves)


def _word(summary: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    if claim["finding"] != "survives":
        return claim["finding"]
    good = (claim["mean_difference"] > 0) == summary["higher_is_better"]
    return f"{'better' if good else 'worse'}, survives"


def _shown(summary: Mapping[str, Any]) -> Table:
    scale = _scale(summary)
    base = summary["reference_row"]
    rows: list[Row] = [(_first(base), "reference", *[""] * 5)]
    rows += [
        (
            _first(claim),
            numbers.bare_difference(claim["mean_difference"], scale),
            _p(claim["student_p"]),
            _p(claim["welch_p"]),
            _p(claim["welch_p_adjusted"]),
            _needed(claim["runs_needed_in_table"]),
            _word(summary, claim),
        )
        for claim in summary["claims"]
    ]
    header = (
        "row\nmean ± sd, runs",
        "against\n" + summary["reference"],
        "Student\np",
        "Welch\np",
        "Welch p\nHolm",
        "runs\nneeded",
        "finding",
    )
    return Table(header, tuple(rows))


def _first(row: Mapping[str, Any]) -> str:
    return f"{row['name']}\n{row['mean']:g} ± {row['std']:g}, {row['n']}"


def _needed(runs: int | None) -> str:
    return numbers.ABSENT if runs is None else f"{runs:,}"


def _full(summary: Mapping[str, Any]) -> Table:
    scale = _scale(summary)
    rows = [
        (
            claim["name"],
            f"{claim['mean']:g} ± {claim['std']:g}, {claim['n']}",
            _difference(claim, scale),
            numbers.fixed(claim["effect_size_d"], 2, signed=True),
            _p(claim["student_p"]),
            _p(claim["welch_p"]),
            _p(claim["welch_p_adjusted"]),
            _needed(claim["runs_needed_in_table"]),
            claim["finding"],
        )
        for claim in summary["claims"]
    ]
    header = (
        "row",
        "mean ± sd, runs",
        f"against {summary['reference']}, {100 * summary['confidence']:g} % interval",
        "effect d",
        "Student p",
        "Welch p",
        "Welch p, Holm",
        "runs needed",
        "finding",
    )
    return Table(header, tuple(rows))


def _difference(claim: Mapping[str, Any], scale: numbers.Scale) -> str:
    ends = numbers.interval(claim["ci_low"], claim["ci_high"], scale)
    return f"{numbers.bare_difference(claim['mean_difference'], scale)} {ends}"


def _findings(summary: Mapping[str, Any]) -> Iterator[str]:
    claims, level = summary["claims"], round(1 - summary["confidence"], 12)
    if len(claims) > 1:
        claimed = [claim for claim in claims if claim["student_p"] <= level]
        held = [claim["name"] for claim in claims if claim["finding"] == "survives"]
        yield (
            f"Student's p, as tables give it, is at most {level:g} for {len(claimed)} of "
            f"{len(claims)} rows against {summary['reference']}. By Welch's p, adjusted "
            f"by Holm over the whole table, {len(held)} "
            f"{'survives' if len(held) == 1 else 'survive'}"
            f"{': ' if held else ''}{', '.join(held)}."
        )
    for claim in claims:
        if claim["finding"] != "survives" or len(claims) == 1:
            yield _claim(claim, summary)


def _claim(claim: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    needed, in_table = claim["runs_needed"], claim["runs_needed_in_table"]
    told = (
        f"{claim['name']} against {summary['reference']} {FINDINGS[claim['finding']]}: "
        f"Student {_phrase(claim['student_p'])}, Welch {_phrase(claim['welch_p'])}"
    )
    if needed is None or in_table is None:
        return f"{told}; the means are equal."
    adjusted = f" ({in_table:,} at the table's own level)" if in_table != needed else ""
    return (
        f"{told}. If the effect seen, d = {numbers.fixed(claim['effect_size_d'], 2)}, is "
        f"the true one, {needed:,} runs of each{adjusted} would show it four times in "
        f"five; {claim['n']} were run."
    )


def _p(p: float) -> str:
    """Writes a p as published tables do: `0.0136`, `0.40`."""
    return "<0.0001" if p < 1e-4 else f"{p:.{4 if p < 0.1 else 2}f}"


def _phrase(p: float) -> str:
    text = _p(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def _method(summary: Mapping[str, Any], level: str) -> Iterator[tuple[str, str]]:
    alpha = round(1 - summary["confidence"], 12)
    count = len(summary["claims"])
    yield (
        "p",
        "Recomputed from mean, standard deviation and number of runs. Student's t pools "
        "the variances, as published tables do (Student 1908, Biometrika 6:1); Welch's "
        "lets each row have its own (Welch 1947, Biometrika 34:28), and its interval is "
        f"shown, at {level}. Rounding of the printed numbers moves a p as well.",
    )
    yield (
        "Finding",
        f"survives: Welch's p, adjusted by Holm over all {count} rows, is at most "
        f"{alpha:g}. falls to Holm: only the unadjusted one is. falls to Welch: only "
        "Student's is. not shown: neither. A claim that survives is still one table's: "
        "a p from few runs rests on standard deviations that few runs hardly tell.",
    )
    yield (
        "Runs needed",
        "Runs of each row at which a two-sided t test would show the effect seen four "
        f"times in five, at {alpha:g} divided by {count}, the rows of this table. An "
        "effect that was noticed because it is large is, on "
        "average, larger than the true one, and the true number larger than this. "
        "results/summary.json also has the number at the level of one row alone, and the "
        "power that the table's own runs had.",
    )
