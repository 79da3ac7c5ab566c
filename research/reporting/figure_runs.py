"""Scores of unpaired runs, arm beside arm."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from research.reporting import arms, numbers
from research.reporting.figure_style import INK, MUTED, label, new_figure

MOST_DOTS = 2000
MOST_NAMES = 6  # more stand slanted


def draw_scores(summary: Mapping[str, Any], runs: Mapping[str, np.ndarray]) -> Figure:
    """Draws every run of every arm, with the arm's mean and its interval."""
    order = arms.ordered(summary)
    figure, axes = new_figure(max(5.6, 1.1 * len(order)), 3.9)
    for place, slug in enumerate(order):
        _draw_arm(axes, summary, slug, place, runs[slug])
    axes.set_xticks(range(len(order)), [label(summary, slug) for slug in order])
    if len(order) > MOST_NAMES:
        axes.tick_params(axis="x", rotation=30)
    axes.set_xlim(-0.6, len(order) - 0.4)
    metric = numbers.words(summary["primary_metric"])
    axes.set_ylabel(f"{metric}, %" if numbers.is_percent(metric) else metric)
    axes.grid(axis="x", visible=False)
    handles = [
        Line2D([], [], marker="o", linestyle="", color=MUTED, markersize=4),
        Line2D([], [], marker="D", color=INK, markersize=6, linewidth=2),
    ]
    level = f"{100 * summary['confidence']:g} %"
    names = ["one run", f"mean and its {level} interval"]
    figure.legend(handles, names, loc="outside lower left", ncols=2)
    return figure


def _draw_arm(
    axes: Axes,
    summary: Mapping[str, Any],
    slug: str,
    place: int,
    runs: Float[np.ndarray, " runs"],
) -> None:
    arm, colour = summary["arms"][slug], arms.colours(summary)[slug]
    factor = 100 if numbers.is_percent(summary["primary_metric"]) else 1
    scores = factor * np.sort(runs.astype(np.float64))
    # Thousands of sorted dots look like every so many of them.
    shown = np.linspace(0, len(scores) - 1, min(len(scores), MOST_DOTS))
    scores = scores[shown.astype(int)]
    x = place - 0.12 + _spread(len(scores))
    axes.scatter(x, scores, s=18, color=colour, alpha=_alpha(len(scores)), linewidths=0)
    ends = [factor * arm["ci_low"], factor * arm["ci_high"]]
    axes.plot([place + 0.3] * 2, ends, color=INK, linewidth=2.2)
    axes.plot(
        [place + 0.3], [factor * arm["mean"]], marker="D", color=INK, markersize=6.5
    )


def _spread(count: int) -> Float[np.ndarray, " count"]:
    """Places beside one another, so that near scores are all seen; the same each time."""
    golden = (np.arange(count) * 0.6180339887) % 1.0
    return 0.4 * (golden - 0.5)


def _alpha(count: int) -> float:
    return 0.8 if count < 200 else 0.25
