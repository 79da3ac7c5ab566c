"""The only place where keys are made: stream, then seed id, then epoch or step.

Nothing is split or advanced, so a key depends on what it is for and on nothing else:
not on the activation, the lane's position, the devices or the number of seeds.
"""

import zlib

import jax
import numpy as np
from jaxtyping import Array, Int, Key

ROOT = 0
STREAMS = ("init", "order", "dropout", "split", "test_split")


def stream_key(stream: str, seed: Int[Array, ""] | np.integer | int) -> Key[Array, ""]:
    """Returns the key of one stream for one seed id."""
    root = jax.random.fold_in(jax.random.key(ROOT), STREAMS.index(stream))
    return jax.random.fold_in(root, seed)


def at_step(key: Key[Array, ""], step: Int[Array, ""] | int) -> Key[Array, ""]:
    """Returns a stream's key at an epoch or step."""
    return jax.random.fold_in(key, step)


def at_path(key: Key[Array, ""], path: str) -> Key[Array, ""]:
    """Returns the key of the parameter at a path, whatever else the model has."""
    return jax.random.fold_in(key, zlib.crc32(path.encode()))
