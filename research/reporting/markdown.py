"""Writes report.md: the verdict, its table and sentences, with links to the figures."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from research.reporting import method, sentences, tables
from research.reporting.captions import captions

# What would be read as markup in the middle of a line of text.
_MARKUP = re.compile(r"([\\`*_\[\]<>|#$])")


def markdown_report(
    summary: Mapping[str, Any],
    figures: Mapping[str, Path],
    *,
    warnings: Sequence[str],
) -> str:
    """Returns the report as Markdown; links to figures are relative to the run folder."""
    parts = [
        f"# {_text(summary['task'])}: is it the activation, or the seed?",
        _text(sentences.header(summary)),
        _table(tables.verdict_header(summary), tables.verdict_rows(summary).values()),
        *map(_text, sentences.findings(summary)),
        _text(f"{sentences.held_equal(summary)} {sentences.varied(summary)}"),
        *(f"**Warning:** {_text(warning)}" for warning in warnings),
        "## Figures",
        *_figures(summary, figures),
        "## Each arm",
        _table(tables.ARM_HEADER, tables.arm_rows(summary).values()),
        *_exploratory(summary),
        "## Method",
        *(f"**{_text(n)}.** {_text(text)}" for n, text in method.paragraphs(summary)),
        "## The run",
        _table(("setting", "value"), tables.settings(summary)),
        _text(f"{sentences.cost(summary)}."),
    ]
    return "\n\n".join(parts) + "\n"


def _text(told: str) -> str:
    return _MARKUP.sub(r"\\\1", told)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    # The rule beneath the heading is markup; everything else is text.
    return "\n".join(
        f"| {' | '.join(cells if n == 1 else map(_text, cells))} |"
        for n, cells in enumerate(lines)
    )


def _figures(summary: Mapping[str, Any], figures: Mapping[str, Path]) -> Iterable[str]:
    for name, (title, caption) in captions(summary).items():
        if name in figures:
            link = f"figures/{figures[name].name}"
            yield f"![{_text(title)}]({link})\n\n*{_text(title)}.* {_text(caption)}"


def _exploratory(summary: Mapping[str, Any]) -> Sequence[str]:
    rows = tables.exploratory_rows(summary)
    if not rows:
        return ()
    return (
        "## Exploratory",
        _table(tables.exploratory_header(summary), rows),
        "Mean ± standard deviation over seeds, then the difference to the reference "
        "with its interval. These were not the question: no p, no verdict.",
    )
