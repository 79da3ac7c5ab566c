"""Writes report.md: the verdict, its table and sentences, with links to the figures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from research.reporting import method, sentences, tables
from research.reporting.captions import captions
from research.reporting.markdown_text import markdown_table, markdown_text


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


def _figures(summary: Mapping[str, Any], figures: Mapping[str, Path]) -> Iterable[str]:
    for name, (title, caption) in captions(summary).items():
        if name in figures:
            head = markdown_text(title)
            link = f"![{head}](figures/{figures[name].name})"
            yield f"{link}\n\n*{head}.* {markdown_text(caption)}"


def _exploratory(summary: Mapping[str, Any]) -> Sequence[str]:
    rows = tables.exploratory_rows(summary)
    if not rows:
        return ()
    return (
        "## Exploratory",
        markdown_table(tables.exploratory_header(summary), rows),
        "Mean ± standard deviation over seeds, then the difference to the reference "
        "with its interval. These were not the question: no p, no verdict.",
    )
