"""What training needs of a task: data held once, splits as indices, loss and metrics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Array, Float, Int, Key, PyTree


class Split(NamedTuple):
    """Which rows are for what, as indices into the task's arrays."""

    train: Int[Array, " train"]
    validation: Int[Array, " validation"]
    test: Int[Array, " test"]


@dataclass(frozen=True, kw_only=True)
class Rows:
    """How many rows each part of a split has."""

    train: int
    validation: int
    test: int


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number per example, its direction, and what is known of its mean.

    constant_predictor: the mean that the best constant prediction reaches.
    ceiling: the mean that no predictor can beat, where it is known.
    """

    fn: Callable[[Any, Any], Float[Array, " batch"]]
    higher_is_better: bool
    constant_predictor: float
    ceiling: float | None = None


@dataclass(frozen=True, kw_only=True)
class Task:
    """A data set with its question.

    split: (split_key, test_key) -> Split; a test_key of None keeps the fixed test set.
    fit, transform: preprocessing, fitted on the training inputs: fit(inputs) -> fitted,
      transform(fitted, inputs) -> inputs.
    loss: (outputs, targets) -> one number per example; `metrics["loss"]` uses it too.
    primary: the name of the metric that decides.
    """

    name: str
    inputs: np.ndarray
    targets: np.ndarray
    outputs: int
    rows: Rows
    split: Callable[[Key[Array, ""], Key[Array, ""] | None], Split]
    fit: Callable[[PyTree], PyTree]
    transform: Callable[[PyTree, PyTree], PyTree]
    loss: Callable[[Any, Any], Float[Array, " batch"]]
    metrics: Mapping[str, Metric]
    primary: str
