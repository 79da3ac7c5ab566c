"""What the activations look like, and the boundaries that one seed drew with them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from research.reporting import arms
from research.reporting.figure_style import (
    INK,
    MUTED,
    arm_legend,
    dashes,
    label,
    new_figure,
    new_panels,
)

# Classes are no arms: teal and amber, told apart by their markers as well.
CLASSES = ("#3B6E72", "#B8862B")
SHADES = LinearSegmentedColormap.from_list("classes", ["#A9C9CB", "#F8F7F3", "#EBD09A"])
MARKERS = ("o", "^")


def draw_activation(
    summary: Mapping[str, Any], shapes: Mapping[str, np.ndarray], what: str
) -> Figure:
    """Draws the activations (`what` is "value") or their slopes ("derivative")."""
    figure, axes = new_figure()
    x = shapes["activation/x"]
    colours, styles = arms.colours(summary), dashes(summary)
    slugs = arms.ordered(summary)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.axvline(0, color=MUTED, linewidth=0.8)
    for slug in slugs:
        y = shapes[f"activation/{slug}/{what}"]
        axes.plot(x, y, color=colours[slug], linestyle=styles[slug])
    axes.set_xlim(x[0], x[-1])
    _limit(axes, x, [shapes[f"activation/{slug}/{what}"] for slug in slugs])
    axes.set_xlabel("input")
    axes.set_ylabel("activation" if what == "value" else "derivative")
    arm_legend(figure, summary, slugs)
    return figure


def _limit(
    axes: Axes, x: Float[np.ndarray, " points"], shown: list[np.ndarray]
) -> None:
    """Keeps a steep arm (a square) from flattening the others."""
    values = np.concatenate(shown)
    values = values[np.isfinite(values)]
    low, high = max(values.min(), x[0]), min(values.max(), 1.25 * x[-1])
    pad = 0.06 * max(high - low, 1e-3)
    axes.set_ylim(low - pad, high + pad)


def draw_boundaries(
    summary: Mapping[str, Any], shapes: Mapping[str, np.ndarray]
) -> Figure:
    """Draws one panel an arm: the probability of class 1, where it is one half, the rows."""
    slugs = [slug for slug in arms.ordered(summary) if f"boundary/{slug}" in shapes]
    most = len(slugs) if len(slugs) <= 3 else 2 if len(slugs) == 4 else 3
    x, y = (shapes[f"boundary/{axis}"] for axis in "xy")
    # As high as equal units ask for, with room for a title and a share of the legend.
    height = 3.4 * float((y[-1] - y[0]) / (x[-1] - x[0])) + 0.55
    figure, panels = new_panels(len(slugs), width=3.5, height=height, most=most)
    for axes, slug in zip(panels, slugs, strict=True):
        _draw_field(axes, shapes, shapes[f"boundary/{slug}"])
        title = f"{label(summary, slug)}, seed {int(shapes['boundary/seed'])}"
        axes.set_title(title, color=arms.colours(summary)[slug])
    handles = [
        *(
            Line2D([], [], marker=m, linestyle="", color=c, markersize=5)
            for m, c in zip(MARKERS, CLASSES, strict=True)
        ),
        Line2D([], [], color=INK, linewidth=1.8),
    ]
    names = ["class 0", "class 1", "probability one half"]
    figure.legend(handles, names, loc="outside lower left", ncols=3)
    return figure


def _draw_field(
    axes: Axes, shapes: Mapping[str, np.ndarray], field: Float[np.ndarray, "y x"]
) -> None:
    x, y = shapes["boundary/x"], shapes["boundary/y"]
    axes.pcolormesh(
        x, y, np.ma.masked_invalid(field), cmap=SHADES, vmin=0, vmax=1, rasterized=True
    )
    if np.isfinite(field).all() and field.min() < 0.5 < field.max():
        axes.contour(x, y, field, levels=[0.5], colors=INK, linewidths=1.8)
    points, labels = shapes["boundary/points"], shapes["boundary/labels"]
    # Thousands of rows stay dots; a few hundred are told apart by their shape.
    size, edge = (14, 0.4) if len(points) <= 600 else (7, 0.2)
    for row, (marker, colour) in enumerate(zip(MARKERS, CLASSES, strict=True)):
        chosen = points[labels == row]
        axes.scatter(
            *chosen.T,
            s=size,
            marker=marker,
            c=colour,
            linewidths=edge,
            edgecolors="white",
        )
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
