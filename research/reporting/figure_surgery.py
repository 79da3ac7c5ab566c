"""What a swapped activation does to a checkpoint: what is left, and drift by layer."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.reporting import arms
from research.reporting.figure_style import INK, new_figure, new_panels, plain
from research.reporting.surgery_names import changed, written
from research.reporting.surgery_tables import (
    SIMILARITIES,
    Metric,
    head_metrics,
    scale_of,
    told,
)


def draw_similarity(summary: Mapping[str, Any]) -> Figure:
    """Draws each model's similarities with their intervals, a panel each."""
    return _draw_panels(summary, SIMILARITIES)


def draw_head(summary: Mapping[str, Any]) -> Figure:
    """Draws what the head says, with intervals, a panel each; perplexity is the loss."""
    return _draw_panels(
        summary, [each for each in head_metrics(summary) if each.key != "perplexity"]
    )


def _draw_panels(summary: Mapping[str, Any], metrics: Sequence[Metric]) -> Figure:
    slugs = changed(summary)
    height = 1.2 + 0.34 * len(slugs)
    figure, panels = new_panels(len(metrics), width=3.5, height=height, most=2)
    for axes, metric in zip(panels, metrics, strict=True):
        _draw_metric(axes, summary, metric)
        axes.set_yticks(
            range(len(slugs)), [plain(written(summary, slug)) for slug in slugs]
        )
        axes.set_ylim(len(slugs) - 0.5, -0.5)
        axes.set_title(metric.heading[0].upper() + metric.heading[1:])
        axes.locator_params(axis="x", nbins=3)
        axes.ticklabel_format(axis="x", useOffset=False)
        axes.grid(axis="y", visible=False)
    return figure


def _draw_metric(axes: Axes, summary: Mapping[str, Any], metric: Metric) -> None:
    factor, colours = 100 if metric.percent else 1, arm_colours(summary)
    base = told(summary, summary["reference"], metric)
    if base and base["value"] is not None:
        axes.axvline(factor * base["value"], color=INK, linewidth=0.9, zorder=1)
    drawn = [] if base is None else [base]
    for place, slug in enumerate(changed(summary)):
        found = told(summary, slug, metric)
        if found is None or found["value"] is None:
            continue
        drawn.append(found)
        colour = colours[slug]
        if found["ci_low"] is not None:
            ends = [factor * found[key] for key in ("ci_low", "ci_high")]
            axes.plot(ends, [place, place], color=colour, linewidth=2.2, zorder=2)
        fill = "white" if summary["arms"][slug]["tuned"] else colour
        axes.plot(
            [factor * found["value"]],
            [place],
            marker="D",
            color=colour,
            markerfacecolor=fill,
            markersize=5.5,
            zorder=3,
        )
    _leave_room(axes, summary, metric)


def _leave_room(axes: Axes, summary: Mapping[str, Any], metric: Metric) -> None:
    """Keeps an axis from showing differences smaller than any that is written."""
    low, high = axes.get_xlim()
    least = 4 * 10.0 ** -scale_of(summary, metric).value_decimals
    if high - low < least:
        middle = (low + high) / 2
        axes.set_xlim(middle - least / 2, middle + least / 2)


def draw_drift(summary: Mapping[str, Any]) -> Figure:
    """Draws the drift of every layer's output, a line for each model, tuned ones dashed."""
    figure, axes = new_figure(6.4, 3.8)
    colours, layers, named = arm_colours(summary), range(summary["depth"]), set()
    for slug in changed(summary):
        arm = summary["arms"][slug]
        low, middle, high = (
            [100 * each[key] for each in arm["drift_by_layer"]]
            for key in ("ci_low", "value", "ci_high")
        )
        colour, line = colours[slug], "--" if arm["tuned"] else "-"
        # Layers that are swapped one by one share their activation's name.
        name = arms.written(summary, slug) if arm["swapped"] else written(summary, slug)
        name = written(summary, slug) if summary["layers"] != "each" else name
        axes.fill_between(layers, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(
            layers,
            middle,
            color=colour,
            linestyle=line,
            marker="o",
            markersize=4,
            label="" if name in named else plain(name),
        )
        named.add(name)
    axes.set_xticks(layers)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("layer")
    axes.set_ylabel("drift of its output, %")
    figure.legend(loc="outside upper left", ncols=3, handlelength=3)
    return figure


def arm_colours(summary: Mapping[str, Any]) -> dict[str, str]:
    """Returns each model's colour: one for each activation, wherever and however long."""
    names = list(dict.fromkeys(arm["name"] for arm in summary["arms"].values()))
    return {
        slug: arms.PALETTE[names.index(arm["name"]) % len(arms.PALETTE)]
        for slug, arm in summary["arms"].items()
    }
