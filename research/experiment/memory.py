"""A run that goes on with fewer lanes at once where a device's memory is used up."""

import dataclasses
from collections.abc import Callable
from typing import TypeVar

import jax

from research.experiment.lanes import Run
from research.records.events import ArmFinished, Event, Observer
from research.records.folder import read_mapping, write_json
from research.training.out_of_memory import smaller
from research.training.plan import Plan

Trained = TypeVar("Trained")


def train_in_memory(run: Run, train: Callable[[Run], Trained]) -> tuple[Run, Trained]:
    """Trains, with half as many lanes at once as often as memory asks for it.

    Blocks that were finished before are kept.

    Returns:
      The run as it was trained in the end, and what training returned.

    Raises:
      ConfigError: one lane alone does not fit.
    """
    run = dataclasses.replace(run, observe=_arms_once(run.observe))
    while True:
        try:
            return run, train(run)
        except jax.errors.JaxRuntimeError as error:
            plan = smaller(run.experiment.plan, error)
        # Past the handler: the error holds on to the arrays of what failed.
        run = _with_plan(run, plan)


def _with_plan(run: Run, plan: Plan) -> Run:
    """Returns the run by another plan, which its folder and its report tell."""
    before = run.experiment.plan.lanes_per_chunk
    note = (
        f"the device ran out of memory with {before} lanes at once: the lanes that were "
        f"missing were trained {plan.lanes_per_chunk} at once, which changes rounding"
    )
    if run.hosts.leads:
        told = {**read_mapping(run.folder.manifest), "plan": dataclasses.asdict(plan)}
        write_json(run.folder.manifest, told)
    notes = (*run.experiment.notes, note)
    experiment = dataclasses.replace(run.experiment, plan=plan, notes=notes)
    return dataclasses.replace(run, experiment=experiment, compiled={})


def _arms_once(observe: Observer) -> Observer:
    """Returns the observer, told of each arm's end once."""
    told: set[str] = set()

    def once(event: Event) -> None:
        if isinstance(event, ArmFinished):
            if event.arm in told:
                return
            told.add(event.arm)
        observe(event)

    return once
