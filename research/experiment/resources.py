"""What a planned run takes: its lanes, their memory, and time."""

from collections.abc import Sequence
from typing import Any

import jax

from research.experiment.prepare import Experiment
from research.experiment.rehearsal import Rehearsal, rehearse
from research.records.manifest import processor
from research.records.pilot import Pilot
from research.training.free_memory import free_bytes
from research.training.plan import lane_bytes

# The fields that a step's time depends on.
# Seconds of an arm's training below which its speed says little.
SHORTEST_TIMED = 1.0
TIMED_FIELDS = ("task.", "model.", "optimizer.name", "batch_size", "compute.dtype")


def resources(
    experiment: Experiment, pilot: Pilot | None, differences: Sequence[str]
) -> dict[str, Any]:
    """Returns plan.json's lanes, memory and time.

    The time is the pilot's where that was trained alike; else a few epochs are timed.
    """
    timed_alike = pilot is not None and _is_timed_alike(experiment, pilot, differences)
    rehearsal = rehearse(experiment, timed=not timed_alike)
    lanes = _lanes(experiment)
    if pilot is not None and timed_alike:
        time = _pilots_time(experiment, pilot, lanes)
    else:
        time = _rehearsed_time(experiment, rehearsal, lanes)
    return {"lanes": lanes, "memory": _memory(experiment, rehearsal), "time": time}


def _is_timed_alike(
    experiment: Experiment, pilot: Pilot, differences: Sequence[str]
) -> bool:
    """Tells whether the pilot's time of a step is that of the planned run."""
    if any(each.startswith(TIMED_FIELDS) for each in differences):
        return False
    if min(arm.train_seconds for arm in pilot.arms.values()) < SHORTEST_TIMED:
        return False
    devices = jax.local_devices()[: experiment.plan.devices]
    here = (processor(), *(f"{each.platform}:{each.id}" for each in devices))
    same_width = pilot.lanes_per_chunk == experiment.plan.lanes_per_chunk
    # An accelerator takes as long for one lane as for many.
    return pilot.hardware == here and (same_width or jax.default_backend() == "cpu")


def _lanes(experiment: Experiment) -> dict[str, Any]:
    laid, seeds = experiment.plan, experiment.config.seeds
    blocks = -(-seeds // laid.lanes_per_block)
    return {
        "lanes": len(experiment.problems) * seeds,
        "steps_per_lane": experiment.config.epochs * experiment.steps_per_epoch,
        "devices": laid.devices,
        "platform": jax.default_backend(),
        "lanes_per_chunk": laid.lanes_per_chunk,
        "rule": laid.rule,
        "chunks_per_block": laid.lanes_per_block // laid.lanes_per_chunk,
        "lanes_per_block": laid.lanes_per_block,
        "blocks_per_arm": blocks,
        "empty_lanes_per_arm": blocks * laid.lanes_per_block - seeds,
    }


def _memory(experiment: Experiment, rehearsal: Rehearsal) -> dict[str, Any]:
    """Returns bytes: on each accelerator, or on all devices of a CPU, which share them."""
    laid = experiment.plan
    sharing = laid.devices if jax.default_backend() == "cpu" else 1
    state = max(
        lane_bytes(problem, experiment.data)[0]
        for problem in experiment.problems.values()
    )
    peaks = rehearsal.peak_bytes
    lanes = laid.lanes_per_block * sharing // laid.devices
    return {
        "lane_state_bytes": state,
        "block_state_bytes": state * lanes,
        "data_bytes": sharing * sum(x.nbytes for x in jax.tree.leaves(experiment.data)),
        "program_peak_bytes": peaks and {k: sharing * v for k, v in peaks.items()},
        "free_bytes": free_bytes(),
    }


def _pilots_time(
    experiment: Experiment, pilot: Pilot, lanes: dict[str, Any]
) -> dict[str, Any]:
    """Returns the seconds of all arms; one that the pilot lacks counts as the reference."""
    base = pilot.arms[experiment.reference]
    each = [pilot.arms.get(slug, base) for slug in experiment.problems]
    trained = lanes["blocks_per_arm"] * lanes["lanes_per_block"]
    steps = trained * lanes["steps_per_lane"]
    return {
        "source": "pilot",
        "timed_epochs": None,
        "arms_not_timed": [s for s in experiment.problems if s not in pilot.arms],
        "training_seconds": steps * sum(arm.step_seconds for arm in each),
        "compile_seconds": sum(arm.compile_seconds for arm in each),
    }


def _rehearsed_time(
    experiment: Experiment, rehearsal: Rehearsal, lanes: dict[str, Any]
) -> dict[str, Any]:
    """Returns the seconds of all arms, as if each were the reference."""
    assert rehearsal.epoch_seconds is not None
    arms = len(experiment.problems)
    programs = len({id(experiment.trained_as(arm)[0]) for arm in experiment.problems})
    epochs = arms * lanes["blocks_per_arm"] * experiment.config.epochs
    return {
        "source": "reference",
        "timed_epochs": rehearsal.epochs,
        "arms_not_timed": [s for s in experiment.problems if s != experiment.reference],
        "training_seconds": epochs * rehearsal.epoch_seconds,
        "compile_seconds": programs * rehearsal.compile_seconds,
    }
