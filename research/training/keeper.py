"""Who keeps lanes on the way: the training's side of its checkpoints."""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from research.training.population import ROUND_EPOCHS


@dataclass(frozen=True, kw_only=True)
class Keeper:
    """Keeps lanes on the way: given to the training, which knows no files and signals.

    restore: what was saved of the block of these seeds; None where nothing was.
    save: keeps a block's arrays after so many epochs; where it cannot, training goes on.
    every_epochs, every_seconds: how often, at the end of a round.
    held_back: a context in which a stop is not raised but told by what it yields, so
      that the round is finished and saved; it is raised when the context is left.
    """

    restore: Callable[[Sequence[int]], Mapping[str, np.ndarray] | None]
    save: Callable[[Sequence[int], int, Mapping[str, np.ndarray]], None]
    held_back: Callable[[], contextlib.AbstractContextManager[Callable[[], bool]]]
    every_epochs: int | None = None
    every_seconds: float = math.inf

    def epochs_left(self, done: int) -> int:
        """Returns the most epochs that the next round may have."""
        every = self.every_epochs
        return ROUND_EPOCHS if every is None else every - done % every

    def is_due(self, done: int, seconds: float) -> bool:
        """Tells whether to save after so many epochs, and seconds since the last time."""
        if self.every_epochs is None:
            return seconds >= self.every_seconds
        return done % self.every_epochs == 0


NOBODY = Keeper(
    restore=lambda seeds: None,
    save=lambda seeds, epochs, arrays: None,
    held_back=lambda: contextlib.nullcontext(lambda: False),
)
