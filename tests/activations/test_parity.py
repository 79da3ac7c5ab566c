"""Values from outside this code: mpmath's digits, SciPy's erf, PyTorch's GELUs."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf, erfc

from research.activations import elementwise

SHARED = Path(__file__).parents[2] / "../shared/numerics/reference.json"
GOLDEN = Path(__file__).parent / "golden.json"
# How the reference files name these functions; the others there are not elementwise.
FUNCTIONS: dict[str, Callable] = {
    "relu": elementwise.relu,
    "relu6": elementwise.relu6,
    "leaky_relu_0.01": elementwise.leaky_relu,
    "prelu_0.25": partial(elementwise.leaky_relu, negative_slope=0.25),
    "squared_relu": elementwise.relu2,
    "gelu": elementwise.gelu,
    "gelu_tanh": elementwise.gelu_tanh,
    "quick_gelu": elementwise.quick_gelu,
    "silu": elementwise.silu,
    "mish": elementwise.mish,
    "sigmoid": elementwise.sigmoid,
    "tanh": elementwise.tanh,
    "softplus": elementwise.softplus,
    "log_sigmoid": elementwise.log_sigmoid,
    "elu": elementwise.elu,
    "celu_2": partial(elementwise.celu, alpha=2.0),
    "selu": elementwise.selu,
    "hard_swish": elementwise.hard_swish,
    "hard_sigmoid": elementwise.hard_sigmoid,
    "soft_sign": elementwise.soft_sign,
    "squareplus_4": elementwise.squareplus,
    "gelu_second_derivative": jax.grad(jax.grad(elementwise.gelu)),
}
# x, x·Φ(x) and x·(1 + tanh(u))/2 in 18 digits, from the formulas with mpmath: what
# PyTorch documents as approximate='none' and approximate='tanh'.
GELUS = [
    (-10.0, -7.61985302416052607e-23, -1.20409234820980599e-37),
    (-5.0, -1.43325785939596956e-6, -2.29179619662950605e-7),
    (-2.5, -0.0155241633144403379, -0.0150842660899985821),
    (-1.0, -0.158655253931457051, -0.158808009391723295),
    (0.5, 0.345731230637006552, 0.345714009825143922),
    (1.0, 0.841344746068542949, 0.841191990608276705),
    (3.0, 2.99595030590510972, 2.99636260791822698),
]


def check(fn, rows, *, rtol: float, atol: float) -> None:
    """Compares value and slope with rows of x, value, slope; atol is the slope's."""
    x, value, slope = np.array([[float(word) for word in row] for row in rows]).T
    both = jax.jit(jax.vmap(jax.value_and_grad(fn)))(jnp.asarray(x))
    np.testing.assert_allclose(both[0], value, rtol=rtol)
    np.testing.assert_allclose(both[1], slope, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_value_and_slope_of_the_shared_reference(name):
    if not SHARED.is_file():
        pytest.skip(f"no {SHARED}: the golden values alone are checked")
    rows = json.loads(SHARED.read_text())["functions"][name]
    with jax.enable_x64(True):
        check(
            FUNCTIONS[name],
            [(row["x"], row["value"], row["derivative"]) for row in rows],
            rtol=2e-12,
            atol=1e-16,
        )


@pytest.mark.parametrize("name", json.loads(GOLDEN.read_text()))
def test_golden_values_and_slopes(name):
    rows = json.loads(GOLDEN.read_text())[name]
    with jax.enable_x64(True):
        check(FUNCTIONS[name], rows, rtol=1e-13, atol=1e-16)
    # Slopes near their zero, as at -0.75, are right to a rounding of their terms.
    check(FUNCTIONS[name], rows, rtol=1e-6, atol=3e-8)


def test_gelu_is_the_one_by_erf():
    x = np.linspace(-3, 8, 1001).astype(np.float32)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(
        elementwise.gelu(jnp.asarray(x)),
        wide * (1 + erf(wide / np.sqrt(2))) / 2,
        rtol=1e-6,
        atol=1e-9,
    )
    tail = np.linspace(-13, -3, 1001).astype(np.float32)
    wide = tail.astype(np.float64)
    np.testing.assert_allclose(
        elementwise.gelu(jnp.asarray(tail)),
        wide * erfc(-wide / np.sqrt(2)) / 2,
        rtol=1e-6,
    )


@pytest.mark.parametrize(("x", "exact", "tanh_form"), GELUS)
def test_both_gelus_to_float32_rounding(x, exact, tanh_form):
    argument = jnp.float32(x)
    np.testing.assert_allclose(elementwise.gelu(argument), exact, rtol=6e-7)
    # The exponent's own rounding, 2u = 88 at x = -10, is left in.
    digits = 2e-5 if x == -10 else 3e-6
    np.testing.assert_allclose(elementwise.gelu_tanh(argument), tanh_form, rtol=digits)


def test_gelu_equals_pytorchs():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = np.linspace(-5, 5, 2001).astype(np.float32)
    for fn, form, digits in (
        (elementwise.gelu, "none", 1e-6),
        (elementwise.gelu_tanh, "tanh", 3e-6),
    ):
        ours, wide = fn(jnp.asarray(x)), torch.from_numpy(x.astype(np.float64))
        exact = torch.nn.functional.gelu(wide, approximate=form).numpy()
        np.testing.assert_allclose(ours, exact, rtol=digits)
        # In float32 PyTorch itself rounds 1 + erf and 1 + tanh: up to |x| times 2e-7.
        theirs = torch.nn.functional.gelu(torch.from_numpy(x), approximate=form)
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-6)
