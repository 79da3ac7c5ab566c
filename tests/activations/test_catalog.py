"""Every activation of the catalogue, table-driven: a new record brings its own tests."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from research.activations.catalog import CATALOG, lookup
from research.activations.names import ALIASES, NAMES
from research.errors import ConfigError

RECORDS = list(CATALOG.values())
every = pytest.mark.parametrize("record", RECORDS, ids=list(CATALOG))
LINE = np.linspace(-20, 20, 4001, dtype=np.float32)

# The papers' formulas once more, in float64 and by NumPy and SciPy alone.
REFERENCES = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * special.ndtr(x),
    "gelu_tanh": lambda x: (
        0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
    "quick_gelu": lambda x: x * special.expit(1.702 * x),
    "silu": lambda x: x * special.expit(x),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "tanh": np.tanh,
    "sigmoid": special.expit,
    "softplus": lambda x: np.logaddexp(x, 0),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "selu": lambda x: (
        1.0507009873554805
        * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))
    ),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "relu2": lambda x: np.maximum(x, 0) ** 2,
    "identity": lambda x: x,
    "relu6": lambda x: np.clip(x, 0, 6),
    "prelu": lambda x: np.where(x < 0, 0.25 * x, x),
    "swish_beta": lambda x: x * special.expit(x),
    "celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "log_sigmoid": special.log_expit,
    "soft_sign": lambda x: x / (1 + np.abs(x)),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "glu": special.expit,
    "bilinear": lambda x: x,
    "reglu": lambda x: np.maximum(x, 0),
    "geglu": lambda x: x * special.ndtr(x),
    "swiglu": lambda x: x * special.expit(x),
    "geglu_tanh": lambda x: REFERENCES["gelu_tanh"](x),
}
# Where a slope jumps, beside 0.
KINKS = np.array([-3.0, -1.0, 1.0, 3.0, 6.0])


def value(name: str, x: float) -> float:
    """Returns an activation's value at a float32 point."""
    return float(CATALOG[name].curve(jnp.float32(x)))


def test_every_name_has_its_record_and_every_record_its_name():
    assert tuple(CATALOG) == NAMES
    assert all(name == record.name == record.slug for name, record in CATALOG.items())
    assert set(REFERENCES) == set(NAMES)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases_resolve(alias: str, name: str):
    assert lookup(alias) is lookup(alias.upper()) is CATALOG[name]


def test_an_unknown_name_is_refused_with_the_near_one():
    with pytest.raises(ConfigError, match=r"geluu.*mean gelu"):
        lookup("geluu")


@every
def test_a_record_says_what_it_is(record):
    assert record.formula
    assert record.source
    assert record.points
    assert record.limits


@every
def test_known_points(record):
    for x, y in record.points:
        assert value(record.name, x) == pytest.approx(y, abs=1e-6)


def test_the_numbers_of_the_papers():
    assert value("relu", -1) == 0
    assert value("relu", 2) == 2
    assert value("gelu", -1) == pytest.approx(-0.158655253931457, abs=1e-7)
    assert value("gelu", 2) == pytest.approx(1.954499736103642, abs=3e-7)
    assert value("gelu", 1) == pytest.approx(0.841344746068543, abs=1e-7)  # 1·Φ(1)


@every
def test_the_formula_in_float64(record):
    expected = REFERENCES[record.name](LINE.astype(np.float64))
    np.testing.assert_allclose(record.curve(jnp.asarray(LINE)), expected, 2e-6, 1e-6)


def test_gelu_is_the_exact_one():
    x = LINE.astype(np.float64)
    exact = 0.5 * x * (1 + special.erf(x / math.sqrt(2)))
    mine = np.asarray(CATALOG["gelu"].fn(jnp.asarray(LINE)), np.float64)
    np.testing.assert_allclose(mine, exact, rtol=0, atol=2e-6)
    other = np.asarray(CATALOG["gelu_tanh"].fn(jnp.asarray(LINE)), np.float64)
    assert np.abs(other - exact).max() > 4e-4  # the tanh form is another function


def test_gelu_keeps_its_negative_tail():
    # (1 + erf(x/√2))/2 rounds to 0 in float32 from about -5.5 on.
    for x in (-6.0, -8.0, -10.0):
        expected = x * special.ndtr(x)
        assert value("gelu", x) == pytest.approx(expected, rel=1e-4)


@every
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float16])
def test_shape_and_dtype_are_kept(record, shape, dtype):
    result = record.curve(jnp.ones(shape, dtype))
    assert (result.shape, result.dtype) == (shape, dtype)


@every
def test_strict_promotion(record):
    with jax.numpy_dtype_promotion("strict"):
        x = jnp.asarray([-1.5, 0.0, 2.0], jnp.float32)
        record.curve(x)
        jax.jit(jax.vmap(jax.grad(record.curve)))(x)


@every
def test_jit_and_vmap_agree_with_eager(record):
    x = jnp.asarray(LINE)
    eager = record.curve(x)
    for lifted in (
        jax.jit(record.curve),
        jax.vmap(record.curve),
        jax.jit(jax.vmap(record.curve)),
    ):
        np.testing.assert_allclose(lifted(x), eager, rtol=1e-6, atol=1e-7)


@every
def test_the_gradient_is_finite_and_is_the_slope(record):
    x = np.append(LINE, np.float32([1e-30, -1e-30, 1e3, -1e3]))
    slope = np.asarray(jax.vmap(jax.grad(record.curve))(jnp.asarray(x)))
    assert np.isfinite(slope).all()
    from_kinks = np.abs(LINE[:, None] - [0, *KINKS]).min(axis=1)
    inner = LINE[from_kinks > 0.01].astype(np.float64)
    reference = REFERENCES[record.name]
    expected = (reference(inner + 1e-5) - reference(inner - 1e-5)) / 2e-5
    mine = np.asarray(jax.vmap(jax.grad(record.curve))(jnp.asarray(inner, jnp.float32)))
    np.testing.assert_allclose(mine, expected, rtol=1e-4, atol=1e-5)


def test_relu_has_slope_zero_at_zero():
    assert jax.grad(CATALOG["relu"].fn)(0.0) == 0


@every
def test_nan_is_not_hidden(record):
    assert math.isnan(value(record.name, math.nan))


def test_gelu_has_no_chance_in_it():
    gelu, x = CATALOG["gelu"].fn, jnp.asarray(LINE)

    def with_draws(key, x):
        return gelu(x), jax.random.normal(key, x.shape)

    fixed = np.asarray(jax.jit(gelu)(x)).tobytes()
    draws = set()
    for seed in range(5):
        key = jax.random.fold_in(jax.random.key(seed), seed)
        for program in (jax.jit(with_draws), jax.jit(lambda k, v: with_draws(k, v))):
            result, noise = program(key, x)
            assert np.asarray(result).tobytes() == fixed
        draws.add(np.asarray(noise).tobytes())
    assert len(draws) == 5
    assert np.asarray(gelu(x)).tobytes() == np.asarray(gelu(x)).tobytes()
