"""The verdict on the console: a table, its sentences, and where the rest lies."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from research.reporting import (
    arms,
    luck_and_limits,
    numbers,
    sentences,
    tables,
    verdicts,
)
from research.reporting.console_text import READABLE, say, say_where
from research.reporting.document_pages import print_document
from research.reporting.documents import DOCUMENTS

STYLES = {
    "better": "bold green",
    "worse": "bold red",
    "equivalent": "bold cyan",
    "undecided": "bold yellow",
    "no verdict": "bold yellow",
    "false alarm": "bold yellow",
}
NARROWEST = 72
# What stands before an arm's bracket and between an interval's ends, widest first.
LAYOUTS = ((" ", ", "), ("\n", ", "), ("\n", ",\n"))


def verdict_table(summary: Mapping[str, Any], *, width: int = READABLE) -> Table:
    """Returns the table of arms and verdicts, laid out for a terminal of this width."""
    tables = [_table(summary, bracket, comma) for bracket, comma in LAYOUTS]
    console = Console(width=1000)
    for table in tables:
        if Measurement.get(console, console.options, table).maximum <= width:
            return table
    # Below this even numbers would be cut; the terminal may break the lines instead.
    if width < NARROWEST:
        tables[-1].width = NARROWEST
    return tables[-1]


def _table(summary: Mapping[str, Any], bracket: str, comma: str) -> Table:
    table = _columns(summary)
    compared = {comparison["arm"]: comparison for comparison in summary["comparisons"]}
    for slug in arms.ordered(summary):
        cells = _scores(summary, slug)
        if slug in compared:
            cells += _comparison(summary, compared[slug], comma)
        elif not compared:
            interval = numbers.mean_interval(
                summary["arms"][slug], numbers.scale_of(summary)
            )
            cells = (*cells[:1], Text(interval))
        elif slug == summary["reference"]:
            cells += (Text("reference", style="dim"),)
        table.add_row(_label(summary, slug, bracket), *cells)
    return table


def _columns(summary: Mapping[str, Any]) -> Table:
    scale = numbers.scale_of(summary)
    scored = summary["primary_metric"].removesuffix("_last")
    metric = scored.replace("_", "\n", 1).replace("_", " ")
    percent = ", %" if scale.percent else ""
    last = "\nlast epoch" if scored != summary["primary_metric"] else ""
    points = f"\n{scale.unit.strip()}" if scale.percent else ""
    reference = Text(summary["arms"][summary["reference"]]["name"])
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    kind = "activation" if arms.were_trained(summary) else "arm"
    table.add_column(kind, overflow="fold", min_width=10)
    trained = arms.were_trained(summary)
    scores = Text(f"{metric}{percent}{last}\nmean ± sd")
    if not summary["comparisons"]:
        for heading in (
            scores,
            f"{verdicts.confidence(summary)} interval\nof the mean",
        ):
            table.add_column(heading, no_wrap=True, justify="right")
        return table
    for heading in (
        scores,
        *([Text("step")] if trained else []),
        Text.assemble("against\n", reference, points),
        Text(f"{verdicts.confidence(summary)}\ninterval"),
        Text("p\nHolm" if len(summary["comparisons"]) > 1 else "p"),
    ):
        table.add_column(heading, no_wrap=True, justify="right")
    table.add_column("verdict", no_wrap=True)
    return table


def _label(summary: Mapping[str, Any], slug: str, bracket: str) -> Text:
    name = f"{arms.named(summary, slug)} {arms.form(summary, slug)}".strip()
    return Text(name if bracket == " " else name.replace(" (", "(").replace("(", "\n("))


def _scores(summary: Mapping[str, Any], slug: str) -> tuple[Text, ...]:
    mean = Text(numbers.bare_mean(summary["arms"][slug], numbers.scale_of(summary)))
    if not arms.were_trained(summary):
        return (mean,)
    return mean, Text(tables.step_ratio(summary, slug))


def _comparison(
    summary: Mapping[str, Any], comparison: Mapping[str, Any], comma: str
) -> tuple[Text, ...]:
    scale, word = numbers.scale_of(summary), verdicts.word(comparison)
    low, high = comparison["ci_low"], comparison["ci_high"]
    return (
        Text(numbers.bare_difference(comparison["mean_difference"], scale)),
        Text(numbers.interval(low, high, scale).replace(", ", comma)),
        Text(verdicts.p(comparison)),
        Text(word, style=STYLES[word]),
    )


def print_verdict(
    summary: Mapping[str, Any], console: Console, *, workdir: Path
) -> None:
    """Prints what a person sees at the end of a run; plain where there is no terminal."""
    make = DOCUMENTS.get(summary["mode"])
    if make is not None:
        warnings = summary["warnings"]
        print_document(make(summary), console, warnings=warnings, workdir=workdir)
        return
    # The title line breaks between its parts only.
    title = sentences.header(summary).replace(" ", numbers.NO_BREAK)
    title = title.replace(f"{numbers.NO_BREAK}·{numbers.NO_BREAK}", " · ")
    say(console, title, width=console.width, style="bold")
    console.print()
    console.print(verdict_table(summary, width=console.width), crop=False)
    console.print()
    readable = min(console.width, READABLE)
    for told in sentences.findings(summary):
        say(console, told, width=readable)
    for told in filter(None, [luck_and_limits.test_set_limits(summary)]):
        say(console, told, width=readable)
    for warning in summary["warnings"]:
        say(console, f"Warning: {warning}", width=readable, style="yellow")
    board = "tensorboard" if arms.were_trained(summary) else ""
    say_where(console, sentences.cost(summary), workdir, board=board)
