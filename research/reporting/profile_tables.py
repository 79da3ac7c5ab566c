"""The profile of activations on the console: shape, moments, points, accuracy, cost."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from research.reporting import numbers
from research.reporting.console_text import READABLE, say
from research.reporting.profile_sentences import findings, written

Told = Mapping[str, Any]
SIGNS = {"inf": "∞", "-inf": "−∞", "nan": "NaN"}
TYPES = ("float32", "float16", "bfloat16")
# Two of the tables are as wide as this; a narrower terminal breaks their lines.
_WIDEST = 1000


def print_profile(told: Told, console: Console, *, workdir: Path) -> None:
    """Prints the tables, what follows from them, and where the rest lies."""
    for table in (
        shape_table(told),
        moments_table(told),
        points_table(told),
        accuracy_table(told),
        cost_table(told),
    ):
        measured = Measurement.get(
            console, console.options.update(width=_WIDEST), table
        )
        table.width = measured.maximum
        console.print(table, crop=False, no_wrap=True)
        console.print()
    for sentence in findings(told):
        say(console, sentence, width=min(console.width, READABLE))
    where = f"Profile: {workdir / 'profile.json'}   Figures: {workdir / 'figures'}"
    console.print(Text(where), soft_wrap=True, highlight=False)


def shape_table(told: Told) -> Table:
    """Returns minimum, limits, Lipschitz constant and inflections, a row each."""
    table = _table(
        "shape", ("minimum", "at x", "limits", "steepest slope", "at x", "inflections")
    )
    for name, each in _rows(told):
        bends = "  ".join(number(x, 6) for x in each["inflections"]) or numbers.ABSENT
        limits = "  ".join(number(end, 6) for end in each["limits"])
        least, steepest = _extremum(each["minimum"]), _extremum(each["lipschitz"])
        table.add_row(name, *least, limits, *steepest, bends)
    return table


def moments_table(told: Told) -> Table:
    """Returns the moments, the gain and the largest gap to GELU, a row each."""
    headings = ("E f", "E f²", "gain 1/√(E f²)", "largest gap to GELU", "at x")
    table = _table("under N(0, 1)", headings)
    for name, each in _rows(told):
        moments = (number(each["moments"][key], 6) for key in MOMENTS)
        gap, at = _extremum(each["gap_to_gelu"])
        table.add_row(name, *moments, gap, "everywhere" if gap == "0" else at)
    return table


MOMENTS = ("mean", "second", "gain")


def points_table(told: Told) -> Table:
    """Returns f(x) at known points and, below it, the share f(x)/x that passes."""
    points = next(iter(told["activations"].values()))["points"]
    headings = [number(point["x"], 3) for point in points]
    table = _table("f(x) at x =\nand f(x)/x", headings)
    for name, each in _rows(told):
        cells = (
            f"{number(point['value'], 4)}\n[dim]{_share(point['share'])}[/]"
            for point in each["points"]
        )
        table.add_row(name, *cells)
    return table


def accuracy_table(told: Told) -> Table:
    """Returns the largest errors on |x| ≤ 5 and, in brackets, beyond; in last places."""
    headings = [f"{dtype}\n{f}" for dtype in TYPES for f in ("f", "f'")]
    table = _table("largest error, ulp\n|x| ≤ 5 (beyond)", headings)
    for name, each in _rows(told):
        table.add_row(name, *map(_errors, each["accuracy"]["scans"]))
    return table


def cost_table(told: Told) -> Table:
    """Returns the time of a million elements beside ReLU's, and that of compiling."""
    headings = [
        f"{what}\n{unit}"
        for what in ("forward", "with gradient")
        for unit in ("median", "× ReLU", "compile")
    ]
    table = _table(f"{told['cost_elements']:,} elements\nfloat32", headings)
    for name, each in _rows(told):
        cells: list[str] = []
        for what in ("forward", "value_and_gradient"):
            cost = each["cost"][what]
            cells += [
                numbers.duration(cost["seconds"]),
                f"{cost['beside_base']:.2f}",
                numbers.duration(cost["compile_seconds"]),
            ]
        table.add_row(name, *cells)
    return table


def number(value: Any, digits: int) -> str:
    """Writes a number of profile.json with a true minus sign; a dash for none."""
    if value is None:
        return numbers.ABSENT
    if isinstance(value, str):
        return SIGNS[value]
    return f"{value:.{digits}g}".replace("-", "−")


def _share(share: float | str) -> str:
    if isinstance(share, str):
        return SIGNS[share]
    percent = 100 * share
    text = (
        f"{percent:.1f}" if abs(percent) >= 0.05 or percent == 0 else f"{percent:.0e}"
    )
    return text.replace("-", "−") + " %"


def _extremum(found: Mapping[str, Any]) -> tuple[str, str]:
    at = number(found["at"], 6)
    if found["stretch"]:
        at = "a stretch"
    elif found["at"] is None and not isinstance(found["value"], str):
        at = "in the limit"
    return number(found["value"], 6), at


def _errors(scan: Mapping[str, Any]) -> str:
    core, beyond = (_ulps(scan[part]) for part in ("core", "beyond"))
    failed = "[red]![/]" if scan["failures"] else ""
    return f"{core} ({beyond}){failed}"


def _ulps(size: float | str) -> str:
    if isinstance(size, str):
        return SIGNS[size]
    return f"{size:.2f}" if size < 9.995 else f"{size:.3g}"


def _rows(told: Told) -> list[tuple[Text, Mapping[str, Any]]]:
    return [(Text(written(each)), each) for each in told["activations"].values()]


def _table(first: str, headings: Sequence[str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, no_wrap=True, justify="right")
    return table
