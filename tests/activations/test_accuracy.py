"""The table of errors, sampled: every bound, and no failure anywhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.activations import elementwise
from research.probes.bounds import bound, meets
from research.probes.errors import measure
from research.probes.references import REFERENCES

THIN = {"float32": 64, "float16": 9, "bfloat16": 9}


def test_every_elementwise_activation_has_a_reference():
    functions = {name for name in elementwise.__all__ if name.islower()}
    assert functions == set(REFERENCES)


@pytest.mark.parametrize("dtype", THIN)
@pytest.mark.parametrize("name", REFERENCES)
def test_errors_are_within_their_bounds(name, dtype):
    for order, reference in enumerate(REFERENCES[name]):
        scan = measure(
            getattr(elementwise, name),
            reference,
            dtype=dtype,
            order=order,
            thin=THIN[dtype],
        )
        limit = bound(name, dtype, order)
        assert meets(scan, limit), (
            f"order {order}: {scan.core} ulp at {scan.core_at} (bound {limit}), "
            f"failures {scan.failures}"
        )


# Where jax.nn loses all, measured 2026-11-29 with jax 0.10.2 on a CPU.
@pytest.mark.parametrize(
    ("name", "order", "dtype", "x", "true"),
    [
        ("gelu", 0, "float32", -13.0625, -3.52213e-38),
        ("gelu_tanh", 0, "float32", -6.0, -8.43960e-11),
        ("gelu_tanh", 0, "bfloat16", -3.1875, -1.9531e-3),
        ("gelu_tanh", 1, "float16", 148.0, 1.0),
        ("silu", 1, "float32", -88.0, -5.26698e-37),
        ("sigmoid", 1, "float32", 20.0, 2.06115e-9),
        ("tanh", 1, "float32", 10.0, 8.24461e-9),
        ("elu", 1, "float32", -20.0, 2.06115e-9),
        ("squareplus", 0, "float32", -1e20, 1e-20),
        ("hard_swish", 1, "float16", 2.998046875, 1.4993),
    ],
)
def test_no_false_zero_where_others_have_one(name, order, dtype, x, true):
    fn = getattr(elementwise, name)
    found = (fn if order == 0 else jax.grad(fn))(jnp.asarray(x, dtype))
    digits = 2e-2 if dtype == "bfloat16" else 1e-3
    np.testing.assert_allclose(float(found), true, rtol=digits)


def test_float64_is_accurate_to_the_end_of_its_range():
    from research.probes.mpmath_check import true_value

    cases = [
        ("gelu", -37.55, 10),
        ("gelu", -5.0, 10),
        ("gelu_tanh", -8.0, 100),
        ("silu", -712.0, 5),
        ("mish", -712.0, 6),
        ("sigmoid", 3.0, 4),
        ("tanh", 0.3, 4),
        ("elu", -0.7, 4),
    ]
    with jax.enable_x64(True):
        for name, x, ulps in cases:
            found = getattr(elementwise, name)(jnp.asarray(x, jnp.float64))
            true = true_value(name, x)
            assert abs(float(found) / true - 1) < ulps * 2.0**-52, (name, x)


def test_float64_slopes_do_not_vanish_early():
    with jax.enable_x64(True):
        for name, x in (("gelu", -37.6), ("silu", -709.0), ("elu", -708.0)):
            slope = jax.grad(getattr(elementwise, name))(jnp.asarray(x, jnp.float64))
            np.testing.assert_allclose(
                float(slope), float(REFERENCES[name][1](np.array([x]))[0]), rtol=1e-11
            )
