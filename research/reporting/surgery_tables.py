"""The tables of a swap's report, and how its numbers are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from research.reporting import arms, numbers
from research.reporting.document import Row, Table


@dataclass(frozen=True)
class Metric:
    """A number of every arm: its key in summary.json, its heading, and whether a share."""

    key: str
    heading: str
    percent: bool


SIMILARITIES = (
    Metric("neighbour_kept", "neighbour kept, %", True),
    Metric("spearman", "Spearman of pairs", False),
    Metric("cosine", "cosine to before", False),
    Metric("mean_similarity", "mean similarity", False),
)
ZEROS = Metric("zeros", "at exactly 0, %", True)
# More digits than these mean nothing beside other texts; the console has less room.
MOST_DECIMALS, CONSOLE_DECIMALS = 4, 3


def name(summary: Mapping[str, Any], slug: str) -> str:
    """Returns an arm's name, with its layer where every layer is swapped alone."""
    written = arms.written(summary, slug)
    swapped = summary["arms"][slug]["swapped"]
    if summary["layers"] != "each" or not swapped:
        return written
    return f"{written} in {swapped[0]}"


def swaps(summary: Mapping[str, Any]) -> list[str]:
    """Returns the arms that are not the reference."""
    return [slug for slug in summary["arms"] if slug != summary["reference"]]


def scale_of(
    summary: Mapping[str, Any], metric: Metric, most: int = MOST_DECIMALS
) -> numbers.Scale:
    """Returns as many decimals as the narrowest interval of a metric needs, up to most."""
    found = [arm[metric.key] for arm in summary["arms"].values() if metric.key in arm]
    halves = [
        (told["ci_high"] - told["ci_low"]) / 2
        for told in found
        if told["ci_low"] is not None
    ]
    decimals = numbers.make_scale(metric.percent, halves, ()).value_decimals
    return numbers.Scale(
        percent=metric.percent,
        value_decimals=1 if metric.percent else min(decimals, most),
        difference_decimals=0,
    )


def cell(
    told: Mapping[str, Any] | None, scale: numbers.Scale, between: str = " "
) -> str:
    """Returns an estimate with its interval: `0.98 [0.97, 0.99]`."""
    if told is None or told["value"] is None:
        return numbers.ABSENT
    value = numbers.bare_value(told["value"], scale)
    ends = (numbers.bare_value(told[key], scale) for key in ("ci_low", "ci_high"))
    return f"{value}{between}[{', '.join(ends)}]"


def shown_table(summary: Mapping[str, Any]) -> Table:
    """Returns the console's table: intervals beneath, the last two columns without."""
    scales = [scale_of(summary, metric, CONSOLE_DECIMALS) for metric in SIMILARITIES]
    zeros, rows = scale_of(summary, ZEROS), []
    for slug, arm in summary["arms"].items():
        *cells, similar = (
            cell(arm.get(metric.key), scale, "\n")
            for metric, scale in zip(SIMILARITIES, scales, strict=True)
        )
        silent = numbers.bare_value(arm["zeros"]["value"], zeros)
        dead = f"({_percent(arm['dead'])})"
        similar = similar.partition("\n")[0]
        rows.append((name(summary, slug), *cells, similar, f"{silent} {dead}"))
    heads = (metric.heading.replace(" ", "\n", 1) for metric in SIMILARITIES)
    return Table(("activation", *heads, "at 0\n(dead), %"), tuple(rows))


def arms_table(summary: Mapping[str, Any]) -> Table:
    """Returns the report's table of arms."""
    metrics = (*SIMILARITIES, ZEROS)
    scales = [scale_of(summary, metric) for metric in metrics]
    rows: list[Row] = []
    for slug, arm in summary["arms"].items():
        cells = (
            cell(arm.get(metric.key), scale)
            for metric, scale in zip(metrics, scales, strict=True)
        )
        rows.append((name(summary, slug), *cells, _percent(arm["dead"])))
    heads = (metric.heading for metric in metrics)
    return Table(("activation", *heads, "dead, %"), tuple(rows))


def _percent(share: float) -> str:
    return numbers.share(share).removesuffix(" %")


def drift_table(summary: Mapping[str, Any]) -> Table:
    """Returns the table of each layer's drift, of every arm but the reference."""
    scale = numbers.Scale(percent=True, value_decimals=1, difference_decimals=0)
    rows = tuple(
        (
            name(summary, slug),
            *(cell(told, scale) for told in summary["arms"][slug]["drift_by_layer"]),
        )
        for slug in swaps(summary)
    )
    layers = (f"layer {n}" for n in range(summary["depth"]))
    return Table(("activation", *layers), rows)
