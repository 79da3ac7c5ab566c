"""What holds for any array: dtype, shape, jit and vmap, finiteness, order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from research.activations import elementwise
from research.probes.errors import derivative
from research.probes.references import REFERENCES

DTYPES = ("float16", "bfloat16", "float32")
RISING = ("relu", "relu6", "leaky_relu", "relu2", "elu", "celu", "selu", "softplus")
RISING += ("squareplus", "log_sigmoid", "sigmoid", "tanh", "soft_sign", "hard_tanh")
RISING += ("hard_sigmoid", "identity")
NAMES = st.sampled_from(sorted(REFERENCES))
QUICK = settings(max_examples=50, deadline=None)
# Few shapes, each compiled once a function.
SHAPES = st.sampled_from([(), (9,), (2, 3)])


def inputs(dtype: str, name: str):
    """Returns arrays of finite numbers, of a size whose square relu2 can hold."""
    largest = float(jnp.finfo(dtype).max) / 2
    if name == "relu2":
        largest = largest**0.5
    near = st.floats(-20, 20)
    numbers = near | st.floats(-largest, largest)
    return SHAPES.flatmap(
        lambda shape: arrays.arrays(np.float64, shape, elements=numbers)
    ).map(lambda x: jnp.asarray(x, dtype))


@QUICK
@given(st.data(), NAMES, st.sampled_from(DTYPES))
def test_form_is_kept_and_finite_stays_finite(data, name, dtype):
    fn = getattr(elementwise, name)
    x = data.draw(inputs(dtype, name))
    for result in (fn(x), derivative(fn, 1)(x)):
        assert (result.shape, result.dtype) == (x.shape, x.dtype)
        assert np.isfinite(result.astype(jnp.float32)).all()


@QUICK
@given(st.data(), NAMES)
def test_jit_and_vmap_agree_with_eager(data, name):
    fn = getattr(elementwise, name)
    x = data.draw(inputs("float32", name))
    eager = fn(x)
    few_units = 8 * float(jnp.finfo(x.dtype).eps)
    smallest = float(jnp.finfo(x.dtype).tiny)
    others = [jax.jit(fn)(x)]
    if x.ndim:
        others.append(jax.vmap(fn)(x))
    for other in others:
        np.testing.assert_allclose(other, eager, rtol=few_units, atol=smallest)


@pytest.mark.parametrize("name", RISING)
@QUICK
@given(x=st.floats(-60, 60, width=32), step=st.floats(0, 5, width=32))
def test_what_should_rise_never_falls(name, x, step):
    low, high = getattr(elementwise, name)(jnp.array([x, x + step], jnp.float32))
    rounding = 8 * float(jnp.finfo(jnp.float32).eps) * abs(float(high))
    assert float(low) <= float(high) + rounding


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "quick_gelu", "silu"])
@QUICK
@given(x=st.floats(-20, 20, width=32))
def test_gated_by_a_symmetric_distribution(name, x):
    # x·F(x) - (-x)·F(-x) = x, and so the slopes at x and -x add up to 1.
    fn = getattr(elementwise, name)
    both = jnp.array([x, -x], jnp.float32)
    value, slope = fn(both), derivative(fn, 1)(both)
    normal = float(jnp.finfo(jnp.float32).tiny)  # XLA flushes what is below
    np.testing.assert_allclose(value[0] - value[1], x, rtol=1e-6, atol=2 * normal)
    np.testing.assert_allclose(slope[0] + slope[1], 1, rtol=1e-6)
