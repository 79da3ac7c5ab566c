"""Arguments in brackets: what is read, what is refused, and that no text breaks it."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research.activations.arguments import ARGUMENTS, written, written_value
from research.activations.names import NAMES, arms, canonical, parsed, slug
from research.errors import ConfigError
from research.settings import shown


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("leaky_relu(negative_slope=0.3)", "leaky_relu(negative_slope=0.3)"),
        ("LeakyReLU( negative_slope = 3e-1 )", "leaky_relu(negative_slope=0.3)"),
        ("leaky-relu(negative_slope=+.30)", "leaky_relu(negative_slope=0.3)"),
        ("leaky_relu(negative_slope=-1e-20)", "leaky_relu(negative_slope=-1e-20)"),
        ("leaky_relu(negative_slope=0.01)", "leaky_relu"),
        ("leaky_relu(negative_slope=-0.0)", "leaky_relu(negative_slope=0)"),
        ("elu(alpha=0.5)", "elu(alpha=0.5)"),
        ("ELU(alpha=1.0)", "elu"),
        ("relu()", "relu"),
        ("relu( )", "relu"),
        ("gelu(approximate=tanh)", "gelu_tanh"),
        ("GELU(approximate='none')", "gelu"),
        ('GELU(approximate="tanh")', "gelu_tanh"),
        ("gelu(approximate=True)", "gelu_tanh"),
        ("gelu(approximate=False)", "gelu"),
        ("geglu(approximate=tanh)", "geglu_tanh"),
        ("prelu(init=0.1)", "prelu(init=0.1)"),
        ("swish_beta(init=1)", "swish_beta"),
        ("squareplus(b=100)", "squareplus(b=100)"),
    ],
)
def test_what_is_read(word, name):
    assert canonical(word) == canonical(name) == name


@pytest.mark.parametrize(
    ("word", "words"),
    [
        (
            "leaky_relu(negativ_slope=0.3)",
            "no argument 'negativ_slope'.*mean negative_",
        ),
        ("leaky_relu(0.3)", "'0.3' must be written as name=value.*negative_slope=0.01"),
        ("leaky_relu(negative_slope=)", "negative_slope= must be a number from -100"),
        ("leaky_relu(negative_slope=tanh)", "negative_slope=tanh must be a number"),
        ("leaky_relu(negative_slope=True)", "negative_slope=True must be a number"),
        ("leaky_relu(negative_slope='0.3')", "must be a number"),
        ("leaky_relu(negative_slope=nan)", "negative_slope=nan must be a number"),
        ("leaky_relu(negative_slope=inf)", "must be a number"),
        ("leaky_relu(negative_slope=1e999)", "must be a number"),
        ("leaky_relu(negative_slope=1_0)", "must be a number"),
        ("leaky_relu(negative_slope=٣)", "must be a number"),
        ("leaky_relu(negative_slope=0.1+0.2)", "must be a number"),
        ("leaky_relu(negative_slope=101)", "must be a number from -100 to 100"),
        ("leaky_relu(negative_slope=__import__('os'))", "must be a number"),
        ("leaky_relu(negative_slope=1,negative_slope=2)", "given twice"),
        ("leaky_relu(negative_slope=1,)", "'' must be written as name=value"),
        ("elu(alpha=0)", "alpha=0 must be a number from 0.001 to 1000"),
        ("elu(alpha=-1)", "must be a number from 0.001"),
        ("gelu(approximate=erf)", "approximate=erf must be one of none, tanh"),
        ("gelu(approximate=1)", "approximate=1 must be one of none, tanh"),
        ("relu(alpha=1)", "relu takes no arguments"),
        ("gelu_new(approximate=none)", "gelu_tanh takes no arguments"),
        ("swish(beta=2)", "takes no arguments; swish is read as silu.*swish_beta"),
        ("acts.py:f(alpha=1)", "a function of your own takes no arguments"),
        ("leaky_relu(negative_slope=0.3", "unknown activation.*mean leaky_relu"),
        ("elu(alpha=0.5)x", "unknown activation"),
        ("(alpha=0.5)", "unknown activation"),
    ],
)
def test_what_is_refused_in_one_line(word, words):
    with pytest.raises(ConfigError, match=words) as refusal:
        canonical(word)
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith(f"activations={shown(word)}: ")


def test_a_reference_is_named_as_such():
    with pytest.raises(ConfigError, match=r"^reference='elu\(alpha=x\)': .*alpha=x"):
        arms(("relu", "gelu"), "elu(alpha=x)")
    chosen = arms(("relu", "elu(alpha=0.5)"), "ELU(alpha=.5)")[1]
    assert chosen == "elu(alpha=0.5)"


PIECES = st.sampled_from(
    [*NAMES, *"()=,.'\" -+e:0123", "negative_slope", "alpha", "tanh", "True", "\n", "é"]
)
TEXTS = st.text() | st.lists(PIECES).map("".join)


@given(TEXTS)
@example("leaky_relu(negative_slope=1e-400)")
@example("relu(((")
@example("\udcff(=)")
def test_any_text_is_a_name_or_a_refusal(text):
    try:
        name = canonical(text)
    except ConfigError:
        return
    assert canonical(name) == name
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", slug(text))


NUMBERS = {
    "leaky_relu": ("negative_slope", -100.0, 100.0),
    "elu": ("alpha", 1e-3, 1e3),
    "prelu": ("init", -100.0, 100.0),
}


@given(st.sampled_from(sorted(NUMBERS)), st.data())
def test_numbers_are_read_to_the_last_bit(name, data):
    argument, low, high = NUMBERS[name]
    value = data.draw(st.floats(low, high))
    text = f"{name}({argument}={value!r})"
    base, arguments = parsed(canonical(text))
    assert base == name
    assert arguments.get(argument, ARGUMENTS[name][0].default) == value
    assert canonical(canonical(text)) == canonical(text)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=2, unique=True))
def test_two_numbers_never_share_a_folder(values):
    first, second = (f"leaky_relu(negative_slope={value!r})" for value in values)
    assert slug(first) != slug(second)
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", slug(first))


def test_every_default_is_allowed_and_is_the_plain_name():
    for name, arguments in ARGUMENTS.items():
        assert name in NAMES
        for argument in arguments:
            assert argument.read(argument.default) == argument.default
            spelt = f"{name}({argument.name}={written_value(argument.default)})"
            assert canonical(spelt) == name
    assert written("elu", {"alpha": 1e20}) == "elu(alpha=1e20)"
