"""Activations with parameters: values, and slopes in x and in the parameter."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.activations.catalog import CATALOG, lookup

PARAMETRIC = [r for r in CATALOG.values() if r.kind == "parametric"]
each = pytest.mark.parametrize("record", PARAMETRIC, ids=lambda record: record.name)
X = jnp.linspace(-15, 15, 301, dtype=jnp.float32)


def parameters(record, value):
    return {name: jnp.float32(value) for name, _ in record.parameters}


def test_they_start_as_pytorch_and_the_paper_have_it():
    assert lookup("prelu").parameters == (("negative_slope", 0.25),)
    assert lookup("swish_beta").parameters == (("beta", 1.0),)
    assert lookup("prelu(init=-0.5)").parameters == (("negative_slope", -0.5),)
    initial = lookup("swish_beta(init=2)").initial_parameters()
    assert {name: float(value) for name, value in initial.items()} == {"beta": 2}


def test_at_known_parameters_they_are_known_functions():
    cases = (
        ("prelu", 0.0, "relu"),
        ("prelu", 1.0, "identity"),
        ("prelu", 0.01, "leaky_relu"),
        ("swish_beta", 1.0, "silu"),
        ("swish_beta", 1.702, "quick_gelu"),
    )
    for name, value, other in cases:
        mine = lookup(name)(X, parameters(lookup(name), value))
        np.testing.assert_allclose(mine, lookup(other)(X), rtol=1e-6, atol=1e-7)
    half = lookup("swish_beta")(X, {"beta": jnp.float32(0)})
    np.testing.assert_array_equal(half, X / 2)


@each
@settings(deadline=None, max_examples=30)
@given(value=st.floats(-4, 4), x=st.floats(-10, 10))
def test_slopes_are_those_of_the_function(record, value, x):
    if abs(x) < 1e-2:
        x = 0.5  # away from the kink
    with jax.enable_x64(True):
        fn = lambda x, p: record.fn(x, {record.parameters[0][0]: p})  # noqa: E731
        at = (jnp.float64(x), jnp.float64(value))
        slopes = jax.grad(fn, argnums=(0, 1))(*at)
        for i, slope in enumerate(slopes):
            step = [0.0, 0.0]
            step[i] = 1e-6
            above = fn(*(a + s for a, s in zip(at, step, strict=True)))
            below = fn(*(a - s for a, s in zip(at, step, strict=True)))
            numeric = float(above - below) / 2e-6
            assert float(slope) == pytest.approx(numeric, rel=1e-5, abs=1e-6)


@each
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_half_precision_is_rounded_once(record, dtype):
    x = jnp.asarray(X, dtype)
    y = record(x, parameters(record, 0.3))
    assert y.dtype == x.dtype
    wide = record(x.astype(jnp.float32), parameters(record, 0.3)).astype(dtype)
    np.testing.assert_array_equal(np.asarray(y), np.asarray(wide))


@each
def test_what_is_learned_has_a_gradient_that_is_finite_far_out(record):
    x = jnp.float32([-1e30, -1e4, -3, 0, 3, 1e4, 1e30])

    def total(values):
        return record.fn(x, values).sum()

    for value in (0.25, 1.0):
        [slope] = jax.tree.leaves(jax.grad(total)(parameters(record, value)))
        assert slope.shape == ()
        assert np.isfinite(slope)
        assert slope != 0


def test_swish_has_its_limits_at_infinity():
    swish = lookup("swish_beta")
    x = jnp.float32([-jnp.inf, jnp.inf, jnp.nan])
    values = swish(x, parameters(swish, 1))
    slopes = jax.vmap(jax.grad(swish.fn), in_axes=(0, None))(x, parameters(swish, 1))
    np.testing.assert_array_equal(values, [0, np.inf, np.nan])
    np.testing.assert_array_equal(slopes, [0, 1, np.nan])


def test_prelu_has_slope_1_at_0():
    prelu = lookup("prelu")
    assert jax.grad(prelu.fn)(jnp.float32(0), prelu.initial_parameters()) == 1


@pytest.mark.parametrize("name", ["prelu", "swish_beta"])
def test_nan_gives_nan_in_value_and_slope(name):
    record = CATALOG[name]
    assert np.isnan(record.curve(jnp.float32(jnp.nan)))
    assert np.isnan(jax.grad(record.curve)(jnp.float32(jnp.nan)))


def test_swish_keeps_the_far_tail_of_silu():
    x = jnp.linspace(-91, -20, 300, dtype=jnp.float32)
    swish, silu = CATALOG["swish_beta"], CATALOG["silu"]
    np.testing.assert_allclose(swish.curve(x), silu(x), rtol=2e-5)
    slopes = [jax.vmap(jax.grad(record.curve))(x) for record in (swish, silu)]
    np.testing.assert_allclose(*slopes, rtol=2e-5)
