"""What the reference's programs need, found by compiling and starting them.

Lanes are trained for a moment and thrown away: nothing is written, no test score is
computed.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from research.experiment.prepare import Experiment
from research.training.population import ROUND_EPOCHS, Programs, compile_programs
from research.training.problem import Data, stream_ids

# Epochs are timed for about this long, after a first one.
TIMED_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """The reference's programs: how long they compile, what they hold, how fast they are.

    peak_bytes: by program, on each device: what goes in, comes out and lies between;
      None where the compiler does not say.
    epoch_seconds: of one block, and from how many epochs; None where it was not timed.
    """

    compile_seconds: float
    peak_bytes: Mapping[str, int] | None
    epoch_seconds: float | None
    epochs: int


def rehearse(experiment: Experiment, *, timed: bool) -> Rehearsal:
    """Compiles the reference's programs and, where asked, times a few epochs."""
    problem, data = experiment.trained_as(experiment.reference)
    programs, data = compile_programs(problem, experiment.plan, data)
    seconds, epochs = _time_epochs(experiment, programs, data) if timed else (None, 0)
    return Rehearsal(
        compile_seconds=programs.compile_seconds,
        peak_bytes=_peak_bytes(programs),
        epoch_seconds=seconds,
        epochs=epochs,
    )


def _peak_bytes(programs: Programs) -> dict[str, int] | None:
    found = {}
    for name in ("start", "train", "score"):
        try:
            held = getattr(programs, name).memory_analysis()
            found[name] = (
                held.argument_size_in_bytes
                + held.output_size_in_bytes
                - held.alias_size_in_bytes
                + held.temp_size_in_bytes
            )
        except (AttributeError, NotImplementedError, jax.errors.JaxRuntimeError):
            return None  # not every backend analyses its programs
    return found


def _time_epochs(
    experiment: Experiment, programs: Programs, data: Data
) -> tuple[float, int]:
    """Returns the seconds of an epoch of one block, and how many epochs told so."""
    block = experiment.plan.lanes_per_block
    config = experiment.config
    seeds = np.resize(experiment.seeds_of(experiment.reference), block).tolist()
    ids = stream_ids(seeds, vary=config.vary, background=config.background)
    rates = np.full(block, experiment.learning_rate, np.float32)
    lanes, states, *_ = programs.start((ids, rates), data)

    def train(states: Any, first: int, count: int) -> tuple[Any, float]:
        jax.block_until_ready(states)
        began = time.perf_counter()
        states, curves = programs.train(
            lanes, states, data, np.int32(first), np.int32(count)
        )
        jax.block_until_ready(curves)
        return states, time.perf_counter() - began

    states, first = train(states, 0, 1)
    count = int(np.clip(TIMED_SECONDS / first, 0, ROUND_EPOCHS - 1))
    if count == 0:
        return first, 1
    _, seconds = train(states, 1, count)
    return seconds / count, count
