"""What training needs of a task: data held once, splits as indices, loss and metrics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

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

    fn: (outputs, targets) -> one number per example.
    of_mean: what is reported of the weighted mean over examples; perplexity is the
      exponential of a mean. Works on JAX's and NumPy's arrays.
    constant_predictor: what the best constant prediction reaches.
    ceiling: what no predictor can beat, where it is known.
    """

    fn: Callable[[Any, Any], Float[Array, " batch"]]
    higher_is_better: bool
    constant_predictor: float
    ceiling: float | None = None
    of_mean: Callable[[Any], Any] = lambda mean: mean


@dataclass(frozen=True, kw_only=True)
class Task:
    """A data set with its question.

    inputs, targets: arrays, or pytrees of them, whose first axis is the rows.
    outputs: the shape of a model's outputs for one example: (classes,), or
      (positions, classes).
    vocabulary: how many token ids the inputs have; None where they are no tokens.
    split: (split_key, test_key) -> Split; a test_key of None keeps the fixed test set.
    augment: (key, inputs, targets) -> (inputs, targets) of a training batch, before
      `transform`; the same draws under every arm.
    fit, transform: preprocessing, fitted on the training inputs: fit(inputs) -> fitted,
      transform(fitted, inputs) -> inputs.
    loss: (outputs, targets) -> one number per example; `metrics["loss"]` uses it too.
    causal: whether targets are inputs of later positions, which a model must not see.
    weight: targets -> what each example weighs in the loss and in every mean, such as
      its number of tokens; None where all weigh the same.
    primary: the name of the metric that decides; it reports its mean as it is.
    remarks: what a reader must know of the data and the splits.
    """

    name: str
    inputs: PyTree
    targets: PyTree
    outputs: tuple[int, ...]
    rows: Rows
    split: Callable[[Key[Array, ""], Key[Array, ""] | None], Split]
    fit: Callable[[PyTree], PyTree]
    transform: Callable[[PyTree, PyTree], PyTree]
    loss: Callable[[Any, Any], Float[Array, " batch"]]
    metrics: Mapping[str, Metric]
    primary: str
    vocabulary: int | None = None
    augment: (
        Callable[[Key[Array, ""], PyTree, PyTree], tuple[PyTree, PyTree]] | None
    ) = None
    weight: Callable[[PyTree], Float[Array, " batch"]] | None = None
    causal: bool = False
    remarks: tuple[str, ...] = ()
