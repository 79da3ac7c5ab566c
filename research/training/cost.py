"""What a training step costs by its program: the matrix products, counted from shapes."""

import math
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from research.training.problem import (
    ANY_LANE,
    Data,
    Lane,
    LaneState,
    Problem,
    make_lane,
    start,
)
from research.training.step import train_step


def step_flops(problem: Problem, data: Data) -> int:
    """Returns the floating-point operations of one lane's training step.

    Those of the matrix products and convolutions, forward and backward, two for each
    multiplication with its addition; elementwise work, the activation's too, is left
    out. The body of a loop whose length is not known counts once.
    """

    def one() -> tuple[Lane, LaneState]:
        lane = make_lane(problem, data, ANY_LANE, jnp.float32(1))
        return lane, start(problem, lane)

    def step(lane: Lane, state: LaneState) -> tuple[LaneState, Float[Array, ""]]:
        rows = lane.split.train[: problem.batch_size]
        return train_step(problem, data, lane, state, rows, lane.dropout_key)

    found = products(jax.make_jaxpr(step)(*jax.eval_shape(one)).jaxpr)
    return sum(times * flops(equation) for equation, times in found)


def products(jaxpr: Any, times: int = 1) -> Iterator[tuple[Any, int]]:
    """Yields a program's matrix products and convolutions, and how often each is run."""
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("dot_general", "conv_general_dilated"):
            yield equation, times
        looped = equation.primitive.name == "scan"
        inner_times = times * (equation.params["length"] if looped else 1)
        for parameter in jax.tree.leaves(equation.params, is_leaf=_is_program):
            if _is_program(parameter):
                inner = getattr(parameter, "jaxpr", parameter)
                yield from products(inner, inner_times)


def flops(equation: Any) -> int:
    """Returns twice the multiplications of a product."""
    left, right = (each.aval.shape for each in equation.invars)
    outputs = math.prod(equation.outvars[0].aval.shape)
    if equation.primitive.name == "dot_general":
        contracted = equation.params["dimension_numbers"][0][0]
        return 2 * outputs * math.prod(left[axis] for axis in contracted)
    out_features = right[equation.params["dimension_numbers"].rhs_spec[0]]
    return 2 * outputs * math.prod(right) // out_features


def _is_program(value: Any) -> bool:
    return hasattr(getattr(value, "jaxpr", value), "eqns")
