"""What each source of variation adds: standard deviations with their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.reporting import arms, numbers, recorded
from research.reporting.figure_style import DPI, MUTED, arm_legend, label
from research.reporting.variance_document import TOGETHER, deviation
from research.statistics import Components


def draw_variance(summary: Mapping[str, Any]) -> Figure:
    """Draws the scores' standard deviations by source, and the differences' beside."""
    rows = len(summary["sources"]) + 1
    height = 1.7 + rows * max(0.42, 0.16 * len(summary["arms"]))
    panels = 2 if summary["differences"] else 1
    figure = Figure(figsize=(5.0 * panels, height), dpi=DPI, layout="constrained")
    scores = figure.add_subplot(1, panels, 1)
    told = {slug: arm["components"] for slug, arm in summary["arms"].items()}
    _draw(scores, summary, told, "Scores")
    if summary["differences"]:
        beside = figure.add_subplot(1, panels, 2, sharey=scores, sharex=scores)
        reference = label(summary, summary["reference"])
        title = f"Differences to {reference}"
        _draw(beside, summary, summary["differences"], title)
        beside.tick_params(axis="y", labelleft=False)
    scores.set_xlim(left=0)
    arm_legend(figure, summary, arms.ordered(summary))
    return figure


def _draw(
    axes: Axes, summary: Mapping[str, Any], told: Mapping[str, Any], title: str
) -> None:
    names = [*summary["sources"], TOGETHER]
    slugs = [slug for slug in arms.ordered(summary) if slug in told]
    for place, slug in enumerate(slugs):
        shift = 0.62 * ((place + 0.5) / len(slugs) - 0.5)
        colour = arms.colours(summary)[slug]
        _draw_arm(axes, recorded.components(told[slug]), shift, colour, summary)
    axes.axhline(len(names) - 1.5, color=MUTED, linewidth=0.7)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    percent = numbers.is_percent(summary["primary_metric"])
    metric = numbers.words(summary["primary_metric"])
    axes.set_xlabel(f"sd of {metric} over seeds{', points' if percent else ''}")
    axes.set_title(title)
    axes.grid(axis="y", visible=False)


def _draw_arm(
    axes: Axes,
    found: Components,
    shift: float,
    colour: str,
    summary: Mapping[str, Any],
) -> None:
    factor = 100 if numbers.is_percent(summary["primary_metric"]) else 1
    for row, part in enumerate((*found.sources.values(), found.total)):
        low, middle, high = (
            factor * deviation(end)
            for end in (part.ci_low, part.variance, part.ci_high)
        )
        height: Sequence[float] = [row + shift] * 2
        axes.plot([low, high], height, color=colour, linewidth=2.2)
        axes.plot([middle], height[:1], marker="D", color=colour, markersize=5.5)
