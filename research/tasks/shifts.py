"""Augmentation by shifts: each training row moved by a whole number of places."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key, Shaped


def shifted(
    key: Key[Array, ""],
    inputs: Shaped[Array, "batch *shape"],
    *,
    axes: tuple[int, ...],
    most: int,
    fill: float,
) -> Shaped[Array, "batch *shape"]:
    """Returns every row shifted along its axes by up to `most` places to either side.

    Args:
      axes: of one row, without the batch.
      fill: what comes in from outside.
    """
    shape = inputs.shape[1:]
    pads = [(most, most) if axis in axes else (0, 0) for axis in range(len(shape))]
    padded = jnp.pad(inputs, [(0, 0), *pads], constant_values=fill)
    drawn = jax.random.randint(key, (len(inputs), len(axes)), 0, 2 * most + 1)
    starts = jnp.zeros((len(inputs), len(shape)), jnp.int32)
    starts = starts.at[:, jnp.asarray(axes)].set(drawn)
    return jax.vmap(lambda row, start: jax.lax.dynamic_slice(row, start, shape))(
        padded, starts
    )
