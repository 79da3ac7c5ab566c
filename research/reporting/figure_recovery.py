"""What tuning brings back, step by step: of the tuned run's curves."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from research.records.folder import RunFolder, read_arrays
from research.reporting import arms, numbers
from research.reporting.figure_curves import Curves, complete, mean_band
from research.reporting.figure_style import INK, new_figure, plain
from research.reporting.figure_surgery import arm_colours
from research.reporting.surgery_names import TUNED, has_new_head
from research.reporting.surgery_tuned import FOLDER


def read_curves(workdir: Path) -> dict[str, np.ndarray]:
    """Returns the curves of the tuned run within a surgery's folder."""
    return read_arrays(RunFolder(workdir / FOLDER).curves)


def draw_recovery(summary: Mapping[str, Any], curves: Curves) -> Figure:
    """Draws the validation metric that is scored, from step 0, which is untrained.

    Raises:
      ValueError: no model has a training that lasted to the end.
    """
    tuned = summary["tuned"]
    metric = _watched(tuned, curves)
    factor = 100 if numbers.is_percent(metric) else 1
    figure, axes = new_figure(6.4, 3.8)
    colours, drawn = arm_colours(summary), []
    for slug in sorted(tuned["arms"], key=lambda slug: slug == summary["reference"]):
        values = factor * curves[f"{slug}/{metric}"].astype(np.float64)
        values = values[complete(values)]
        if not len(values):
            continue
        drawn.append(slug)
        mean, half = mean_band(values, tuned["confidence"])
        steps = np.linspace(0, tuned["steps"], len(mean))
        colour, line = colours[slug], "--" if slug == summary["reference"] else "-"
        if len(values) > 1:
            low, high = mean - half, mean + half
            axes.fill_between(steps, low, high, color=colour, alpha=0.25, linewidth=0)
        name = plain(f"{arms.written(tuned, slug)}{TUNED}")
        marked = {"marker": "o", "markersize": 4} if len(steps) <= 20 else {}
        axes.plot(steps, mean, color=colour, linestyle=line, label=name, **marked)
    if not drawn:
        raise ValueError("every training diverged")
    untouched = _untouched(summary, curves, metric)
    if untouched is not None:
        name = plain(f"untouched ({arms.written(summary, summary['reference'])})")
        axes.axhline(factor * untouched, color=INK, linestyle=":", label=name)
    axes.set_xlabel("optimiser steps")
    words = metric.replace("_", " ")
    unit = ", nats a token" * (summary["loss"] == "language" and factor == 1)
    axes.set_ylabel(f"{words}, %" if factor == 100 else f"{words}{unit}")
    axes.set_xlim(0, tuned["steps"])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.ticklabel_format(axis="y", useOffset=False)
    figure.legend(loc="outside upper left", ncols=3, handlelength=3)
    return figure


def _watched(tuned: Mapping[str, Any], curves: Curves) -> str:
    """Returns the validation metric that stands for the primary one on the way."""
    scored = tuned["primary_metric"].removesuffix("_last")
    metric = scored.replace("test_", "validation_")
    known = f"{tuned['reference']}/{metric}" in curves
    return metric if known else "validation_loss"


def _untouched(summary: Mapping[str, Any], curves: Curves, metric: str) -> float | None:
    """Returns what the untouched model has: by its nature, or before it was tuned."""
    if summary["loss"] == "distillation":
        return 1.0 if metric == "validation_cosine" else 0.0
    if has_new_head(summary):
        return None
    start = curves[f"{summary['reference']}/{metric}"][:, 0]
    return float(start.mean()) if np.isfinite(start).all() else None
