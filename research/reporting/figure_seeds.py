"""What the seeds say one by one: paired differences, and who a few of them would name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullLocator

from research.reporting import arms, numbers, verdicts
from research.reporting.figure_style import (
    INK,
    MARGIN,
    MUTED,
    NEITHER,
    label,
    new_panels,
)

WIDE = (6.4, 3.9)
SMALL = (4.4, 3.4)
MOST_DOTS = 2000


def draw_differences(summary: Mapping[str, Any]) -> Figure:
    """Draws each pair's differences, sorted, with zero, margin, mean and interval.

    Raises:
      ValueError: there is nothing to compare.
    """
    compared = [c for c in summary["comparisons"] if verdicts.is_paired(c)]
    figure, panels = _panels(len(compared))
    for axes, comparison in zip(panels, compared, strict=True):
        _draw_sorted(axes, summary, comparison)
    handles = [
        Line2D([], [], marker="o", linestyle="", color=MUTED, markersize=4),
        Line2D([], [], marker="D", color=INK, markersize=6, linewidth=2),
        *([] if summary["margin"] is None else [Patch(color=MARGIN)]),
    ]
    confidence = f"{100 * summary['confidence']:g} %"
    names = ["one seed", f"mean and its {confidence} interval", "margin"][
        : len(handles)
    ]
    figure.legend(handles, names, loc="outside lower left", ncols=3)
    return figure


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    if not count:
        raise ValueError("one arm alone is compared with nothing")
    width, height = WIDE if count == 1 else SMALL
    return new_panels(count, width=width, height=height, most=2 if count == 4 else 3)


def _draw_sorted(
    axes: Axes, summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> None:
    percent = numbers.is_percent(summary["primary_metric"])
    factor = 100 if percent else 1
    values = factor * np.sort(np.asarray(comparison["differences"], dtype=np.float64))
    count = len(values)
    # Thousands of sorted dots are a line: every so many of them draw it as well.
    ranks = np.unique(np.linspace(1, count, min(count, MOST_DOTS)).astype(int))
    values = values[ranks - 1]
    if summary["margin"] is not None:
        margin = factor * summary["margin"]
        axes.axhspan(-margin, margin, color=MARGIN, zorder=0)
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1)
    axes.scatter(
        ranks, values, s=18, c=_dot_colours(summary, comparison, values), zorder=3
    )
    _draw_mean(axes, comparison, factor, 1.07 * count + 1.5)
    arm, name = comparison["arm"], label(summary, comparison["reference"])
    axes.set_title(f"{label(summary, arm)} − {name}", color=arms.colours(summary)[arm])
    metric = numbers.words(summary["primary_metric"])
    axes.set_ylabel(f"{metric}, points" if percent else metric)
    axes.set_xlabel(f"seeds, sorted: {_tally(comparison)}")
    axes.set_xlim(0, 1.14 * count + 2.5)
    axes.margins(y=0.12)
    axes.xaxis.set_major_locator(FixedLocator(_rank_ticks(count)))
    axes.grid(axis="x", visible=False)


def _tally(comparison: Mapping[str, Any]) -> str:
    n, shares = comparison["n"], comparison["one_seed"]
    ahead, tied, behind = (
        round(shares[key] * n) for key in ("arm", "neither", "reference")
    )
    return f"ahead on {ahead}, tied on {tied}, behind on {behind}"


def _dot_colours(
    summary: Mapping[str, Any], comparison: Mapping[str, Any], values: np.ndarray
) -> list[str]:
    """Returns for each seed the colour of the arm that it would have named."""
    colours, gray = arms.colours(summary), "#9A9A9A"
    good = values if summary["higher_is_better"] else -values
    arm, reference = colours[comparison["arm"]], colours[comparison["reference"]]
    return [arm if d > 0 else reference if d < 0 else gray for d in good]


def _draw_mean(
    axes: Axes, comparison: Mapping[str, Any], factor: int, position: float
) -> None:
    mean = factor * comparison["mean_difference"]
    low, high = (numbers.finite(comparison[key]) for key in ("ci_low", "ci_high"))
    if low is not None and high is not None:
        axes.plot(
            [position, position],
            [factor * low, factor * high],
            color=INK,
            linewidth=2.2,
        )
    axes.plot([position], [mean], marker="D", color=INK, markersize=6.5, zorder=4)


def _rank_ticks(count: int) -> list[int]:
    step = next(s for s in (1, 2, 5, 10, 20, 50, 10**9) if count / s <= 8)
    if step == 10**9:
        step = 10 ** (len(str(count)) - 1)
    return sorted({1, *range(step, count + 1, step)})


def draw_false_winners(summary: Mapping[str, Any]) -> Figure:
    """Draws how often the mean of k seeds names the arm, the reference or neither.

    Raises:
      ValueError: there is nothing to compare.
    """
    figure, panels = _panels(len(summary["comparisons"]))
    for axes, comparison in zip(panels, summary["comparisons"], strict=True):
        _draw_shares(axes, summary, comparison)
    _shares_legend(figure, summary)
    return figure


def _draw_shares(
    axes: Axes, summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> None:
    told, arm = comparison["false_winners"], comparison["arm"]
    shares = [100 * np.asarray(told[k], float) for k in ("arm", "neither", "reference")]
    seeds, fills = told["seeds"], _fills(summary, comparison)
    axes.stackplot(seeds, shares, colors=fills, alpha=0.85, edgecolor="white")
    axes.set_xscale("log")
    axes.set_xlim(1, max(seeds[-1], 2))
    axes.set_ylim(0, 100)
    axes.xaxis.set_major_locator(FixedLocator(_thinned(seeds)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:g}")
    paired = verdicts.is_paired(comparison)
    axes.set_xlabel("seeds averaged" if paired else "runs of each averaged")
    axes.set_ylabel("share of draws, %")
    axes.grid(visible=False)
    if len(summary["comparisons"]) > 1:
        axes.set_title(label(summary, arm), color=arms.colours(summary)[arm])


def _fills(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> list[str]:
    colours = arms.colours(summary)
    return [colours[comparison["arm"]], NEITHER, colours[comparison["reference"]]]


def _shares_legend(figure: Figure, summary: Mapping[str, Any]) -> None:
    """Names the areas; with many panels the arm's own is "the one of the title"."""
    first = summary["comparisons"][0]
    fills, alone = _fills(summary, first), len(summary["comparisons"]) == 1
    arm = label(summary, first["arm"]) if alone else "the arm of the title"
    handles = [
        Patch(facecolor=fills[0], alpha=0.85)
        if alone
        else Patch(facecolor="none", edgecolor=INK),
        *(Patch(facecolor=fill, alpha=0.85) for fill in fills[1:]),
    ]
    names = [f"names {arm}", "neither", f"names {label(summary, first['reference'])}"]
    figure.legend(handles, names, loc="outside upper left", ncols=3, handlelength=1.0)


def _thinned(seeds: list[int]) -> list[int]:
    """Leaves out ticks that would touch the one before on a logarithmic axis."""
    kept: list[int] = []
    for count in seeds:
        if not kept or count / kept[-1] > 1.3:
            kept.append(count)
    return kept
