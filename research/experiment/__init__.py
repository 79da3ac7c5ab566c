"""The experiment itself, as the launcher and a notebook call it."""

from research.experiment.run import compare

__all__ = ["compare"]
