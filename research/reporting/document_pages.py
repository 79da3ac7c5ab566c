"""Lays a document out: as one HTML file, as Markdown, and on the console."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from rich.console import Console
from rich.table import Table as ConsoleTable
from rich.text import Text

from research.reporting import markup
from research.reporting.console_text import READABLE, say, say_where
from research.reporting.document import Document, Table
from research.reporting.html_template import DOCUMENT_PAGE, STYLE
from research.reporting.markdown_text import (
    markdown_section,
    markdown_table,
    markdown_text,
)


def document_html(
    document: Document,
    figures: Mapping[str, Path],
    *,
    warnings: Sequence[str],
    records: Mapping[str, Any],
) -> str:
    """Returns the page; it loads nothing from elsewhere."""
    return Template(DOCUMENT_PAGE).substitute(
        title=markup.escaped(document.title),
        style=STYLE,
        lede=markup.escaped(document.lede),
        facts=markup.escaped(document.facts),
        warnings=markup.warnings(warnings),
        sections="".join(map(markup.section, document.sections)),
        figures="".join(
            markup.figure(name, figures[name], told)
            for name, told in document.captions.items()
            if name in figures
        ),
        method=markup.terms(document.method),
        settings_title=markup.escaped(document.settings_title),
        settings=markup.terms(document.settings),
        records="".join(
            markup.folded(name, record) for name, record in records.items()
        ),
        cost=markup.escaped(document.cost),
    )


def document_markdown(
    document: Document, figures: Mapping[str, Path], *, warnings: Sequence[str]
) -> str:
    """Returns the report as Markdown; links to figures are relative to its folder."""
    parts = [
        f"# {markdown_text(document.title)}",
        markdown_text(document.lede),
        markdown_text(document.facts),
        *(f"**Warning:** {markdown_text(warning)}" for warning in warnings),
    ]
    for section in document.sections:
        parts += markdown_section(section)
    for name, (title, caption) in document.captions.items():
        if name in figures:
            link = f"![{markdown_text(title)}](figures/{figures[name].name})"
            parts += [link, f"*{markdown_text(title)}.* {markdown_text(caption)}"]
    parts.append("## Method")
    parts += [f"**{markdown_text(n)}.** {markdown_text(t)}" for n, t in document.method]
    parts.append(f"## {markdown_text(document.settings_title)}")
    parts.append(markdown_table(("what", "value"), document.settings))
    return "\n\n".join([*parts, markdown_text(f"{document.cost}.")]) + "\n"


def print_document(
    document: Document, console: Console, *, warnings: Sequence[str], workdir: Path
) -> None:
    """Prints the document's table and findings, its warnings, and where the rest lies."""
    say(console, document.facts, width=console.width, style="bold")
    console.print()
    console.print(_console_table(document.shown), crop=False)
    console.print()
    readable = min(console.width, READABLE)
    for told in document.findings:
        say(console, told, width=readable)
    for warning in warnings:
        say(console, f"Warning: {warning}", width=readable, style="yellow")
    say_where(console, document.cost, workdir, board=document.board)


def _console_table(table: Table) -> ConsoleTable:
    shown = ConsoleTable(
        box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold"
    )
    first, *others = table.header
    shown.add_column(Text(first), overflow="fold", min_width=8)
    for name in others:
        last = name == table.header[-1]
        shown.add_column(
            Text(name), no_wrap=not last, justify="left" if last else "right"
        )
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown
