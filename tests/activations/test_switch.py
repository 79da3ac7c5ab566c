"""One function of several: the chosen one's values and gradients, and no other is run."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.activations.catalog import lookup
from research.activations.switch import switched

NAMES = ("relu", "gelu", "silu", "leaky_relu(negative_slope=0.1)")
FUNCTIONS = tuple(lookup(name).fn for name in NAMES)
X = jnp.linspace(-6.0, 6.0, 61, dtype=jnp.float32).reshape(1, 61)


@pytest.mark.parametrize("index", range(len(NAMES)))
def test_it_is_the_chosen_one_and_its_gradient(index):
    def total(function):
        return lambda x: (function(x) * jnp.cos(x)).sum()

    chosen = jax.jit(lambda i, x: switched(FUNCTIONS, i, x))
    slope = jax.jit(
        lambda i, x: jax.grad(total(lambda x: switched(FUNCTIONS, i, x)))(x)
    )
    own = jax.jit(FUNCTIONS[index])(X)
    np.testing.assert_array_equal(chosen(jnp.int32(index), X), own)
    wanted = jax.jit(jax.grad(total(FUNCTIONS[index])))(X)
    np.testing.assert_allclose(slope(jnp.int32(index), X), wanted, rtol=2e-6, atol=1e-7)


def test_a_vmap_over_lanes_leaves_the_choice_to_the_program():
    def lanes(index, x):
        return jax.vmap(jax.grad(lambda x: switched(FUNCTIONS, index, x).sum()))(x)

    told = str(jax.make_jaxpr(lanes)(jnp.int32(0), X))
    assert "cond[" in told  # a vmap over the index would run all and select
