"""Writes report.html: one file that opens offline, with nothing to load from elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from research.reporting import (
    arms,
    markup,
    method,
    numbers,
    sentences,
    tables,
    verdicts,
)
from research.reporting.captions import captions
from research.reporting.html_template import ARM_NOTE, PAGE, STYLE
from research.reporting.sections import sections

# Figures that need the page's whole width: their panels grow with the arms.
WIDE = ("paired_differences", "false_winners", "decision_boundary", "sequence")


def html_report(
    summary: Mapping[str, Any],
    figures: Mapping[str, Path],
    *,
    warnings: Sequence[str],
    records: Mapping[str, Any],
) -> str:
    """Returns the page; `records` are shown folded, as JSON, under their names."""
    return Template(PAGE).substitute(
        title=markup.escaped(f"{summary['task']}: {_title(summary)}"),
        style=STYLE,
        verdicts=_verdicts(summary),
        facts=markup.escaped(sentences.header(summary)),
        warnings=markup.warnings(warnings),
        table_title="The comparison" if summary["comparisons"] else "The arm",
        table=_verdict_table(summary),
        table_note=_table_note(summary),
        findings=markup.items(_further(summary)),
        sections="".join(
            markup.section(each, _figure(summary, figures, each.figure))
            for each in sections(summary)
        ),
        held_equal=markup.escaped(sentences.held_equal(summary)),
        varied=markup.escaped(sentences.varied(summary)),
        figures="".join(_figures(summary, figures)),
        arms=_arm_table(summary),
        arm_note=ARM_NOTE if arms.were_trained(summary) else "",
        exploratory=_exploratory(summary),
        method=markup.terms(method.paragraphs(summary)),
        settings=markup.terms(tables.settings(summary)),
        records="".join(
            markup.folded(name, record) for name, record in records.items()
        ),
        cost=markup.escaped(sentences.cost(summary)),
    )


def _title(summary: Mapping[str, Any]) -> str:
    told = [verdicts.headline(summary, c) for c in summary["comparisons"]]
    if not told:
        return _alone(summary)
    return told[0] if len(told) == 1 else f"{len(summary['arms'])} {_kind(summary)}"


def _alone(summary: Mapping[str, Any]) -> str:
    return f"{arms.written(summary, summary['reference'])} alone: nothing to compare"


def _kind(summary: Mapping[str, Any]) -> str:
    return "activations" if arms.were_trained(summary) else "arms"


def _verdicts(summary: Mapping[str, Any]) -> str:
    """Returns the verdict in large letters, or a list of them under a title."""
    compared = summary["comparisons"]
    if not compared:
        lede = markup.escaped(sentences.alone(summary) or "")
        return f'<h1>{markup.escaped(_alone(summary))}</h1><p class="lede">{lede}</p>'
    if len(compared) == 1:
        [comparison] = compared
        reason = verdicts.reason(summary, comparison)
        needed = verdicts.seeds_needed(summary, comparison)
        lede = f"{reason[0].upper()}{reason[1:]}." + (f" {needed}" if needed else "")
        return (
            f'<h1 class="{_tone(comparison)}">'
            f"{markup.escaped(verdicts.headline(summary, comparison))}</h1>"
            f'<p class="lede">{markup.escaped(lede)}</p>'
        )
    reference = arms.written(summary, summary["reference"])
    title = f"{len(compared)} {_kind(summary)} against {reference}"
    rows = "".join(_verdict_item(summary, comparison) for comparison in compared)
    return f'<h1>{markup.escaped(title)}</h1><ul class="verdicts">{rows}</ul>'


def _verdict_item(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    reason = verdicts.reason(summary, comparison)
    needed = verdicts.seeds_needed(summary, comparison)
    told = f"{reason[0].upper()}{reason[1:]}." + (f" {needed}" if needed else "")
    return (
        f'<li class="{_tone(comparison)}">'
        f"<strong>{markup.escaped(verdicts.headline(summary, comparison))}</strong>"
        f"{markup.escaped(told)}</li>"
    )


def _tone(comparison: Mapping[str, Any]) -> str:
    word = verdicts.word(comparison)
    return word if word in ("better", "worse", "equivalent") else "undecided"


def _further(summary: Mapping[str, Any]) -> list[str]:
    """Returns the findings that do not stand in large letters above already."""
    above = {sentences.alone(summary)} | {
        told
        for comparison in summary["comparisons"]
        for told in (
            verdicts.sentence(summary, comparison),
            verdicts.seeds_needed(summary, comparison),
        )
    }
    return [told for told in sentences.findings(summary) if told not in above]


def _verdict_table(summary: Mapping[str, Any]) -> str:
    tones = {c["arm"]: _tone(c) for c in summary["comparisons"]}
    header = tables.verdict_header(summary)
    rows = (
        _row(summary, slug, header, cells, last=_last(summary, tones.get(slug, "")))
        for slug, cells in tables.verdict_rows(summary).items()
    )
    return markup.table(header, rows)


def _last(summary: Mapping[str, Any], tone: str) -> str:
    """Returns the classes of a row's last cell: a verdict, where any is compared."""
    return f"verdict {tone}".strip() if summary["comparisons"] else ""


def _table_note(summary: Mapping[str, Any]) -> str:
    told = tables.step_note(summary)
    return f'<p class="note">{markup.escaped(told)}</p>' if told else ""


def _arm_table(summary: Mapping[str, Any]) -> str:
    header = tables.arm_header(summary)
    rows = (
        _row(summary, slug, header, cells, last="")
        for slug, cells in tables.arm_rows(summary).items()
    )
    return markup.table(header, rows)


def _row(
    summary: Mapping[str, Any],
    slug: str,
    header: Sequence[str],
    cells: Sequence[str],
    *,
    last: str,
) -> str:
    swatch = (
        f'<span class="swatch" style="background:{arms.colours(summary)[slug]}"></span>'
    )
    rest = [
        markup.cell(name, text, last if position == len(cells) - 1 else "")
        for position, (name, text) in enumerate(zip(header, cells, strict=True))
        if position > 0
    ]
    # Where a long name must be broken, its bracket is the place; a short one stays whole.
    short = len(cells[0]) < 24
    spaced = cells[0].replace(" ", numbers.NO_BREAK) if short else cells[0]
    name = (
        markup.escaped(spaced)
        if short
        else markup.escaped(spaced).replace("(", "<wbr>(")
    )
    return f'<tr><th class="arm" scope="row">{swatch}{name}</th>{"".join(rest)}</tr>'


def _exploratory(summary: Mapping[str, Any]) -> str:
    rows = tables.exploratory_rows(summary)
    if not rows:
        return ""
    header = tables.exploratory_header(summary)
    body = (
        f'<tr><th scope="row">{markup.escaped(row[0])}</th>'
        + "".join(
            markup.cell(n, t, "") for n, t in zip(header[1:], row[1:], strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        "<section><h2>Exploratory</h2>"
        f"{markup.table(header, body)}"
        f'<p class="note">{markup.escaped(tables.exploratory_note(summary))}</p></section>'
    )


def _figures(summary: Mapping[str, Any], figures: Mapping[str, Path]) -> Iterable[str]:
    placed = {section.figure for section in sections(summary)}
    for name in captions(summary):
        if name not in placed:
            yield _figure(summary, figures, name)


def _figure(summary: Mapping[str, Any], figures: Mapping[str, Path], name: str) -> str:
    if name not in figures:
        return ""
    wide = name in WIDE and len(summary["arms"]) > 2
    return markup.figure(name, figures[name], captions(summary)[name], wide=wide)
