"""Infinities, NaN, kinks, integers, and derivatives of higher order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.activations import elementwise

INF = np.inf
SELU_LEFT = -elementwise.SELU_SCALE * elementwise.SELU_ALPHA
# name: value at -∞ and +∞, slope at -∞ and +∞.
LIMITS = {
    "relu": (0, INF, 0, 1),
    "relu6": (0, 6, 0, 0),
    "leaky_relu": (-INF, INF, 0.01, 1),
    "relu2": (0, INF, 0, INF),
    "gelu": (0, INF, 0, 1),
    "gelu_tanh": (0, INF, 0, 1),
    "quick_gelu": (0, INF, 0, 1),
    "silu": (0, INF, 0, 1),
    "mish": (0, INF, 0, 1),
    "elu": (-1, INF, 0, 1),
    "celu": (-1, INF, 0, 1),
    "selu": (SELU_LEFT, INF, 0, elementwise.SELU_SCALE),
    "softplus": (0, INF, 0, 1),
    "squareplus": (0, INF, 0, 1),
    "log_sigmoid": (-INF, 0, 1, 0),
    "sigmoid": (0, 1, 0, 0),
    "tanh": (-1, 1, 0, 0),
    "soft_sign": (-1, 1, 0, 0),
    "hard_tanh": (-1, 1, 0, 0),
    "hard_sigmoid": (0, 1, 0, 0),
    "hard_swish": (0, INF, 0, 1),
    "identity": (-INF, INF, 1, 1),
}
# name: x and the slope there, by the convention that the docstring states.
KINKS = [
    ("relu", 0, 0),
    ("relu6", 0, 0),
    ("relu6", 6, 0),
    ("leaky_relu", 0, 1),
    ("relu2", 0, 0),
    ("elu", 0, 1),
    ("selu", 0, -SELU_LEFT),
    ("hard_tanh", -1, 0),
    ("hard_tanh", 1, 0),
    ("hard_sigmoid", -3, 0),
    ("hard_sigmoid", 3, 0),
    ("hard_swish", -3, 0),
    ("hard_swish", 3, 1),
]
DTYPES = ("float16", "bfloat16", "float32", "float64")
SMOOTH = ("gelu", "gelu_tanh", "quick_gelu", "silu", "mish", "softplus", "log_sigmoid")
SMOOTH = (*SMOOTH, "sigmoid", "tanh", "squareplus")


def value_and_slope(name, x):
    fn = getattr(elementwise, name)
    return jax.jit(jax.vmap(jax.value_and_grad(fn)))(x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LIMITS)
def test_limits_at_infinity_and_nan(name, dtype):
    with jax.enable_x64(dtype == "float64"):
        value, slope = value_and_slope(name, jnp.array([-INF, INF, np.nan], dtype))
        assert value.dtype == slope.dtype == dtype
        found = [*value[:2].astype(float), *slope[:2].astype(float)]
        tolerance = float(jnp.finfo(dtype).eps)
        np.testing.assert_allclose(found, LIMITS[name], rtol=tolerance)
        assert np.isnan(value[2])
        assert np.isnan(slope[2]) or name == "identity"


@pytest.mark.parametrize(("name", "x", "slope"), KINKS)
def test_slopes_at_kinks(name, x, slope):
    found = jax.grad(getattr(elementwise, name))(jnp.float32(x))
    np.testing.assert_allclose(found, slope, rtol=1e-7)


@pytest.mark.parametrize("name", sorted(set(LIMITS) - {"identity"}))
def test_what_is_not_floating_point_is_refused(name):
    # Here the annotations refuse first; without them the function does, with its name.
    for x in (jnp.arange(3), jnp.array([True]), jnp.ones(2, jnp.complex64)):
        with pytest.raises(TypeError):
            getattr(elementwise, name)(x)


def test_the_refusal_names_the_function_and_the_type():
    from research.activations import closed_form
    from research.activations.gelu import _gelu_tanh

    plain = getattr(closed_form.evaluate, "__wrapped__", closed_form.evaluate)
    with pytest.raises(
        TypeError, match=r"gelu_tanh takes a floating.*not int32.*astype"
    ):
        plain(_gelu_tanh, jnp.arange(3))


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_up_to_the_third_agree_with_differences(name):
    fn = getattr(elementwise, name)
    with jax.enable_x64(True):
        x = jnp.array([-6.0, -2.3, -0.7, -0.01, 0.3, 1.9, 5.5])
        step = 1e-4
        for _ in range(3):
            value, slope = (jax.jit(jax.vmap(f)) for f in (fn, jax.grad(fn)))
            difference = (value(x + step) - value(x - step)) / (2 * step)
            np.testing.assert_allclose(slope(x), difference, rtol=1e-5, atol=1e-7)
            fn = jax.grad(fn)


@pytest.mark.parametrize("name", LIMITS)
def test_modes_of_differentiation_agree_in_strict_jax(name):
    fn = getattr(elementwise, name)
    x = jnp.array([[-3.5, -0.4, 0.2], [1.1, 2.7, 7.0]], jnp.float32)
    with jax.numpy_rank_promotion("raise"), jax.numpy_dtype_promotion("strict"):
        forward = jax.jvp(fn, (x,), (jnp.ones_like(x),))
        value, pull_back = jax.vjp(fn, x)
        hessian = jax.jit(jax.vmap(jax.hessian(fn)))(x.ravel())
        twice = jax.jit(jax.vmap(jax.grad(jax.grad(fn))))(x.ravel())
    np.testing.assert_allclose(forward[0], value)
    np.testing.assert_allclose(forward[1], pull_back(jnp.ones_like(x))[0])
    np.testing.assert_allclose(hessian, twice, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", sorted(set(LIMITS) - {"identity"}))
def test_narrow_types_are_widened_once_and_rounded_once(name, dtype):
    x = jax.ShapeDtypeStruct((4,), jnp.dtype(dtype))
    text = jax.jit(getattr(elementwise, name)).lower(x).as_text()
    kind = {"float16": "f16", "bfloat16": "bf16"}[dtype]
    assert text.count(f"tensor<4x{kind}>) -> tensor<4xf32>") == 1
    assert text.count(f"tensor<4xf32>) -> tensor<4x{kind}>") == 1


def test_parameters_are_taken():
    x = jnp.array([-1.0, 2.0])
    np.testing.assert_allclose(
        elementwise.leaky_relu(x, negative_slope=0.3), [-0.3, 2], rtol=1e-6
    )
    np.testing.assert_allclose(
        elementwise.elu(x, alpha=2), [2 * np.expm1(-1), 2], rtol=1e-6
    )
    np.testing.assert_allclose(
        elementwise.celu(x, alpha=0.5), [0.5 * np.expm1(-2), 2], rtol=1e-6
    )
    np.testing.assert_allclose(
        elementwise.squareplus(x, b=9.0), (x + np.sqrt(x**2 + 9)) / 2, rtol=1e-6
    )
