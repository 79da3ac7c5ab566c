"""The figures of a profile: functions with two derivatives, and their errors over x."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.reporting import arms
from research.reporting.figure_style import MUTED, arm_legend, dashes, new_panels

Arrays = Mapping[str, np.ndarray]
PANELS = (
    ("value", "function", (-1.5, 5.0)),
    ("derivative", "derivative", (-1.0, 2.0)),
    ("second", "second derivative", (-1.5, 1.5)),
)
TYPES = ("float32", "float16", "bfloat16")
HALF = 0.5
NOTE = (
    "Dotted: one half, the best that rounding allows. Where a derivative is zero its unit "
    "vanishes; the peak there is not counted."
)


def profile_figures(
    told: Mapping[str, Any], drawn: Arrays
) -> dict[str, Callable[[], Figure]]:
    """Returns how each figure of a profile is drawn, by the name of its file."""
    return {
        "functions": lambda: draw_functions(told, drawn),
        "errors": lambda: draw_errors(told, drawn),
    }


def draw_functions(told: Mapping[str, Any], drawn: Arrays) -> Figure:
    """Draws one panel each for f, f' and f''; a kink's second derivative is not seen."""
    summary = _as_summary(told)
    figure, panels = new_panels(3, width=4.4, height=3.9, most=3)
    for axes, (what, title, window) in zip(panels, PANELS, strict=True):
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.axvline(0, color=MUTED, linewidth=0.8)
        shown = {slug: drawn[f"{slug}/{what}"] for slug in summary["arms"]}
        _lines(axes, summary, drawn["x"], shown)
        _limit(axes, window, shown)
        axes.set_xlim(drawn["x"][0], drawn["x"][-1])
        axes.set_title(title)
        axes.set_xlabel("input")
    arm_legend(figure, summary, tuple(summary["arms"]))
    return figure


def draw_errors(told: Mapping[str, Any], drawn: Arrays) -> Figure:
    """Draws the largest error in each strip of x: a column a type, f above f'.

    Linear up to one half, the best that rounding allows, and logarithmic above. A
    cross at the top is a failure.
    """
    summary = _as_summary(told)
    figure, panels = new_panels(6, width=4.2, height=3.1, most=3)
    for place, axes in enumerate(panels):
        order, column = divmod(place, 3)
        dtype = TYPES[column]
        shown = {slug: drawn[f"{slug}/{dtype}/{order}"] for slug in summary["arms"]}
        axes.axhline(HALF, color=MUTED, linewidth=0.8, linestyle=(0, (2, 2)))
        axes.set_yscale("symlog", linthresh=HALF, linscale=0.6)
        _lines(axes, summary, drawn["strips"], shown)
        _error_ticks(axes, shown)
        _crosses(axes, summary, drawn["strips"], shown)
        axes.set_title(f"{dtype}, {'derivative' if order else 'function'}")
        axes.set_xlim(-10, 10)
        axes.set_xticks(range(-10, 11, 5))
        if column == 0:
            axes.set_ylabel("largest error, ulp")
        if order == 1:
            axes.set_xlabel("input")
    figure.supxlabel(NOTE, fontsize=9.5, x=0.01, ha="left")
    arm_legend(figure, summary, tuple(summary["arms"]))
    return figure


def _as_summary(told: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what names and colours are taken from, as a run's summary has it."""
    activations = told["activations"]
    return {
        "arms": activations,
        "reference": next(iter(activations)),
        "comparisons": [],
    }


def _lines(
    axes: Axes,
    summary: Mapping[str, Any],
    x: Float[np.ndarray, " points"],
    shown: Mapping[str, np.ndarray],
) -> None:
    colours, styles = arms.colours(summary), dashes(summary)
    for slug, y in shown.items():
        finite = np.where(np.isfinite(y), y, np.nan)
        axes.plot(x, finite, color=colours[slug], linestyle=styles[slug], linewidth=1.5)


def _limit(
    axes: Axes, window: tuple[float, float], shown: Mapping[str, np.ndarray]
) -> None:
    """Keeps a steep activation from flattening the others, and shows no empty space."""
    values = np.concatenate(list(shown.values()))
    values = values[np.isfinite(values)]
    low = max(float(values.min()), window[0]) if values.size else window[0]
    high = min(float(values.max()), window[1]) if values.size else window[1]
    pad = 0.06 * max(high - low, 0.2)
    axes.set_ylim(min(low, 0) - pad, high + pad)


def _error_ticks(axes: Axes, shown: Mapping[str, np.ndarray]) -> None:
    values = np.concatenate(list(shown.values()))
    top = float(np.max(values, initial=1.0, where=np.isfinite(values)))
    # 1 stands too near to one half where there is much above.
    powers = range(0 if top < 1000 else 1, 7)
    ticks = [0, HALF, *(10.0**n for n in powers if 10.0**n <= 3 * top)]
    axes.set_yticks(ticks, [f"{tick:,}".removesuffix(".0") for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(0, 1.6 * max(top, 1))


def _crosses(
    axes: Axes,
    summary: Mapping[str, Any],
    x: Float[np.ndarray, " points"],
    shown: Mapping[str, np.ndarray],
) -> None:
    colours = arms.colours(summary)
    top = axes.get_ylim()[1]
    for slug, y in shown.items():
        failed = x[np.isposinf(y)]
        axes.plot(failed, np.full(failed.shape, top), "x", color=colours[slug], ms=4)
