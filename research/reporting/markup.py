"""Pieces of HTML that every report is made of."""

import base64
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from research.reporting import numbers
from research.reporting.document import Section, Table


def escaped(told: str) -> str:
    """Escapes a text for the page, with numbers tied to their units."""
    return escape(numbers.glue(told))


def items(told: Iterable[str]) -> str:
    """Returns the items of a list."""
    return "".join(f"<li>{escaped(sentence)}</li>" for sentence in told)


def terms(pairs: Iterable[tuple[str, str]]) -> str:
    """Returns the terms of a list with their descriptions."""
    return "".join(
        f"<dt>{escaped(name)}</dt><dd>{escaped(text)}</dd>" for name, text in pairs
    )


def cell(name: str, text: str, role: str) -> str:
    """Returns a cell that knows its column's name, for narrow pages."""
    kinds = (role, "text" * (name == "formula"), "absent" * (text == numbers.ABSENT))
    classes = " ".join(filter(None, kinds))
    return f'<td class="{classes}" data-label="{escaped(name)}">{escaped(text)}</td>'


def table(header: Sequence[str], rows: Iterable[str]) -> str:
    """Returns a table around rows that are markup already."""
    heads = "".join(_heading(name) for name in header)
    return (
        f'<div class="scroll"><table class="stack"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _heading(name: str) -> str:
    role = ' class="verdict"' if name == "verdict" else ""
    return f'<th scope="col"{role}>{escaped(name)}</th>'


def section(told: Section, figures: str = "") -> str:
    """Returns a section with its table, its sentences and its figures' markup."""
    listed = f'<ul class="findings">{items(told.told)}</ul>' if told.told else ""
    shown = f'<div class="figures within">{figures}</div>' if figures else ""
    return (
        f"<section><h2>{escaped(told.title)}</h2>"
        f"{text_table(told.table) if told.table else ''}{listed}{_more(told)}{shown}"
        "</section>"
    )


def _more(told: Section) -> str:
    """Returns where more is told than the section holds, or nothing."""
    link, command = told.link, told.command
    parts = [
        *(
            [f'<a href="{escape(link.target)}">{escaped(link.told)}</a>']
            if link
            else []
        ),
        *([f"<code>{escape(command)}</code>, in this folder"] if command else []),
    ]
    return f'<p class="note">{". ".join(parts)}.</p>' if parts else ""


def text_table(told: Table) -> str:
    """Returns a table of text, its rows named by their first cells."""
    rows = (
        f'<tr><th scope="row">{escaped(row[0])}</th>'
        + "".join(
            cell(name, text, "")
            for name, text in zip(told.header[1:], row[1:], strict=True)
        )
        + "</tr>"
        for row in told.rows
    )
    return table(told.header, rows)


def warnings(told: Sequence[str]) -> str:
    """Returns the box of warnings, or nothing."""
    if not told:
        return ""
    return (
        '<aside class="warnings" role="note"><h2>Warnings</h2>'
        f"<ul>{items(told)}</ul></aside>"
    )


def folded(name: str, record: Any) -> str:
    """Returns a record as JSON that opens on a click."""
    shown = json.dumps(record, indent=2, ensure_ascii=False)
    return f"<details><summary>{escape(name)}</summary><pre>{escape(shown)}</pre></details>"


def figure(name: str, path: Path, told: tuple[str, str], *, wide: bool = False) -> str:
    """Returns a figure with its title and caption, the picture inside the page."""
    title, caption = told
    role = ' class="wide"' if wide else ""
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return (
        f'<figure{role} id="{name}"><div class="plot">'
        f'<img alt="{escaped(title)}" src="data:image/png;base64,{data}"></div>'
        f"<figcaption><h3>{escaped(title)}</h3><p>{escaped(caption)}</p></figcaption>"
        "</figure>"
    )
