"""The measure of errors: known errors are found, and faults of every kind."""

import jax.numpy as jnp
import numpy as np
import pytest

from research.probes import accuracy
from research.probes.bounds import meets
from research.probes.errors import errors_in_ulps, finite_patterns, measure


def test_errors_in_ulps_count_spacings_at_the_true_result():
    true = np.array([1.0, 1.5, 2.0, 1e-40, 0.0, 1e39])
    spacing = 2.0**-23
    found = np.array([1 + spacing, 1.5 - 3 * spacing, 2 + spacing, 0.0, 0.0, np.inf])
    ulps = errors_in_ulps(found, true, "float32")
    # Above 2 a spacing is twice as wide; a flushed subnormal and an overflow are none.
    np.testing.assert_allclose(ulps, [1, 3, 0.5, 0, 0, 0])
    assert np.isinf(errors_in_ulps(np.array([np.nan]), np.ones(1), "float32")[0])


def test_a_correctly_rounded_result_is_off_by_half_a_unit_at_most():
    scan = measure(
        lambda x: jnp.sqrt(jnp.abs(x)),
        lambda x: np.sqrt(np.abs(x)),
        dtype="float16",
        order=0,
    )
    assert 0.45 < max(scan.core, scan.beyond) <= 0.5
    assert scan.failures == ()


@pytest.mark.parametrize(
    ("kind", "broken"),
    [
        ("zero", lambda x: jnp.where(x < -4, 0, x)),
        ("wrong sign", lambda x: jnp.where(x < -4, 1, x)),
        ("infinite", lambda x: jnp.where(x < -4, -jnp.inf, x)),
        ("NaN", lambda x: jnp.where(x < -4, jnp.nan, x)),
    ],
)
def test_each_kind_of_failure_is_found_where_it_is(kind, broken):
    scan = measure(broken, lambda x: x, dtype="bfloat16", order=0)
    (failure,) = scan.failures
    below = scan.x[scan.x < -4]
    assert (failure.kind, failure.count) == (kind, below.size)
    assert (failure.low, failure.high) == (below.min(), below.max())
    assert not meets(scan, None)
    assert not meets(scan, np.inf)


def test_the_core_ends_at_five_and_its_worst_is_told():
    def off(x):
        return jnp.where(jnp.abs(x) > 5, x / 4, jnp.where(x == 3, 2.5 * x, x))

    scan = measure(off, lambda x: x, dtype="bfloat16", order=0)
    assert scan.core_at == 3
    assert scan.core == 4.5 * 2**6  # 3 has a spacing of 2⁻⁶
    assert abs(scan.beyond_at) > 5
    assert meets(scan, scan.core)
    assert not meets(scan, scan.core - 1)


def test_errors_near_the_zero_of_a_derivative_are_left_out():
    # The true derivative is 2x; this one is off by 0.001, near its zero only.
    def parabola(x):
        return x * x + jnp.where(jnp.abs(x) < 0.04, 0.001 * x, 0)

    scan = measure(parabola, lambda x: 2 * x, dtype="float16", order=1)
    assert scan.core <= 0.5
    assert scan.ulps.max() > 100
    assert scan.failures


def test_patterns_are_all_normal_numbers_and_zero():
    patterns = finite_patterns("float16").astype(float)
    assert patterns.size == 2 * 30 * 1024 + 1
    assert (np.diff(patterns) > 0).all()
    assert np.abs(patterns[patterns != 0]).min() == 2.0**-14


def run(monkeypatch, *words: str) -> int:
    from absl import flags

    flags.FLAGS(["accuracy", "--quick", *words])
    with pytest.raises(SystemExit) as stopped:
        accuracy.main([])
    return stopped.value.code


def test_the_table_prints_bounds_and_exits_by_them(monkeypatch, capsys):
    words = "--activations=gelu", "--dtypes=bfloat16"
    assert run(monkeypatch, *words) == 0
    shown = capsys.readouterr().out
    for word in ("0.51", "met", "jax.nn", "on cpu", "every bound is met", "flushed"):
        assert word in shown
    monkeypatch.setattr(accuracy, "bound", lambda *case: 0.1)
    assert run(monkeypatch, *words) == 1
    assert "3 bounds missed" in capsys.readouterr().out


def test_an_unknown_activation_is_refused(monkeypatch):
    from absl import app

    with pytest.raises(app.UsageError, match="no gleu here; there are relu,"):
        accuracy._refuse_unknown(["gleu"], ("relu", "gelu"))
