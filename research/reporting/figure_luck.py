"""Luck beside what was found: differences of random halves, and those of the arms."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.reporting import arms, numbers
from research.reporting.figure_style import DPI, INK, MARGIN, MUTED, label

_BINS = 25


def draw_luck(summary: Mapping[str, Any]) -> Figure:
    """Draws how far halves of the reference's seeds differ, and each arm's difference."""
    compared = summary["comparisons"]
    rows = 0.45 + 0.3 * len(compared)
    figure = Figure(figsize=(6.4, 2.9 + rows), dpi=DPI, layout="constrained")
    above, below = figure.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": (2.1, rows)}
    )
    factor = 100 if numbers.is_percent(summary["primary_metric"]) else 1
    for axes in (above, below):
        if summary["margin"] is not None:
            margin = factor * summary["margin"]
            axes.axvspan(-margin, margin, color=MARGIN, zorder=0)
        axes.axvline(0, color=INK, linewidth=0.9, zorder=1)
        axes.grid(axis="y", visible=False)
    _draw_halves(above, summary, factor)
    _draw_arms(below, summary, factor)
    return figure


def _draw_halves(axes: Axes, summary: Mapping[str, Any], factor: int) -> None:
    luck, reference = summary["luck"], label(summary, summary["reference"])
    values = factor * np.asarray(luck["differences"], dtype=np.float64)
    colour = arms.colours(summary)[summary["reference"]]
    axes.hist(
        values,
        bins=bin_edges(values),
        weights=np.full(len(values), 100 / len(values)),
        color=colour,
        alpha=0.45,
    )
    for end in (-factor * luck["halves"]["p95"], factor * luck["halves"]["p95"]):
        axes.axvline(end, color=MUTED, linewidth=1.2, linestyle=(0, (4, 2)))
    each = numbers.counted(luck["halves"]["seeds"], "seed")
    axes.set_title(f"Random halves of {reference}'s own seeds, {each} each")
    axes.set_ylabel("share of splits, %")
    axes.tick_params(axis="x", labelbottom=False)


def bin_edges(values: Float[np.ndarray, " differences"]) -> list[float]:
    """Returns edges, symmetric about 0, of bins that hold equally many possible values.

    Means of accuracies come in steps: an edge on one of them would make a comb.
    """
    reach = float(np.abs(values).max())
    found = np.unique(np.round(values / reach, 9)) * reach
    step = float(np.diff(found).min())
    # An odd number of steps, so that a bin around 0 ends between two of them.
    width = step * (2 * round(reach / _BINS / step) + 1)
    nearest = float(np.abs(found).min()) / step
    shift = 0.5 if abs(nearest - round(nearest)) < 0.25 else 0.0
    half = math.ceil(reach / width)
    return [
        width * (place + shift) for place in range(-half - 1, half + 2 - (shift > 0))
    ]


def _draw_arms(axes: Axes, summary: Mapping[str, Any], factor: int) -> None:
    names = []
    for place, comparison in enumerate(summary["comparisons"]):
        colour = arms.colours(summary)[comparison["arm"]]
        low, high = (numbers.finite(comparison[key]) for key in ("ci_low", "ci_high"))
        if low is not None and high is not None:
            ends = [factor * low, factor * high]
            axes.plot(ends, [place, place], color=colour, linewidth=2.4)
        mean = factor * comparison["mean_difference"]
        axes.plot([mean], [place], marker="D", color=colour, markersize=6)
        names.append(label(summary, comparison["arm"]))
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    metric = numbers.words(summary["primary_metric"])
    unit = ", points" if factor == 100 else ""
    axes.set_title(f"Observed, against {label(summary, summary['reference'])}")
    axes.set_xlabel(f"difference of {metric}{unit}")
