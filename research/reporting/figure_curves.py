"""Validation curves over the epochs: means, their bands, and the spread of the seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from scipy import special

from research.reporting import arms, numbers
from research.reporting.figure_style import (
    INK,
    MARGIN,
    arm_legend,
    dashes,
    label,
    new_figure,
)

Curves = Mapping[str, np.ndarray]

# In percent: a curve that does not move is drawn flat, not as its rounding errors.
LEAST_SPAN = 0.5


def complete(curves: Float[np.ndarray, "seeds epochs"]) -> Bool[np.ndarray, " seeds"]:
    """Tells which seeds have a finite value to the last epoch: those that never diverged."""
    return np.all(np.isfinite(curves), axis=1)


def mean_band(
    curves: Float[np.ndarray, "seeds epochs"], confidence: float
) -> tuple[Float[np.ndarray, " epochs"], Float[np.ndarray, " epochs"]]:
    """Returns the mean and the half-width of its t interval, NaN for fewer than 2 seeds."""
    n, epochs = curves.shape
    mean = curves.mean(axis=0, dtype=np.float64)
    if n < 2:
        return mean, np.full(epochs, np.nan)
    t = float(special.stdtrit(n - 1, (1 + confidence) / 2))
    return mean, t * curves.std(axis=0, ddof=1, dtype=np.float64) / n**0.5


def draw_metric(summary: Mapping[str, Any], curves: Curves, metric: str) -> Figure:
    """Draws one validation metric of all arms.

    Raises:
      ValueError: no arm has a training that lasted to the end.
    """
    figure, axes = new_figure()
    factor = 100 if numbers.is_percent(metric) else 1
    drawn, shown = [], []
    for slug in arms.ordered(summary):
        values = factor * curves[f"{slug}/{metric}"].astype(np.float64)
        values = values[complete(values)]
        if len(values):
            _draw_arm(axes, summary, slug, values)
            shown.append(values)
            drawn.append(slug)
    if not drawn:
        raise ValueError("every training diverged")
    _finish_metric(axes, metric, shown, start=arms.from_checkpoint(summary))
    arm_legend(figure, summary, drawn)
    return figure


def _draw_arm(
    axes: Axes,
    summary: Mapping[str, Any],
    slug: str,
    values: Float[np.ndarray, "seeds epochs"],
) -> None:
    colour, line = arms.colours(summary)[slug], dashes(summary)[slug]
    mean, half = mean_band(values, summary["confidence"])
    epochs = np.arange(len(mean))
    if len(values) > 1:
        # Many bands on top of one another would only be mud.
        few = len(summary["arms"]) <= 3
        low, high = np.quantile(values, (0.05, 0.95), axis=0)
        shades = [(low, high, 0.10)] if few else []
        shades.append((mean - half, mean + half, 0.35 if few else 0.22))
        for bottom, top, alpha in shades:
            axes.fill_between(
                epochs, bottom, top, color=colour, alpha=alpha, linewidth=0
            )
    axes.plot(epochs, mean, color=colour, linestyle=line)


def _finish_metric(
    axes: Axes,
    metric: str,
    shown: list[Float[np.ndarray, "_ epochs"]],
    *,
    start: bool,
) -> None:
    """Names the axes and fits them.

    Args:
      start: whether the start tells something, and is no chance.
    """
    words, percent = metric.replace("_", " "), numbers.is_percent(metric)
    axes.set_xlabel("epoch")
    axes.set_ylabel(f"{words}, %" if percent else words)
    axes.set_xlim(0, max(1, shown[0].shape[1] - 1))
    linear = percent or "cosine" in metric
    if not linear and min(values.min() for values in shown) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_locator(NullLocator())
    elif shown[0].shape[1] > 2 and not start:
        _leave_out_the_start(axes, shown)
    low, high = axes.get_ylim()
    if percent and high - low < LEAST_SPAN:
        middle = (low + high) / 2
        axes.set_ylim(middle - LEAST_SPAN / 2, middle + LEAST_SPAN / 2)


def _leave_out_the_start(
    axes: Axes, shown: list[Float[np.ndarray, "_ epochs"]], *, with_zero: bool = False
) -> None:
    """Lets the curves of untrained networks run out of the picture, which is all chance."""
    later = [np.quantile(values[:, 1:], (0.05, 0.95), axis=0) for values in shown]
    low, high = min(q[0].min() for q in later), max(q[1].max() for q in later)
    if with_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    pad = 0.05 * max(high - low, 1e-6)
    axes.set_ylim(low - pad, high + pad)


def draw_difference(summary: Mapping[str, Any], curves: Curves, metric: str) -> Figure:
    """Draws each arm's paired difference to the reference at every epoch.

    Raises:
      ValueError: no arm has a seed on which both trainings lasted to the end.
    """
    figure, axes = new_figure()
    factor = 100 if numbers.is_percent(metric) else 1
    reference = curves[f"{summary['reference']}/{metric}"].astype(np.float64)
    drawn, shown = [], []
    for comparison in summary["comparisons"]:
        slug = comparison["arm"]
        both = curves[f"{slug}/{metric}"].astype(np.float64) - reference
        paired = factor * both[complete(both)]
        if len(paired):
            _draw_arm(axes, summary, slug, paired)
            shown.append(paired)
            drawn.append(slug)
    if not drawn:
        raise ValueError("no seed lasted to the end under both arms")
    _finish_difference(axes, summary, metric, shown)
    same_unit = numbers.is_percent(metric) == numbers.is_percent(
        summary["primary_metric"]
    )
    arm_legend(figure, summary, drawn, margin=same_unit)
    return figure


def _finish_difference(
    axes: Axes,
    summary: Mapping[str, Any],
    metric: str,
    shown: list[Float[np.ndarray, "_ epochs"]],
) -> None:
    percent = numbers.is_percent(metric)
    words = metric.replace("_", " ")
    name = label(summary, summary["reference"])
    if percent == numbers.is_percent(summary["primary_metric"]):
        margin = summary["margin"] * (100 if percent else 1)
        axes.axhspan(-margin, margin, color=MARGIN, zorder=0)
    axes.axhline(0, color=INK, linewidth=0.9)
    axes.set_xlabel("epoch")
    unit = ", points" if percent else ""
    axes.set_ylabel(f"{words}\nagainst {name}{unit}")
    axes.set_xlim(0, max(1, shown[0].shape[1] - 1))
    if shown[0].shape[1] > 2:
        _leave_out_the_start(axes, shown, with_zero=True)
