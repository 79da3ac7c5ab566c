"""Gated activations: an elementwise function of the gate, times the value."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.activations.catalog import CATALOG, lookup

# What each is at value 1.
REDUCES_TO = {
    "glu": "sigmoid",
    "bilinear": "identity",
    "reglu": "relu",
    "geglu": "gelu",
    "geglu_tanh": "gelu_tanh",
    "swiglu": "silu",
}
each = pytest.mark.parametrize(("name", "base"), REDUCES_TO.items())
NUMBERS = st.lists(st.floats(-200, 200, width=16), min_size=1, max_size=8)
DTYPES = st.sampled_from(["float32", "float16", "bfloat16"])


def test_every_gated_one_is_here():
    gated = [name for name, record in CATALOG.items() if record.kind == "gated"]
    assert gated == list(REDUCES_TO)


@each
@settings(deadline=None, max_examples=30)
@given(numbers=NUMBERS, dtype=DTYPES)
def test_with_value_1_it_is_its_elementwise_function(name, base, numbers, dtype):
    gate = jnp.asarray(numbers, dtype)
    mine = lookup(name)(gate, jnp.ones_like(gate))
    theirs = lookup(base)(gate)
    np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))
    np.testing.assert_array_equal(np.asarray(lookup(name).curve(gate)), theirs)


@each
@settings(deadline=None, max_examples=30)
@given(numbers=NUMBERS, factor=st.floats(-8, 8, width=16))
def test_it_is_linear_in_the_value(name, base, numbers, factor):
    gate = jnp.asarray(numbers, jnp.float32)
    value = jnp.full_like(gate, factor)
    expected = np.asarray(lookup(base)(gate)) * np.float32(factor)
    np.testing.assert_allclose(lookup(name)(gate, value), expected, rtol=1e-6)


@each
def test_the_gradient_reaches_gate_and_value(name, base):
    gate, value = jnp.float32(0.7), jnp.float32(-1.3)
    slopes = jax.grad(lookup(name).fn, argnums=(0, 1))(gate, value)
    assert float(slopes[0]) == pytest.approx(
        -1.3 * float(jax.grad(lookup(base).fn)(gate)), rel=1e-5
    )
    assert float(slopes[1]) == pytest.approx(float(lookup(base)(gate)), rel=1e-6)
