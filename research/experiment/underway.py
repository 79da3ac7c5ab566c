"""Lanes that are not finished yet: kept on the way, and found again."""

import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research.errors import DataError
from research.experiment.prepare import Experiment
from research.own_code import reason
from research.records.checkpoint import (
    belongs_to,
    checkpoints,
    read_checkpoint,
    remove_checkpoint,
    remove_checkpoints,
    write_checkpoint,
)
from research.records.folder import RunFolder
from research.records.reopening import TRAINERS
from research.stopping import Stopping
from research.training.keeper import Keeper

# Without `checkpoint.every_epochs`: as much as a run that is killed may lose.
SECONDS = 60.0


def make_keeper(
    experiment: Experiment,
    folder: RunFolder,
    arm: str,
    *,
    identity: Mapping[str, str],
    stopping: Stopping,
    note: Callable[[str], None],
) -> Keeper:
    """Returns what keeps an arm's blocks of lanes in the run folder while they train.

    Args:
      identity: hashes of what the lanes are trained with.
      note: told of checkpoints that cannot be used or written.
    """

    def restore(seeds: Sequence[int]) -> dict[str, np.ndarray] | None:
        for path in checkpoints(block_folder(folder, arm, seeds)):
            try:
                return read_checkpoint(path, of=_whose(identity, arm, seeds))
            except DataError as error:
                note(f"{error}; this checkpoint is not used")
                remove_checkpoint(path)
        return None

    def save(
        seeds: Sequence[int], epochs: int, arrays: Mapping[str, np.ndarray]
    ) -> None:
        block = block_folder(folder, arm, seeds)
        try:
            of = _whose(identity, arm, seeds)
            write_checkpoint(block, epochs, arrays, of=of)
        except Exception as error:
            # A checkpoint that cannot be written is not worth the training.
            note(f"{block}: no checkpoint could be written, {reason(error)}")

    every = experiment.config.checkpoint.every_epochs
    return Keeper(
        restore=restore,
        save=save,
        held_back=stopping.held_back,
        every_epochs=every,
        every_seconds=SECONDS,
    )


def block_folder(folder: RunFolder, arm: str, seeds: Sequence[int]) -> Path:
    """Returns where the checkpoints of a block of lanes lie."""
    return folder.underway / arm / f"{seeds[0]}-{seeds[-1]}"


def blocks_underway(
    folder: RunFolder, arm: str, *, finished: set[int], note: Callable[[str], None]
) -> list[tuple[int, ...]]:
    """Returns the seeds of an arm's blocks that were left half trained.

    Removes what is of no use: half written, damaged, or of lanes that are finished.
    """
    found: list[tuple[int, ...]] = []
    for block in sorted((folder.underway / arm).glob("*")):
        seeds = _seeds(block, note)
        if seeds and not finished & set(seeds):
            found.append(seeds)
            finished = finished | set(seeds)
        else:
            remove_checkpoints(block)
    return found


def _seeds(block: Path, note: Callable[[str], None]) -> tuple[int, ...]:
    """Returns the seeds of a block's checkpoints; none where none can be read."""
    for path in checkpoints(block):
        try:
            seeds = belongs_to(path).get("seeds")
        except DataError as error:
            note(f"{error}; this checkpoint is not used")
            remove_checkpoint(path)
            continue
        if isinstance(seeds, list) and all(isinstance(seed, int) for seed in seeds):
            return tuple(seeds)
    return ()


def _whose(
    identity: Mapping[str, str], arm: str, seeds: Sequence[int]
) -> dict[str, Any]:
    """Returns what a checkpoint must have been made with to be gone on from."""
    versions = {name: importlib.metadata.version(name) for name in TRAINERS}
    return {
        **identity,
        "arm": arm,
        "seeds": [int(seed) for seed in seeds],
        "versions": versions,
    }
