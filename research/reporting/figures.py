"""Draws every figure of a run from its folder."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from research.errors import DataError
from research.records.folder import read_arrays
from research.records.score_table import read_scores
from research.reporting import (
    arms,
    figure_curves,
    figure_luck,
    figure_runs,
    figure_seeds,
    figure_sequence,
    figure_shapes,
    verdicts,
)
from research.reporting.figure_style import save, style

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The figures of a run by name, and what could not be drawn and why."""

    paths: dict[str, Path] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def draw_figures(workdir: Path) -> dict[str, Path]:
    """Draws figures/*.png from a run folder and returns their paths by name.

    Raises:
      FileNotFoundError: the run has no results/summary.json.
    """
    return draw_all(workdir).paths


def draw_all(workdir: Path) -> Drawn:
    """Draws what can be drawn; the rest becomes a problem in words, never a crash."""
    summary = json.loads((workdir / "results/summary.json").read_text("utf-8"))
    problems: list[str] = []
    curves, shapes = {}, {}
    if arms.were_trained(summary):
        curves = _arrays(workdir / "results/curves.npz", problems)
        shapes = _arrays(workdir / "results/figures.npz", problems)
    runs = _runs(workdir, summary, problems)
    return draw_each(workdir, _wanted(summary, curves, shapes, runs), problems)


def draw_each(
    workdir: Path,
    wanted: Mapping[str, Callable[[], Figure]],
    problems: Sequence[str] = (),
) -> Drawn:
    """Draws figures/*.png; one that cannot be drawn joins the problems."""
    folder = workdir / "figures"
    folder.mkdir(exist_ok=True)
    paths, told = {}, list(problems)
    with style():
        for name, draw in wanted.items():
            try:
                paths[name] = save(draw(), folder / f"{name}.png")
            # A report without one figure is better than none, whatever went wrong.
            except Exception as error:
                why = f"{type(error).__name__}: {error}".splitlines()[0]
                told.append(f"The figure {name} could not be drawn ({why})")
    return Drawn(paths=paths, problems=tuple(told))


def _arrays(path: Path, problems: list[str]) -> dict[str, np.ndarray]:
    """Returns a file's arrays; one that cannot be read adds a problem and has none."""
    try:
        return read_arrays(path)
    except DataError as error:
        problems.append(f"results/{path.name} could not be read ({error})")
        return {}


def _runs(
    workdir: Path, summary: Mapping[str, Any], problems: list[str]
) -> dict[str, np.ndarray]:
    """Returns the scores of unpaired runs, of the summary or of per_seed.csv."""
    if all(verdicts.is_paired(comparison) for comparison in summary["comparisons"]):
        return {}
    if not arms.were_trained(summary):
        return {arm: np.array(told["scores"]) for arm, told in summary["arms"].items()}
    try:
        return read_scores(workdir / "results/per_seed.csv", summary["primary_metric"])
    except DataError as error:
        problems.append(f"The runs' scores could not be read ({error})")
        return {}


def _wanted(
    summary: Mapping[str, Any], curves: Arrays, shapes: Arrays, runs: Arrays
) -> dict[str, Callable[[], Figure]]:
    """Returns how each figure is drawn, in the order in which a report shows them."""
    wanted: dict[str, Callable[[], Figure]] = {}
    paired = [verdicts.is_paired(comparison) for comparison in summary["comparisons"]]
    if any(paired) and summary["seeds"] > 1:
        wanted["paired_differences"] = lambda: figure_seeds.draw_differences(summary)
    if any(c.get("sequence") for c in summary["comparisons"]):
        wanted["sequence"] = lambda: figure_sequence.draw_sequence(summary)
    if (summary.get("luck") or {}).get("halves", {}).get("largest"):
        wanted["luck"] = lambda: figure_luck.draw_luck(summary)
    if runs:
        wanted["scores"] = lambda: figure_runs.draw_scores(summary, runs)
    if any(len(c["false_winners"]["seeds"]) > 1 for c in summary["comparisons"]):
        wanted["false_winners"] = lambda: figure_seeds.draw_false_winners(summary)
    watched = _watched(summary, curves)
    known = ("validation_loss", "validation_accuracy", *([watched] if watched else []))
    for metric in dict.fromkeys(known):
        if f"{summary['reference']}/{metric}" in curves:
            wanted[metric] = lambda metric=metric: figure_curves.draw_metric(
                summary, curves, metric
            )
    if watched and any(paired):
        wanted["validation_difference"] = lambda: figure_curves.draw_difference(
            summary, curves, watched
        )
    for name, what in (("activations", "value"), ("derivatives", "derivative")):
        if shapes:
            wanted[name] = lambda what=what: figure_shapes.draw_activation(
                summary, shapes, what
            )
    if "boundary/x" in shapes:
        wanted["decision_boundary"] = lambda: figure_shapes.draw_boundaries(
            summary, shapes
        )
    return wanted


def _watched(summary: Mapping[str, Any], curves: Arrays) -> str | None:
    """Returns the validation metric that stands for the primary one on the way."""
    scored = summary["primary_metric"].removesuffix("_last")
    primary = scored.replace("test_", "validation_")
    reference = summary["reference"]
    for metric in (primary, "validation_loss"):
        if f"{reference}/{metric}" in curves:
            return metric
    return None
