"""Dividing a task's rows: with a validation part drawn by a key, or one after another."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key
from sklearn.model_selection import train_test_split

from research.errors import ConfigError
from research.tasks.contract import Rows, Split


class Division(NamedTuple):
    """How many rows each part has, and which, by the keys that `Task.split` is given."""

    rows: Rows
    split: Callable[[Key[Array, ""], Key[Array, ""] | None], Split]


def stratified(
    classes: Int[np.ndarray, " all"], *, test: int, seed: int
) -> tuple[Int[np.ndarray, " test"], Int[np.ndarray, " rest"]]:
    """Returns the rows of a test set with each class's share, and the other rows."""
    rest, tested = train_test_split(
        np.arange(len(classes)), test_size=test, stratify=classes, random_state=seed
    )
    return np.asarray(tested), np.asarray(rest)


def redrawn(
    test: Int[np.ndarray, " test"],
    rest: Int[np.ndarray, " rest"],
    *,
    validation: int,
) -> Division:
    """Returns a fixed test set, and a validation part drawn anew from the other rows.

    Given a test_key, the test set is drawn anew too.

    Raises:
      ConfigError: no row would be left to train on.
    """
    if validation >= len(rest):
        raise ConfigError(
            f"task.validation_samples={validation}: must be below {len(rest)}, the "
            "rows outside the test set, or none is left to train on"
        )
    rows = Rows(train=len(rest) - validation, validation=validation, test=len(test))
    order = jnp.asarray(np.concatenate([np.sort(test), np.sort(rest)]), jnp.int32)
    return Division(
        rows, lambda split_key, test_key: _draw(order, rows, split_key, test_key)
    )


def in_order(*, train: int, validation: int, test: int) -> Division:
    """Returns the parts as they follow one another in the task's arrays, by no key."""
    first, last = train + validation, train + validation + test

    def split(split_key: Key[Array, ""], test_key: Key[Array, ""] | None) -> Split:
        del split_key, test_key
        return Split(
            train=jnp.arange(train),
            validation=jnp.arange(train, first),
            test=jnp.arange(first, last),
        )

    return Division(Rows(train=train, validation=validation, test=test), split)


def _draw(
    order: Int[Array, " all"],
    rows: Rows,
    split_key: Key[Array, ""],
    test_key: Key[Array, ""] | None,
) -> Split:
    """Divides `order`, whose first rows are the fixed test set."""
    if test_key is not None:
        order = jax.random.permutation(test_key, order)
    rest = jax.random.permutation(split_key, order[rows.test :])
    return Split(
        train=rest[rows.validation :],
        validation=rest[: rows.validation],
        test=order[: rows.test],
    )
