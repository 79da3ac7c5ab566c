"""One class for each row: its loss and metrics, and what a constant prediction reaches."""

from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from research.errors import DataError
from research.tasks.contract import Metric


class Constant(NamedTuple):
    """What the best constant prediction reaches: accuracy, and log-loss in nats."""

    accuracy: float
    loss: float


def cross_entropy(
    logits: Float[Array, "batch classes"], targets: Int[Array, " batch"]
) -> Float[Array, " batch"]:
    """Returns -log p(target), in nats."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets)


def correct(
    logits: Float[Array, "batch classes"], targets: Int[Array, " batch"]
) -> Float[Array, " batch"]:
    """Returns 1 where the likeliest class is the target, else 0."""
    return (logits.argmax(axis=-1) == targets).astype(jnp.float32)


def constant_predictor(
    train: Int[np.ndarray, " train"],
    test: Int[np.ndarray, " test"],
    *,
    classes: int,
    added: int = 0,
) -> Constant:
    """Returns how well the training part's class frequencies predict the test part.

    Accuracy is that of the commonest class, the log-loss that of the frequencies.

    Args:
      added: to the count of every class, where the training part may lack some
        (Laplace's rule for 1).
    """
    counts = np.bincount(train, minlength=classes) + added
    return Constant(
        accuracy=float((test == counts.argmax()).mean()),
        loss=float(-np.log(counts[test] / counts.sum()).mean()),
    )


def class_metrics(constant: Constant) -> Mapping[str, Metric]:
    """Returns accuracy and loss."""
    return {
        "accuracy": Metric(
            fn=correct, higher_is_better=True, constant_predictor=constant.accuracy
        ),
        "loss": Metric(
            fn=cross_entropy, higher_is_better=False, constant_predictor=constant.loss
        ),
    }


def count_classes(
    train: Int[np.ndarray, " train"], test: Int[np.ndarray, " test"], *, name: str
) -> int:
    """Returns how many classes there are, numbered from 0.

    Args:
      name: of the file or folder, for a refusal.

    Raises:
      DataError: a class without a training row, or a number below 0.
    """
    lowest, classes = int(min(train.min(), test.min())), int(train.max()) + 1
    if lowest < 0:
        raise DataError(f"{name}: has the class {lowest}; classes are numbered from 0")
    unknown = np.setdiff1d(test, train)
    if unknown.size:
        raise DataError(
            f"{name}: class {unknown[0]} is in the test part, but has no training row"
        )
    # As many numbers as rows at most, whatever a damaged file says.
    present = np.unique(train)
    if len(present) < classes:
        empty = np.setdiff1d(np.arange(len(present) + 1), present)[0]
        raise DataError(f"{name}: class {empty} has no training row")
    return classes
