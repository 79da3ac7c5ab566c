"""One look for all figures: sizes, colours of what is no arm, and legends."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from research.reporting import arms

DPI = 150
INK = "#222222"
MUTED = "#6B6B6B"
GRID = "#E4E4E4"
MARGIN = "#EFE9DC"
NEITHER = "#C9C9C9"
# Dense enough that a noisy curve is still followed by the eye.
DASHES = ("-", (0, (5, 1.2)), (0, (1.2, 0.9)), (0, (5, 1.2, 1.2, 1.2)))
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "lines.scale_dashes": True,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "legend.handlelength": 1.8,
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
}


def style() -> Any:
    """Returns a context in which figures are made; nothing global is left changed."""
    return matplotlib.rc_context(STYLE)


def new_figure(width: float = 5.6, height: float = 3.8) -> tuple[Figure, Axes]:
    """Returns a figure of this size in inches, with one pair of axes."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    return figure, figure.add_subplot()


def new_panels(
    count: int, *, width: float, height: float, most: int
) -> tuple[Figure, list[Axes]]:
    """Returns a figure with `count` panels of this size, at most `most` in a row.

    Rows hold as many panels as each other or one fewer; those of a shorter row are wider,
    so that no place is left empty.
    """
    rows = math.ceil(count / most)
    least, longer = divmod(count, rows)
    sizes = [least + (row < longer) for row in range(rows)]
    figure = Figure(
        figsize=(width * sizes[0], height * rows), dpi=DPI, layout="constrained"
    )
    columns = math.lcm(*sizes)
    grid = figure.add_gridspec(rows, columns)
    axes = [
        figure.add_subplot(grid[row, n * columns // size : (n + 1) * columns // size])
        for row, size in enumerate(sizes)
        for n in range(size)
    ]
    return figure, axes


def save(figure: Figure, path: Path) -> Path:
    """Writes a figure as PNG and returns where."""
    figure.savefig(path, facecolor="white")
    return path


def plain(text: str) -> str:
    """Returns a name as matplotlib shows it letter by letter: `$` starts no formula."""
    return text.replace("$", r"\$")


def label(summary: Mapping[str, Any], slug: str) -> str:
    """Returns an arm's name for a legend or a title."""
    return plain(arms.written(summary, slug))


def dashes(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Returns each arm's line style, so that arms that coincide are all seen.

    Where the colours begin anew the styles are shifted, so that no two arms look alike.
    """
    styles = {}
    for n, slug in enumerate(arms.ordered(summary)):
        styles[slug] = DASHES[(n + n // len(arms.PALETTE)) % len(DASHES)]
    return styles


def arm_legend(
    figure: Figure,
    summary: Mapping[str, Any],
    slugs: Sequence[str],
    *,
    margin: bool = False,
) -> None:
    """Puts the names of these arms above the axes, in their colours and line styles."""
    colours, styles = arms.colours(summary), dashes(summary)
    handles: list[Artist] = []
    for slug in slugs:
        line = styles[slug]
        handles.append(
            Line2D([], [], color=colours[slug], linestyle=line, linewidth=2.2)
        )
    names = [label(summary, slug) for slug in slugs]
    if margin:
        handles.append(Patch(color=MARGIN))
        names.append("margin")
    per_row = max(1, min(4, len(names), 72 // (max(map(len, names)) + 5)))
    figure.legend(
        handles, names, loc="outside upper left", ncols=per_row, columnspacing=1.4
    )
