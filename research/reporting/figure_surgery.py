"""What a swapped activation does to a trained encoder: similarities, and drift by layer."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.reporting import arms
from research.reporting.figure_style import INK, new_figure, new_panels, plain
from research.reporting.surgery_tables import SIMILARITIES, Metric, name, swaps


def draw_similarity(summary: Mapping[str, Any]) -> Figure:
    """Draws each swap's similarities with their intervals, a panel each."""
    slugs = swaps(summary)
    height = 1.2 + 0.34 * len(slugs)
    figure, panels = new_panels(len(SIMILARITIES), width=4.6, height=height, most=2)
    for axes, metric in zip(panels, SIMILARITIES, strict=True):
        _draw_metric(axes, summary, metric)
        axes.set_yticks(
            range(len(slugs)), [plain(name(summary, slug)) for slug in slugs]
        )
        axes.set_ylim(len(slugs) - 0.5, -0.5)
        axes.set_title(metric.heading[0].upper() + metric.heading[1:])
        axes.locator_params(axis="x", nbins=5)
        axes.grid(axis="y", visible=False)
    return figure


def draw_drift(summary: Mapping[str, Any]) -> Figure:
    """Draws the drift of every layer's output, one line for each swap."""
    figure, axes = new_figure(6.4, 3.8)
    colours, layers, named = _colours(summary), range(summary["depth"]), set()
    for slug in swaps(summary):
        arm = summary["arms"][slug]
        low, middle, high = (
            [100 * told[key] for told in arm["drift_by_layer"]]
            for key in ("ci_low", "value", "ci_high")
        )
        colour, written = colours[slug], arms.written(summary, slug)
        axes.fill_between(layers, low, high, color=colour, alpha=0.2, linewidth=0)
        label = "" if written in named else plain(written)
        axes.plot(layers, middle, color=colour, marker="o", markersize=4, label=label)
        named.add(written)
    axes.set_xticks(layers)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("layer")
    axes.set_ylabel("drift of its output, %")
    figure.legend(loc="outside upper left", ncols=4)
    return figure


def _draw_metric(axes: Axes, summary: Mapping[str, Any], metric: Metric) -> None:
    factor, colours = 100 if metric.percent else 1, _colours(summary)
    base = summary["arms"][summary["reference"]].get(metric.key)
    if base:
        axes.axvline(factor * base["value"], color=INK, linewidth=0.9, zorder=1)
    for place, slug in enumerate(swaps(summary)):
        told = summary["arms"][slug][metric.key]
        if told["value"] is None:
            continue
        if told["ci_low"] is not None:
            ends = [factor * told[key] for key in ("ci_low", "ci_high")]
            axes.plot(ends, [place, place], color=colours[slug], linewidth=2.2)
        middle = [factor * told["value"]]
        axes.plot(middle, [place], marker="D", color=colours[slug], markersize=5.5)


def _colours(summary: Mapping[str, Any]) -> dict[str, str]:
    """Returns each arm's colour: one for each activation, in whatever layers it is."""
    names = list(dict.fromkeys(arm["name"] for arm in summary["arms"].values()))
    return {
        slug: arms.PALETTE[names.index(arm["name"]) % len(arms.PALETTE)]
        for slug, arm in summary["arms"].items()
    }
