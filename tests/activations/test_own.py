"""A user's own activation: taken from a file or module, and tried before training."""

import jax.numpy as jnp
import pytest

from research.activations.catalog import lookup
from research.errors import ConfigError

FILE = """
import jax, jax.numpy as jnp

def bump(x):
    return x * jnp.exp(-jnp.square(x))

def halves(x):
    return x.astype(jnp.float16)

def total(x):
    return x.sum()

def branches(x):
    return x if x > 0 else -x

def nothing(x):
    return None

number = 3
"""


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "acts.py"
    path.write_text(FILE)
    return path


def test_a_function_of_a_file(place):
    record = lookup(f"{place}:bump")
    assert (record.name, record.slug) == ("acts.bump", "acts.bump")
    assert record.formula == f"a user's own, {place}:bump"
    assert record.source == f"{place}:bump"
    assert float(record.fn(jnp.float32(1))) == pytest.approx(0.36787944)


def test_a_function_of_a_module(place, monkeypatch):
    monkeypatch.syspath_prepend(place.parent)
    assert lookup("acts:bump").name == "acts.bump"
    assert lookup("jax.nn:silu").slug == "nn.silu"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("halves", "must give float32.. for float32.., not float16"),
        ("total", "must give float32.3. for float32.3., not float32.."),
        ("branches", "a Python branch .* on a traced value"),
        ("nothing", "must return one array, not a NoneType"),
        ("number", "has no function number"),
        ("missing", "has no function missing"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_line(place, function, words):
    with pytest.raises(ConfigError, match=words) as refusal:
        lookup(f"{place}:{function}")
    assert "\n" not in str(refusal.value)
    assert f"activations={place}:{function}" in str(refusal.value)


def test_a_missing_file_and_a_broken_one(tmp_path):
    with pytest.raises(ConfigError, match="there is no file"):
        lookup(f"{tmp_path}/none.py:f")
    (tmp_path / "broken.py").write_text("def f(:\n")
    with pytest.raises(ConfigError, match="importing it failed, SyntaxError"):
        lookup(f"{tmp_path}/broken.py:f")
    with pytest.raises(ConfigError, match="importing it failed, ModuleNotFoundError"):
        lookup("no_such_package.acts:f")
