"""Writes report.md: the verdict, its table and sentences, with links to the figures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from research.reporting import method, sentences, tables
from research.reporting.captions import captions
from research.reporting.markdown_text import (
    markdown_section,
    markdown_table,
    markdown_text,
)
from research.reporting.sections import sections


def markdown_report(
    summary: Mapping[str, Any],
    figures: Mapping[str, Path],
    *,
    warnings: Sequence[str],
) -> str:
    """Returns the report as Markdown; links to figures are relative to the run folder."""
    parts = [
        f"# {markdown_text(summary['task'])}: is it the activation, or the seed?",
        markdown_text(sentences.header(summary)),
        markdown_table(
            tables.verdict_header(summary), tables.verdict_rows(summary).values()
        ),
        *map(markdown_text, filter(None, [tables.step_note(summary)])),
        *map(markdown_text, sentences.findings(summary)),
        markdown_text(f"{sentences.held_equal(summary)} {sentences.varied(summary)}"),
        *(f"**Warning:** {markdown_text(warning)}" for warning in warnings),
        *_sections(summary, figures),
        "## Figures",
        *_figures(summary, figures),
        "## Each arm",
        markdown_table(tables.arm_header(summary), tables.arm_rows(summary).values()),
        *_exploratory(summary),
        "## Method",
        *(
            f"**{markdown_text(n)}.** {markdown_text(text)}"
            for n, text in method.paragraphs(summary)
        ),
        "## The run",
        markdown_table(("setting", "value"), tables.settings(summary)),
        markdown_text(f"{sentences.cost(summary)}."),
    ]
    return "\n\n".join(parts) + "\n"


def _sections(summary: Mapping[str, Any], figures: Mapping[str, Path]) -> Iterable[str]:
    for section in sections(summary):
        yield from markdown_section(section)
        if section.figure in figures:
            yield _figure(summary, figures[section.figure])


def _figures(summary: Mapping[str, Any], figures: Mapping[str, Path]) -> Iterable[str]:
    placed = {section.figure for section in sections(summary)}
    for name in captions(summary):
        if name in figures and name not in placed:
            yield _figure(summary, figures[name])


def _figure(summary: Mapping[str, Any], path: Path) -> str:
    title, caption = map(markdown_text, captions(summary)[path.stem])
    return f"![{title}](figures/{path.name})\n\n*{title}.* {caption}"


def _exploratory(summary: Mapping[str, Any]) -> Sequence[str]:
    rows = tables.exploratory_rows(summary)
    if not rows:
        return ()
    return (
        "## Exploratory",
        markdown_table(tables.exploratory_header(summary), rows),
        tables.exploratory_note(summary),
    )
