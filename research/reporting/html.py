"""Writes report.html: one file that opens offline, with nothing to load from elsewhere."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from research.reporting import arms, method, numbers, sentences, tables, verdicts
from research.reporting.captions import captions
from research.reporting.html_template import PAGE, STYLE

# Figures that need the page's whole width: their panels grow with the arms.
WIDE = ("paired_differences", "false_winners", "decision_boundary")


def html_report(
    summary: Mapping[str, Any],
    figures: Mapping[str, Path],
    *,
    warnings: Sequence[str],
    records: Mapping[str, Any],
) -> str:
    """Returns the page; `records` are shown folded, as JSON, under their names."""
    return Template(PAGE).substitute(
        title=_text(f"{summary['task']}: {_title(summary)}"),
        style=STYLE,
        verdicts=_verdicts(summary),
        facts=_text(sentences.header(summary)),
        warnings=_warnings(warnings),
        table=_verdict_table(summary),
        findings=_items(_further(summary)),
        held_equal=_text(sentences.held_equal(summary)),
        varied=_text(sentences.varied(summary)),
        figures="".join(_figures(summary, figures)),
        arms=_arm_table(summary),
        exploratory=_exploratory(summary),
        method=_terms(method.paragraphs(summary)),
        settings=_terms(tables.settings(summary)),
        records="".join(_folded(name, record) for name, record in records.items()),
        cost=_text(sentences.cost(summary)),
    )


def _text(told: str) -> str:
    """Escapes a text for the page, with numbers tied to their units."""
    return escape(numbers.glue(told))


def _title(summary: Mapping[str, Any]) -> str:
    told = [verdicts.headline(summary, c) for c in summary["comparisons"]]
    return told[0] if len(told) == 1 else f"{len(summary['arms'])} activations"


def _verdicts(summary: Mapping[str, Any]) -> str:
    """Returns the verdict in large letters, or a list of them under a title."""
    compared = summary["comparisons"]
    if len(compared) == 1:
        [comparison] = compared
        reason = verdicts.reason(summary, comparison)
        needed = verdicts.seeds_needed(summary, comparison)
        lede = f"{reason[0].upper()}{reason[1:]}." + (f" {needed}" if needed else "")
        return (
            f'<h1 class="{_tone(comparison)}">'
            f"{_text(verdicts.headline(summary, comparison))}</h1>"
            f'<p class="lede">{_text(lede)}</p>'
        )
    reference = arms.written(summary, summary["reference"])
    title = f"{len(compared)} activations against {reference}"
    rows = "".join(_verdict_item(summary, comparison) for comparison in compared)
    return f'<h1>{_text(title)}</h1><ul class="verdicts">{rows}</ul>'


def _verdict_item(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    reason = verdicts.reason(summary, comparison)
    needed = verdicts.seeds_needed(summary, comparison)
    told = f"{reason[0].upper()}{reason[1:]}." + (f" {needed}" if needed else "")
    return (
        f'<li class="{_tone(comparison)}">'
        f"<strong>{_text(verdicts.headline(summary, comparison))}</strong>"
        f"{_text(told)}</li>"
    )


def _tone(comparison: Mapping[str, Any]) -> str:
    word = verdicts.word(comparison)
    return word if word in ("better", "worse", "equivalent") else "undecided"


def _further(summary: Mapping[str, Any]) -> list[str]:
    """Returns the findings that do not stand in large letters above already."""
    above = {
        told
        for comparison in summary["comparisons"]
        for told in (
            verdicts.sentence(summary, comparison),
            verdicts.seeds_needed(summary, comparison),
        )
    }
    return [told for told in sentences.findings(summary) if told not in above]


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    return (
        '<aside class="warnings" role="note"><h2>Warnings</h2>'
        f"<ul>{_items(warnings)}</ul></aside>"
    )


def _items(told: Iterable[str]) -> str:
    return "".join(f"<li>{_text(sentence)}</li>" for sentence in told)


def _terms(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f"<dt>{_text(name)}</dt><dd>{_text(text)}</dd>" for name, text in pairs
    )


def _verdict_table(summary: Mapping[str, Any]) -> str:
    tones = {c["arm"]: _tone(c) for c in summary["comparisons"]}
    header = tables.verdict_header(summary)
    rows = (
        _row(
            summary, slug, header, cells, last=f"verdict {tones.get(slug, '')}".strip()
        )
        for slug, cells in tables.verdict_rows(summary).items()
    )
    return _table(header, rows)


def _arm_table(summary: Mapping[str, Any]) -> str:
    header = tables.ARM_HEADER
    rows = (
        _row(summary, slug, header, cells, last="")
        for slug, cells in tables.arm_rows(summary).items()
    )
    return _table(header, rows)


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
        _cell(name, text, last if position == len(cells) - 1 else "")
        for position, (name, text) in enumerate(zip(header, cells, strict=True))
        if position > 0
    ]
    # Where a long name must be broken, its bracket is the place; a short one stays whole.
    short = len(cells[0]) < 24
    spaced = cells[0].replace(" ", numbers.NO_BREAK) if short else cells[0]
    name = _text(spaced) if short else _text(spaced).replace("(", "<wbr>(")
    return f'<tr><th class="arm" scope="row">{swatch}{name}</th>{"".join(rest)}</tr>'


def _cell(name: str, text: str, role: str) -> str:
    kinds = (role, "text" * (name == "formula"), "absent" * (text == numbers.ABSENT))
    classes = " ".join(filter(None, kinds))
    return f'<td class="{classes}" data-label="{_text(name)}">{_text(text)}</td>'


def _table(header: Sequence[str], rows: Iterable[str]) -> str:
    heads = "".join(_heading(name) for name in header)
    return (
        f'<div class="scroll"><table class="stack"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _heading(name: str) -> str:
    role = ' class="verdict"' if name == "verdict" else ""
    return f'<th scope="col"{role}>{_text(name)}</th>'


def _exploratory(summary: Mapping[str, Any]) -> str:
    rows = tables.exploratory_rows(summary)
    if not rows:
        return ""
    header = tables.exploratory_header(summary)
    body = (
        f'<tr><th scope="row">{_text(row[0])}</th>'
        + "".join(_cell(n, t, "") for n, t in zip(header[1:], row[1:], strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        "<section><h2>Exploratory</h2>"
        f"{_table(header, body)}"
        '<p class="note">Mean ± standard deviation over seeds, then the difference to the '
        "reference with its interval. These were not the question, so they get no p and "
        "no verdict.</p></section>"
    )


def _figures(summary: Mapping[str, Any], figures: Mapping[str, Path]) -> Iterable[str]:
    told = captions(summary)
    for name in (name for name in told if name in figures):
        title, caption = told[name]
        data = base64.b64encode(figures[name].read_bytes()).decode("ascii")
        wide = ' class="wide"' if name in WIDE and len(summary["arms"]) > 2 else ""
        yield (
            f'<figure{wide} id="{name}"><div class="plot"><img alt="{_text(title)}" '
            f'src="data:image/png;base64,{data}"></div>'
            f"<figcaption><h3>{_text(title)}</h3><p>{_text(caption)}</p></figcaption>"
            "</figure>"
        )


def _folded(name: str, record: Any) -> str:
    shown = json.dumps(record, indent=2, ensure_ascii=False)
    return f"<details><summary>{escape(name)}</summary><pre>{escape(shown)}</pre></details>"
