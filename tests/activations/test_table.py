"""The whole table: what every name elsewhere means, and each function's formula."""

import math
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from research.activations.aliases import ALIASES, REFUSED, REMARKS
from research.activations.arguments import ARGUMENTS
from research.activations.catalog import CATALOG, lookup
from research.activations.names import NAMES, SAME_FUNCTION, arms, canonical, remarks
from research.activations.page import page
from research.activations.record import CALLED_WITH
from research.errors import ConfigError
from research.reporting.arms import WRITTEN

ROOT = Path(__file__).parents[2]
every = pytest.mark.parametrize("record", CATALOG.values(), ids=list(CATALOG))
X = jnp.linspace(-20, 20, 801, dtype=jnp.float32)

# The keys of ACT2FN in transformers 5.24, and what each is.
HUGGING_FACE = {
    "gelu": "gelu",
    "gelu_fast": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "gelu_python": "gelu",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "hardswish": "hard_swish",
    "leaky_relu": "leaky_relu",
    "linear": "identity",
    "mish": "mish",
    "quick_gelu": "quick_gelu",
    "relu": "relu",
    "relu2": "relu2",
    "relu6": "relu6",
    "sigmoid": "sigmoid",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
    "prelu": "prelu",
}
# The classes of torch.nn.modules.activation in PyTorch 2.13, and Identity.
PYTORCH = {
    "ReLU": "relu",
    "Hardtanh": "hard_tanh",
    "ReLU6": "relu6",
    "Sigmoid": "sigmoid",
    "Hardsigmoid": "hard_sigmoid",
    "Tanh": "tanh",
    "SiLU": "silu",
    "Mish": "mish",
    "Hardswish": "hard_swish",
    "ELU": "elu",
    "CELU": "celu",
    "SELU": "selu",
    "GLU": "glu",
    "GELU": "gelu",
    "LeakyReLU": "leaky_relu",
    "LogSigmoid": "log_sigmoid",
    "Softplus": "softplus",
    "PReLU": "prelu",
    "Softsign": "soft_sign",
    "Identity": "identity",
}
# Of jax.nn in 0.10.2, what is an activation.
JAX = {
    "celu": "celu",
    "elu": "elu",
    "glu": "glu",
    "hard_sigmoid": "hard_sigmoid",
    "hard_silu": "hard_swish",
    "hard_swish": "hard_swish",
    "hard_tanh": "hard_tanh",
    "identity": "identity",
    "leaky_relu": "leaky_relu",
    "log_sigmoid": "log_sigmoid",
    "mish": "mish",
    "relu6": "relu6",
    "selu": "selu",
    "soft_sign": "soft_sign",
    "softplus": "softplus",
    "squareplus": "squareplus",
    "swish": "silu",
}
ELSEWHERE = {**HUGGING_FACE, **PYTORCH, **JAX, "gated-gelu": "geglu_tanh"}
REFUSED_ELSEWHERE = [
    *("gelu_10", "laplace", "xielu", "sqrtsoftplus", "leaky"),
    *("Threshold", "RReLU", "Hardshrink", "Softshrink", "MultiheadAttention"),
    *("Tanhshrink", "Softmin", "Softmax", "Softmax2d", "LogSoftmax"),
    *("log_softmax", "sparse_plus", "sparse_sigmoid"),
]


@pytest.mark.parametrize(("word", "name"), ELSEWHERE.items())
def test_names_elsewhere_resolve(word, name):
    assert canonical(word) == canonical(word.upper()) == name


@pytest.mark.parametrize("word", REFUSED_ELSEWHERE)
def test_the_others_are_refused_with_the_reason(word):
    plain = word.lower()
    with pytest.raises(ConfigError) as refusal:
        canonical(word)
    assert str(refusal.value) == f"activations={word!r}: {plain}: {REFUSED[plain]}"


def test_the_tables_of_names_do_not_overlap():
    tables = (set(NAMES), set(ALIASES), set(REFUSED))
    assert sum(map(len, tables)) == len(set.union(*tables))
    assert set(ALIASES.values()) | set(ARGUMENTS) <= set(NAMES)
    assert set(REMARKS) <= set(ALIASES)
    assert tuple(CATALOG) == NAMES
    assert set(WRITTEN) == set(NAMES)


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (("gelu_tanh", "gelu(approximate=tanh)"), "gelu_tanh"),
        (("leaky_relu", "leaky_relu(negative_slope=0.01)"), "leaky_relu"),
        (("elu(alpha=0.5)", "ELU(alpha=.50)"), "elu(alpha=0.5)"),
        (("elu", "celu"), "elu"),
        (("relu", "leaky_relu(negative_slope=0)"), "relu"),
        (("leaky_relu(negative_slope=1)", "identity"), "identity"),
        (("swish", "silu"), "silu"),
    ],
)
def test_one_function_under_two_names_is_refused(words, same):
    with pytest.raises(ConfigError, match="are the same function") as refusal:
        arms(words, None)
    assert str(refusal.value).endswith(f"the same function, {same}")


def test_functions_said_to_be_the_same_are():
    for name, same in SAME_FUNCTION.items():
        mine, theirs = (np.asarray(lookup(word).curve(X)) for word in (name, same))
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-7)
    # And with other arguments they are not.
    assert len(arms(("elu", "celu(alpha=2)"), None)[0]) == 2


def test_swish_is_silu_and_says_so():
    assert lookup("swish") is lookup("silu")
    [told] = remarks(("relu", "Swish", "silu"))
    assert "swish_beta" in told
    assert remarks(("relu", "silu", "a.py:swish")) == ()


def test_the_page_is_up_to_date():
    written = (ROOT / "docs/activations.md").read_text(encoding="utf-8")
    assert written == page(), "run `python -m research.activations.page`"


# With arguments; test_catalog has the formulas with the defaults.
FORMULAS = {
    "leaky_relu(negative_slope=-0.3)": lambda x: np.where(x > 0, x, -0.3 * x),
    "elu(alpha=0.5)": lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0))),
    "celu(alpha=2)": lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2)),
    "squareplus(b=0.5)": lambda x: (x + np.sqrt(x * x + 0.5)) / 2,
    "prelu(init=2)": lambda x: np.where(x < 0, 2 * x, x),
    "swish_beta(init=-1.5)": lambda x: x * special.expit(-1.5 * x),
}


@pytest.mark.parametrize(("word", "formula"), FORMULAS.items())
def test_formulas_in_float64(word, formula):
    expected = formula(np.asarray(X, np.float64))
    np.testing.assert_allclose(lookup(word).curve(X), expected, rtol=3e-6, atol=2e-6)


@pytest.mark.parametrize("word", [*CATALOG, *FORMULAS])
def test_limits_are_where_the_function_goes(word):
    record = lookup(word)
    near, far = (record.curve(jnp.float32([-x, x])) for x in (1e3, 1e6))
    for limit, a, b in zip(record.limits, near, far, strict=True):
        if math.isfinite(limit):
            assert float(b) == pytest.approx(limit, abs=2e-3)
        else:
            assert math.copysign(1, b) == math.copysign(1, limit)
            assert abs(b) > 900 * abs(a)


@every
def test_a_record_says_what_it_is(record):
    assert record.kind in CALLED_WITH
    assert (record.parameters != ()) == (record.kind == "parametric")
    assert record.arguments == ()
    assert "{" not in record.formula
    assert hash(record) is not None
    for x, y in record.points:
        assert float(record.curve(jnp.float32(x))) == pytest.approx(y, abs=1e-6)


def test_arguments_are_shown_and_drop_what_no_longer_holds():
    record = lookup("elu(alpha=0.5)")
    assert (record.name, record.slug) == ("elu(alpha=0.5)", "elu-alpha-0.5")
    assert "0.5" in record.formula
    assert record.arguments == (("alpha", 0.5),)
    assert record.points == ()
    assert lookup("leaky_relu(negative_slope=0.01)") is CATALOG["leaky_relu"]


FLOATS = st.floats(-50, 50, width=16)
DTYPES = st.sampled_from(["float32", "float16", "bfloat16"])
SHAPES = st.sampled_from([(), (0,), (3,), (2, 3), (1, 4, 2)])


@every
@settings(deadline=None, max_examples=30)
@given(shape=SHAPES, dtype=DTYPES, fill=FLOATS)
def test_shape_and_dtype_are_kept_and_finite_gives_finite(record, shape, dtype, fill):
    x = jnp.full(shape, fill, dtype)
    y = record.curve(x)
    assert (y.shape, y.dtype) == (x.shape, x.dtype)
    assert np.isfinite(np.asarray(y, np.float32)).all()
    if record.kind == "gated":
        wide = record(x, -x)
        assert (wide.shape, wide.dtype) == (x.shape, x.dtype)


@every
def test_a_call_of_another_kind_says_how_it_is_called(record):
    wanted = ", ".join(CALLED_WITH[record.kind])
    with pytest.raises(TypeError, match=rf"{record.name} is {record.kind}.*\({wanted}"):
        record(1, 2, 3)
