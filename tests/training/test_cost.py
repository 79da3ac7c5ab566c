"""What a step costs, counted from its program."""

import jax
import jax.numpy as jnp
import pytest
from tiny_runs import tiny_experiment

from research.training.cost import flops, products, step_flops


def counted(f, *shapes):
    arrays = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    found = products(jax.make_jaxpr(f)(*arrays).jaxpr)
    return sum(times * flops(equation) for equation, times in found)


def test_an_mlps_step_is_counted_by_hand(tiny):
    # 16 rows through 2 → 8 → 1: each product forward, then one backward for the kernel
    # and, but in the first layer, one for the inputs.
    first, second = 2 * 16 * 2 * 8, 2 * 16 * 8 * 1
    for problem in tiny.problems.values():
        assert step_flops(problem, tiny.data) == 2 * first + 3 * second


def test_a_second_projection_costs_its_products():
    tiny = tiny_experiment(activations="relu,swiglu")
    first, second = 2 * 16 * 2 * 5, 2 * 16 * 5 * 1
    found = step_flops(tiny.problems["swiglu"], tiny.data)
    assert found == 2 * (2 * first) + 3 * second


def loop(x):
    def body(x, _):
        return x @ x, None

    return jax.lax.scan(body, x, length=7)[0]


def choice(x):
    return jax.lax.cond(x[0, 0] > 0, lambda x: x @ x, lambda x: x, x)


def convolution(x, kernel):
    return jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@pytest.mark.parametrize(
    ("f", "shapes", "expected"),
    [
        (jnp.matmul, ((2, 3), (3, 5)), 2 * 2 * 3 * 5),
        (lambda a, b: jnp.einsum("bqc,bkc->bqk", a, b), ((4, 2, 3), (4, 5, 3)), 240),
        (jax.jit(jnp.matmul), ((2, 3), (3, 5)), 60),
        (loop, ((3, 3),), 7 * 2 * 27),
        (choice, ((3, 3),), 2 * 27),
        (convolution, ((1, 6, 6, 2), (3, 3, 2, 4)), 2 * 16 * 4 * 18),
    ],
)
def test_products_are_found_wherever_they_stand(f, shapes, expected):
    assert counted(f, *shapes) == expected
