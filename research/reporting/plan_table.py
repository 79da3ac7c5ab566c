"""The plan of a run on the console: seeds, lanes, memory, time."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from research.reporting import arms, numbers
from research.reporting.console_text import READABLE, say
from research.reporting.plan_sentences import (
    findings,
    lanes_text,
    memory_text,
    time_text,
)

Told = Mapping[str, Any]
LABEL = 9


def print_plan(told: Told, console: Console, *, workdir: Path | None) -> None:
    """Prints the table of seeds, what follows from it, and what the run will take."""
    title = f"{told['title']} · margin {numbers.margin(told)}"
    title = title.replace(" ", numbers.NO_BREAK)
    title = title.replace(f"{numbers.NO_BREAK}·{numbers.NO_BREAK}", " · ")
    say(console, title, width=console.width, style="bold")
    console.print()
    if told["statistics"] is not None:
        console.print(seeds_table(told), crop=False)
        console.print()
    readable = min(console.width, READABLE)
    for sentence in findings(told):
        say(console, sentence, width=readable)
    console.print()
    for label, text in (
        ("lanes", lanes_text(told)),
        ("memory", memory_text(told)),
        ("time", time_text(told)),
    ):
        say(console, f"{label:<{LABEL}}{text}", width=readable, hang=LABEL)
    for warning in told["warnings"]:
        say(console, f"Warning: {warning}", width=readable, style="yellow")
    if workdir is not None:
        where = Text(f"Plan: {workdir / 'plan.json'}")
        console.print(where, soft_wrap=True, highlight=False)


def seeds_table(told: Told) -> Table:
    """Returns what the seeds can show of each arm; below each number its range."""
    scale, seeds = _scale(told), told["seeds"]
    unit = "points" if scale.percent else ""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("activation", overflow="fold", min_width=10)
    for heading in (
        f"sd of the\ndifference\n{unit}",
        f"seeds to see\na difference\nof {numbers.margin(told)}",
        f"smallest seen\nby {numbers.counted(seeds, 'seed')}\n(in margins)",
        "seeds to be\ncalled\nequivalent",
        f"called so\nby {seeds:,}\n{'seed' if seeds == 1 else 'seeds'}",
    ):
        table.add_column(Text(heading), no_wrap=True, justify="right")
    for name, found in _rows(told):
        cells = [_cell(*each) for each in _cells(told, found, scale)]
        table.add_row(name, *cells)
    return table


def _rows(told: Told) -> Iterator[tuple[Text, Told | None]]:
    """Yields an arm a row; where the sd was given, all arms are one."""
    found = told["statistics"]["arms"]
    if told["pilot"] is None:
        only = len(found) == 1
        name = told["arms"][next(iter(found))]["name"] if only else "each arm"
        yield Text(name), next(iter(found.values()))
        return
    for slug, each in found.items():
        name = told["arms"][slug]["name"]
        yield Text(f"{name}\n{arms.form(told, slug)}".strip()), each


def _scale(told: Told) -> numbers.Scale:
    found = filter(None, told["statistics"]["arms"].values())
    sizes = [
        each[end][key]
        for each in found
        for end in ("low", "expected")
        for key in ("std_difference", "smallest_difference")
    ]
    return numbers.make_scale(numbers.is_percent(told["primary_metric"]), [], sizes)


def _cells(
    told: Told, found: Told | None, scale: numbers.Scale
) -> Iterator[tuple[str, str]]:
    """Yields each number with its range, which is empty where the sd is exact."""
    if found is None:
        yield from [(numbers.ABSENT, "")] * 5
        return
    expected, low, high = found["expected"], found["low"], found["high"]
    ranged = found["pilot_seeds"] is not None

    def size(of: Told, key: str) -> str:
        return numbers.bare_difference(of[key], scale, signed=False)

    def span(first: str, last: str) -> str:
        return f"{first}–{last}" if ranged and first != last else ""

    key = "std_difference"
    yield size(expected, key), span(size(low, key), size(high, key))
    key = "seeds_needed"
    yield count(expected[key]), span(count(low[key]), count(high[key]))
    key = "smallest_difference"
    if expected[key] is None:
        yield "none", ""
    else:
        margins = f" ({expected[key] / told['margin']:.2g})"
        yield size(expected, key) + margins, span(size(low, key), size(high, key))
    key = "seeds_for_equivalence"
    yield count(expected[key]), span(count(low[key]), count(high[key]))
    key = "equivalence_probability"
    least, most = (numbers.share(of[key]).removesuffix(" %") for of in (high, low))
    ends = span(least, most)
    yield numbers.share(expected[key]), f"{ends} %" if ends else ""


def count(seeds: int | None) -> str:
    """Writes a number of seeds; no number that is enough is infinitely many."""
    return "∞" if seeds is None else f"{seeds:,}"


def _cell(value: str, span: str) -> Text:
    return Text.assemble(value, "\n", (span, "dim")) if span else Text(value)
