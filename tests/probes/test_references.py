"""The float64 references against the definitions, and the exponentials under them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.activations.exponential import (
    UNSCALE,
    exponential_of_sum,
    exponentials,
    gaussian,
)
from research.probes.mpmath_check import DEFINITIONS, worst_relative_error
from research.probes.references import REFERENCES


@pytest.mark.parametrize("name", REFERENCES)
def test_references_agree_with_their_definitions(name):
    assert worst_relative_error(name) < 1e-14


def test_a_wrong_reference_is_found(monkeypatch):
    sloppy = (lambda x: x * (1 + 1e-12), REFERENCES["identity"][1])
    monkeypatch.setitem(REFERENCES, "identity", sloppy)
    assert worst_relative_error("identity") > 9e-13


def test_every_reference_has_a_definition():
    assert set(DEFINITIONS) == set(REFERENCES)


def test_exponentials_keep_small_results_and_small_arguments():
    t = np.concatenate([np.linspace(-100, 20, 5001), -np.geomspace(1e-30, 1, 500)])
    t = t.astype(np.float32)
    scaled, minus_one = jax.jit(exponentials)(jnp.asarray(t))
    wide = t.astype(np.float64)
    eps = 2.0**-24
    np.testing.assert_allclose(scaled, np.exp(wide) / UNSCALE, rtol=2.1 * eps)
    np.testing.assert_allclose(minus_one, np.expm1(wide), rtol=3 * eps)
    slopes = jax.jvp(exponentials, (jnp.asarray(t),), (jnp.ones_like(t),))[1]
    np.testing.assert_allclose(
        slopes[0] * UNSCALE, np.exp(wide), rtol=4 * eps, atol=2e-38
    )
    np.testing.assert_allclose(slopes[1], np.exp(wide), rtol=4 * eps, atol=2e-38)


def test_squares_and_sums_in_the_exponent_are_not_rounded():
    x = np.linspace(-14.4, 14.4, 5001).astype(np.float32)
    bell = jax.jit(gaussian)(jnp.asarray(x))
    true = np.exp(-(x.astype(np.float64) ** 2) / 2) / UNSCALE
    np.testing.assert_allclose(bell, true, rtol=3 * 2.0**-24)
    high, low = jnp.float32(-64), jnp.linspace(-1e-5, 1e-5, 101)
    found = exponential_of_sum(jnp.full_like(low, high), low) * UNSCALE
    true = np.exp(-64 + np.asarray(low, np.float64))
    np.testing.assert_allclose(found, true, rtol=3 * 2.0**-24)


def test_float64s_exponential_reaches_its_last_normal_number():
    with jax.enable_x64(True):
        t = jnp.array([-720.0, -709.0, -400.0, -1.0, 20.0])
        scaled, _ = jax.jit(exponentials)(t)
        # As logarithms: exp(-720) itself is subnormal.
        np.testing.assert_allclose(
            np.log(scaled), np.asarray(t) + 24 * np.log(2), rtol=1e-15
        )
