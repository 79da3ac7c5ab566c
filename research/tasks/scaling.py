"""Standardising: each feature, channel or band by the training part's mean and deviation."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Num


class Scaling(NamedTuple):
    """Mean and standard deviation of the training inputs, along their last axis."""

    mean: Float[Array, " features"]
    std: Float[Array, " features"]


def fit_scaling(inputs: Num[Array, "rows *places features"]) -> Scaling:
    """Returns the training part's mean and standard deviation; a constant feature has 1."""
    values = inputs.astype(jnp.float32)
    mean = _mean(values)
    std = jnp.sqrt(_mean(jnp.square(values - _over(mean, values))))
    return Scaling(mean, jnp.where(std > 0, std, 1))


def scale(
    scaling: Scaling, inputs: Num[Array, "rows *places features"]
) -> Float[Array, "rows *places features"]:
    """Returns the inputs with the training part's mean 0 and standard deviation 1."""
    values = inputs.astype(jnp.float32)
    return (values - _over(scaling.mean, values)) / _over(scaling.std, values)


def _mean(
    values: Float[Array, "rows *places features"],
) -> Float[Array, " features"]:
    # Over the rows first: one float32 sum of all pixels of many images is inexact.
    by_place = values.mean(axis=0)
    return by_place.mean(axis=tuple(range(by_place.ndim - 1)))


def _over(
    feature: Float[Array, " features"], values: Float[Array, "*places features"]
) -> Float[Array, "*ones features"]:
    return feature.reshape((1,) * (values.ndim - 1) + feature.shape)
