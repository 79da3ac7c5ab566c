"""The arms that are tuned: an experiment like any other, in a folder within the run's."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import PyTree
from rich.console import Console

from research.config import ExperimentConfig
from research.errors import DataError
from research.experiment.identity import lane_identity
from research.experiment.prepare import Experiment, assemble
from research.experiment.problems import ModelKind
from research.experiment.run_folder import run_in
from research.experiment.started import recorded_plan
from research.records.folder import RunFolder
from research.records.lane_files import lane_files, read_lanes
from research.records.outcome import check_outcome
from research.stopping import Stopping
from research.surgery import recovery
from research.surgery.swap import Swap, names_of
from research.surgery.trainable import (
    classifier_kind,
    distilled_kind,
    language_head,
    language_kind,
)
from research.tasks.contract import Task
from research.training.lanes import from_arrays, kept_shapes

# Where the tuned arms' run lies in a surgery's folder.
PLACE = "tuned"


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What tuning gave: the run's summary, and the first seed's parameters by arm."""

    summary: Mapping[str, Any]
    params: Mapping[str, PyTree]


def tune(
    swap: Swap,
    folder: RunFolder,
    console: Console,
    *,
    untrained_cosine: float,
    command: str,
    stopping: Stopping,
) -> Tuned:
    """Trains, judges and reports the tuned arms; only what is missing is trained.

    Args:
      folder: the surgery's.
      untrained_cosine: the least of the swaps' mean cosines to before.

    Raises:
      AllDiverged: every lane of an arm stopped being finite.
    """
    place = RunFolder(folder.root / PLACE)
    experiment = _experiment(swap, place, untrained_cosine=untrained_cosine)
    place.root.mkdir(exist_ok=True)
    summary = run_in(experiment, place, console, command=command, stopping=stopping)
    check_outcome(summary)
    params = {arm: _first_params(experiment, place, arm) for arm in experiment.problems}
    return Tuned(summary=summary, params=params)


def _experiment(swap: Swap, place: RunFolder, *, untrained_cosine: float) -> Experiment:
    trained, *others = names_of(swap.arms)
    # To compute what it computes already is nothing to learn.
    names = others if swap.loss == "distillation" else [trained, *others]
    task, kind = _task(swap, untrained_cosine), _kind(swap)
    return assemble(
        _config(swap, names),
        task,
        kind,
        names=names,
        reference=names[0],
        recorded=recorded_plan(place.root),
    )


def _config(swap: Swap, names: list[str]) -> ExperimentConfig:
    """Returns the config that the tuned arms' folder holds."""
    # A single arm is compared with none; its config still names two.
    told = names if len(names) > 1 else list(names_of(swap.arms))
    task = dataclasses.replace(swap.config.task, loss=swap.loss)
    return dataclasses.replace(
        swap.config, activations=tuple(told), reference=names[0], task=task
    )


def _task(swap: Swap, untrained_cosine: float) -> Task:
    if swap.loss == "distillation":
        return recovery.distillation(swap.material, untrained_cosine)
    if swap.loss == "labels":
        return recovery.labelled(swap.material)
    vocabulary = swap.pretrained.vocabulary
    if language_head(swap.pretrained) == "causal_lm":
        return recovery.next_tokens(swap.material, vocabulary=vocabulary)
    return recovery.masked_tokens(swap.material, vocabulary=vocabulary)


def _kind(swap: Swap) -> ModelKind:
    pretrained, layers, asked = swap.pretrained, swap.swapped, swap.model.dropout
    if swap.loss == "distillation":
        return distilled_kind(pretrained, layers, dropout=asked or 0.0)
    dropout = pretrained.dropout if asked is None else asked
    if swap.loss == "language":
        return language_kind(pretrained, layers, dropout=dropout)
    return classifier_kind(pretrained, layers, new_head=swap.new_head, dropout=dropout)


def _first_params(experiment: Experiment, place: RunFolder, arm: str) -> PyTree:
    """Returns the selected parameters of an arm's first seed."""
    files = lane_files(place, arm)
    if not files:
        raise DataError(f"{place.finished_lanes / arm}: holds no lanes")
    problem = experiment.problems[arm]
    block = from_arrays(
        read_lanes(files[0], of=lane_identity(experiment)),
        problem,
        kept_shapes(problem, experiment.data),
        epochs=experiment.config.epochs,
    )
    params, _ = block.params
    return jax.tree.map(jax.numpy.asarray, params["checkpoint"])
