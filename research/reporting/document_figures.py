"""The figures of the reports that are no single comparison."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.reporting import numbers
from research.reporting.arms import PALETTE, WRITTEN
from research.reporting.figure_recovery import draw_recovery, read_curves
from research.reporting.figure_style import DPI, INK, MUTED, new_figure, plain
from research.reporting.figure_surgery import draw_drift, draw_head, draw_similarity
from research.reporting.figure_variance import draw_variance
from research.reporting.figures import Drawn, draw_each
from research.reporting.surgery_names import is_causal


def draw_document(workdir: Path, summary: Mapping[str, Any]) -> Drawn:
    """Draws the document's figures into figures/."""
    wanted: dict[str, dict[str, Callable[[], Figure]]] = {
        "suite": {"suite": lambda: draw_suite(summary)},
        "check_table": {"claims": lambda: draw_claims(summary)},
        "variance": {"variance": lambda: draw_variance(summary)},
    }
    if summary["mode"] == "surgery":
        return draw_each(workdir, _of_surgery(workdir, summary))
    return draw_each(workdir, wanted[summary["mode"]])


def _of_surgery(
    workdir: Path, summary: Mapping[str, Any]
) -> dict[str, Callable[[], Figure]]:
    """Returns how its figures are drawn, those that there is something for."""
    known = {
        "head": summary["head"] is not None,
        "similarity": not is_causal(summary),
        "recovery": summary["tuned"] is not None,
    }
    wanted: dict[str, Callable[[], Figure]] = {
        "head": lambda: draw_head(summary),
        "similarity": lambda: draw_similarity(summary),
        "recovery": lambda: draw_recovery(summary, read_curves(workdir)),
        "drift": lambda: draw_drift(summary),
    }
    return {name: draw for name, draw in wanted.items() if known.get(name, True)}


def draw_suite(summary: Mapping[str, Any]) -> Figure:
    """Draws the arms' ranks over the tasks, and their interquartile means beside."""
    arms = sorted(summary["arms"], key=lambda arm: summary["average_ranks"][arm])
    panels = 2 if summary["iqm"] else 1
    size = (5.2 * panels, 1.4 + 0.5 * len(arms))
    figure = Figure(figsize=size, dpi=DPI, layout="constrained")
    ranks = figure.add_subplot(1, panels, 1)
    _draw_ranks(ranks, summary, arms)
    if summary["iqm"]:
        _draw_iqm(figure.add_subplot(1, panels, 2, sharey=ranks), summary, arms)
    return figure


def _colour(summary: Mapping[str, Any], arm: str) -> str:
    """The reference has the first colour, as everywhere."""
    reference = summary["reference"]
    order = [reference, *(name for name in summary["arms"] if name != reference)]
    return PALETTE[order.index(arm) % len(PALETTE)]


def _draw_ranks(axes: Axes, summary: Mapping[str, Any], arms: list[str]) -> None:
    for place, arm in enumerate(arms):
        ranks = [task["ranks"][arm] for task in summary["tasks"]]
        spread = np.linspace(-0.22, 0.22, len(ranks)) if len(ranks) > 1 else [0.0]
        heights = [place + shift for shift in spread]
        axes.scatter(ranks, heights, s=18, color=_colour(summary, arm), alpha=0.7)
        average = summary["average_ranks"][arm]
        axes.plot([average], [place], marker="D", color=INK, markersize=7)
    names: list[str] = [summary["arms"][arm]["name"] for arm in arms]
    axes.set_yticks(range(len(arms)), [plain(WRITTEN.get(n, n)) for n in names])
    axes.set_ylim(len(arms) - 0.4, -0.6)
    axes.set_xlim(0.7, len(arms) + 0.3)
    axes.set_xticks(range(1, len(arms) + 1))
    axes.set_xlabel("rank on each task, and their average (1 is best)")
    axes.grid(axis="y", visible=False)


def _draw_iqm(axes: Axes, summary: Mapping[str, Any], arms: list[str]) -> None:
    percent = numbers.is_percent(summary["primary_metric"])
    factor = 100 if percent else 1
    told = {each["arm"]: each for each in summary["iqm"]}
    for place, arm in enumerate(arms):
        ends = [factor * told[arm][key] for key in ("ci_low", "ci_high")]
        colour = _colour(summary, arm)
        axes.plot(ends, [place, place], color=colour, linewidth=3)
        axes.plot([factor * told[arm]["iqm"]], [place], marker="D", color=INK)
    metric = numbers.words(summary["primary_metric"])
    axes.set_xlabel(f"interquartile mean of {metric}{', %' if percent else ''}")
    axes.tick_params(axis="y", labelleft=False)
    axes.grid(axis="y", visible=False)


def draw_claims(summary: Mapping[str, Any]) -> Figure:
    """Draws each row's difference to the reference with its interval."""
    claims = summary["claims"]
    figure, axes = new_figure(6.4, 1.5 + 0.32 * len(claims))
    for place, claim in enumerate(claims):
        held = claim["finding"] == "survives"
        colour = PALETTE[0] if held else MUTED
        ends = [claim["ci_low"], claim["ci_high"]]
        axes.plot(ends, [place, place], color=colour, linewidth=2.2)
        axes.plot(
            [claim["mean_difference"]],
            [place],
            marker="D",
            color=colour,
            markerfacecolor=colour if held else "white",
        )
    axes.axvline(0, color=INK, linewidth=0.9, zorder=1)
    names = [plain(claim["name"]) for claim in claims]
    axes.set_yticks(range(len(claims)), names)
    axes.set_ylim(len(claims) - 0.4, -0.6)
    axes.set_xlabel(plain(f"mean minus that of {summary['reference']}"))
    axes.grid(axis="y", visible=False)
    return figure
