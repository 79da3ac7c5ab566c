"""The work that every peer does, as plain arrays; no framework is imported here.

make_moons, MLP 2-64-64-1 with ReLU, Adam 0.001, batch 32 of 1200 training rows, a fresh
shuffle an epoch, validation loss and accuracy of 400 rows after every epoch.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_moons

SAMPLES, TEST_ROWS, VALIDATION_ROWS = 2000, 400, 400
TRAIN_ROWS = SAMPLES - TEST_ROWS - VALIDATION_ROWS
NOISE = 0.2
WIDTHS = (2, 64, 64, 1)
LEARNING_RATE = 1e-3
BATCH = 32
STEPS = TRAIN_ROWS // BATCH
# The job whose time is quoted: this many seeds for this many epochs.
SEEDS, EPOCHS = 64, 100


class Curves(NamedTuple):
    """What a peer returns.

    loss, accuracy: [epochs, seeds], of the validation rows.
    steps: optimiser steps taken by each seed, counted by the optimiser itself.
    """

    loss: np.ndarray
    accuracy: np.ndarray
    steps: np.ndarray


class Parts(NamedTuple):
    """The rows of each seed, standardised by its training part; the seeds come first."""

    train_inputs: np.ndarray
    train_targets: np.ndarray
    validation_inputs: np.ndarray
    validation_targets: np.ndarray


def parts(seeds: Sequence[int]) -> Parts:
    """Returns the training and validation rows of these seeds; the test set is fixed."""
    inputs, classes = make_moons(SAMPLES, noise=NOISE, random_state=0)
    inputs, targets = np.asarray(inputs, np.float32), np.asarray(classes, np.float32)
    kept = np.random.default_rng(0).permutation(SAMPLES)[TEST_ROWS:]
    drawn = np.stack([np.random.default_rng(seed).permutation(kept) for seed in seeds])
    train, validation = drawn[:, VALIDATION_ROWS:], drawn[:, :VALIDATION_ROWS]
    mean = inputs[train].mean(axis=1, keepdims=True)
    std = inputs[train].std(axis=1, keepdims=True)
    return Parts(
        (inputs[train] - mean) / std,
        targets[train],
        (inputs[validation] - mean) / std,
        targets[validation],
    )


def join(trained: Sequence[Curves]) -> Curves:
    """Returns the curves of seeds that were trained apart, in their order."""
    loss, accuracy, steps = zip(*trained, strict=True)
    return Curves(
        np.concatenate(loss, axis=1),
        np.concatenate(accuracy, axis=1),
        np.concatenate(steps),
    )


def one_by_one(
    train: Callable[..., Curves], seeds: Sequence[int], rows: Iterable[Any], epochs: int
) -> Curves:
    """Trains one seed after another by train(seed, *its rows, epochs).

    Args:
      rows: as `parts` gives them, in arrays of the peer's own kind.
    """
    of_each = zip(*rows, strict=True)
    return join(
        [train(seed, *own, epochs) for seed, own in zip(seeds, of_each, strict=True)]
    )
