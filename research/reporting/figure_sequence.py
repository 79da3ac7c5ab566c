"""How the evidence grew: each arm's confidence sequence over the seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from research.reporting import arms, numbers
from research.reporting.figure_style import INK, MARGIN, MUTED, label, new_panels

_GUARD = (0, (4, 2))


def draw_sequence(summary: Mapping[str, Any]) -> Figure:
    """Draws mean and confidence sequence against the number of seeds, arm by arm."""
    compared = [c for c in summary["comparisons"] if c.get("sequence")]
    alone = len(compared) == 1
    width, height = (6.4, 3.9) if alone else (4.4, 3.4)
    most = 2 if len(compared) == 4 else 3
    figure, panels = new_panels(len(compared), width=width, height=height, most=most)
    for axes, comparison in zip(panels, compared, strict=True):
        _draw(axes, summary, comparison)
    _legend(figure, summary)
    return figure


def _draw(
    axes: Axes, summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> None:
    factor = 100 if numbers.is_percent(summary["primary_metric"]) else 1
    told, arm = comparison["sequence"], comparison["arm"]
    n = np.asarray(told["n"])
    # An end without bound is None, and NaN is not drawn.
    low, mean, high = (
        factor * np.array(told[key], dtype=np.float64)
        for key in ("low", "mean", "high")
    )
    colour = arms.colours(summary)[arm]
    margin = factor * (summary["margin"] or 0.0)
    if margin:
        axes.axhspan(-margin, margin, color=MARGIN, zorder=0)
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1)
    axes.fill_between(n, low, high, color=colour, alpha=0.25, linewidth=0)
    axes.plot(n, mean, color=colour)
    looks = [look["seeds"] for look in summary.get("looks", ())]
    taken = np.isin(n, looks)
    ends = np.stack([mean - low, high - mean])[:, taken]
    axes.errorbar(n[taken], mean[taken], ends, fmt="D", color=colour, markersize=5)
    if told["first_look"] is not None:
        axes.axvline(told["first_look"], color=MUTED, linewidth=1.2, linestyle=_GUARD)
    axes.set_ylim(*_window(n, low, high, margin))
    axes.set_xlim(n[0] - 0.5, n[-1] + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    reference = label(summary, comparison["reference"])
    axes.set_title(f"{label(summary, arm)} − {reference}", color=colour)
    metric = numbers.words(summary["primary_metric"])
    axes.set_ylabel(f"{metric}, points" if factor == 100 else metric)
    axes.set_xlabel("seeds")


def _window(
    n: np.ndarray,
    low: Float[np.ndarray, " looks"],
    high: Float[np.ndarray, " looks"],
    margin: float,
) -> tuple[float, float]:
    """Returns the heights shown: the wide intervals of the first seeds run out of it."""
    known = np.isfinite(low) & np.isfinite(high)
    later = known & (n >= min(1.5 * n[0], n[-1]))
    shown = later if later.any() else known
    bottom = min(-margin, 0.0, *low[shown])
    top = max(margin, 0.0, *high[shown])
    pad = 0.06 * max(top - bottom, 1e-9)
    return bottom - pad, top + pad


def _legend(figure: Figure, summary: Mapping[str, Any]) -> None:
    level = f"{100 * summary['confidence']:g} %"
    handles = [
        Patch(facecolor=MUTED, alpha=0.3),
        Line2D([], [], marker="D", color=MUTED, markersize=5),
        Line2D([], [], color=MUTED, linewidth=1.2, linestyle=_GUARD),
    ]
    names = [f"{level} confidence sequence", "a look", "first that may decide"]
    if summary["margin"] is not None:
        handles.append(Patch(color=MARGIN))
        names.append("margin")
    figure.legend(handles, names, loc="outside upper left", ncols=4, columnspacing=1.2)
