"""A user's own function: each mistake is refused in a line that says which and where."""

import textwrap

import jax.numpy as jnp
import pytest

from research.activations.catalog import lookup
from research.activations.own import PROBES
from research.cli import main
from research.errors import ConfigError

HEAD = "import math\nimport numpy as np\nimport jax\nimport jax.numpy as jnp\n"


def place(tmp_path, text: str):
    path = tmp_path / "acts.py"
    path.write_text(HEAD + textwrap.dedent(text))
    return path


# The function's text, the line at fault counted from its first, and what is said.
MISTAKES = {
    "a NumPy function": ("def f(x):\n  return np.tanh(x)\n", 2, "NumPy.*jax.numpy"),
    "NumPy in a helper": (
        "def g(x):\n  return np.maximum(x, 0)\ndef f(x):\n  return g(x)\n",
        2,
        "NumPy is called on a traced value; use jax.numpy",
    ),
    "a NumPy result": ("def f(x):\n  return np.zeros(x.shape)\n", 1, "a NumPy array"),
    "math": ("def f(x):\n  return math.tanh(x)\n", 2, "into a Python number"),
    "a branch": (
        "def f(x):\n  y = x + 1\n  if x > 0:\n    return y\n  return x\n",
        3,
        "a Python branch .* on a traced value; use jnp.where",
    ),
    "max": ("def f(x):\n  return max(x, 0)\n", 2, "a Python branch"),
    "a sum": (
        "def f(x):\n  return x.sum()\n",
        1,
        r"float32\[3\] for float32\[3\], not",
    ),
    "a transpose": (
        "def f(x):\n  return x.T\n",
        1,
        r"must give float32\[2,3\] for float32\[2,3\], not float32\[3,2\]",
    ),
    "half": ("def f(x):\n  return x.astype(jnp.float16)\n", 1, "not float16"),
    "whole numbers": ("def f(x):\n  return (x > 0).astype(int)\n", 1, "not int32"),
    "a truth": ("def f(x):\n  return x > 0\n", 1, r"not bool\[\]"),
    "nothing": ("def f(x):\n  x * 2\n", 1, "must return one array, not a NoneType"),
    "a pair": ("def f(x):\n  return x, x\n", 1, "one array, not a tuple"),
    "a number": ("def f(x):\n  return 0.0\n", 1, "one array, not a float"),
    "text": ("def f(x):\n  return 'x'\n", 1, "one array, not a str"),
    "two arrays": (
        "def f(gate, value):\n  return gate * value\n",
        1,
        "takes gate, value",
    ),
    "no array": (
        "def f():\n  return 1\n",
        1,
        "function of one array; it takes nothing",
    ),
    "keyword only": ("def f(*, x):\n  return x\n", 1, "function of one array"),
    "an axis": ("def f(x):\n  return x / x.sum(axis=-1)\n", 2, "cannot trace it, "),
    "an error": ("def f(x):\n  raise KeyError('a\\nb')\n", 2, "KeyError"),
    "no such method": ("def f(x):\n  return x.nosuch\n", 2, "nosuch"),
    "an exit": ("def f(x):\n  raise SystemExit(0)\n", 2, "SystemExit: 0"),
    "no gradient": (
        "def f(x):\n  return jax.lax.while_loop(lambda v: (v < 9).all(), lambda v: v + 1, x)\n",
        1,
        "cannot differentiate it",
    ),
    "a root": (
        "def f(x):\n  return jnp.sqrt(x)\n",
        1,
        "its value is nan at x = -20, and not finite at 40 of 81 probes from -20 to 20",
    ),
    "a pole": ("def f(x):\n  return 1 / x\n", 1, "its value is inf at x = 0.*1 of 81"),
    "a vertical slope": (
        "def f(x):\n  return jnp.sqrt(jnp.abs(x))\n",
        1,
        "its gradient is (nan|inf|-inf) at x = 0, and not finite at 1 of 81",
    ),
    "a single where": (
        "def f(x):\n  return jnp.where(x > 0, x, jnp.expm1(9 * x))\n",
        1,
        "its gradient is nan at x = 10",
    ),
    "a mean": ("def f(x):\n  return x - x.mean()\n", 1, "mixes the elements"),
    "a mean of wide arrays": (
        "def f(x):\n  return x + (x.mean() if x.ndim > 1 and x.shape[-1] > 8 else 0)\n",
        1,
        "mixes the elements",
    ),
}


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path, text, line, words):
    path = place(tmp_path, text)
    with pytest.raises(ConfigError, match=words) as refusal:
        lookup(f"{path}:f")
    told = str(refusal.value)
    assert "\n" not in told
    assert told.startswith(
        f"activations={path}:f: {path}:{line + HEAD.count(chr(10))}: "
    )


@pytest.mark.parametrize(
    "text",
    [
        "f = jax.jit(lambda x: x * jnp.exp(-x * x))",
        "def f(x, slope=0.1):\n  return jnp.where(x > 0, x, slope * x)",
        "import functools\nf = functools.partial(jax.nn.leaky_relu, negative_slope=0.2)",
        "class F:\n  def __call__(self, x):\n    return jnp.sin(x)\nf = F()",
        "f = jnp.sin",
        "f = jax.nn.gelu",
        "@jax.custom_jvp\ndef f(x):\n  return x\n@f.defjvp\ndef g(p, t):\n  return p[0], t[0]",
        "def f(x):\n  return jnp.zeros_like(x)",
    ],
)
def test_what_is_right_is_taken(tmp_path, text):
    record = lookup(f"{place(tmp_path, text)}:f")
    assert record.kind == "elementwise"
    assert record.fn(jnp.asarray(PROBES)).shape == PROBES.shape


def test_the_probes_are_those_that_the_readme_names():
    assert PROBES[0] == -PROBES[-1] == -20
    assert (PROBES[1:] - PROBES[:-1] == 0.5).all()
    assert 0 in PROBES


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\nraise SystemExit(0)\n", r"SystemExit: 0 .*acts.py:6"),
        ("import nosuchmodule\n", r"ModuleNotFoundError.*nosuchmodule.*acts.py:5"),
        ("def f(:\n", "SyntaxError.*acts.py, line 5"),
    ],
)
def test_a_file_that_fails_to_import_says_where(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        lookup(f"{place(tmp_path, text)}:f")


def test_the_command_line_exits_2_and_trains_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    place(tmp_path, "def f(x):\n  return np.tanh(x)\n")
    words = ["--config.activations=relu,acts.py:f", "--workdir=run"]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(
        "launch.py: activations=acts.py:f: acts.py:6: NumPy is called"
    )
    assert not (tmp_path / "run").exists()
