"""`launch.py profile`: what it writes and prints, and what it refuses before JAX."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from research.cli import main
from research.probes import profile as probes
from research.probes.profile import Sample

ROOT = Path(__file__).parents[2]
OWN = """
import jax.numpy as jnp
from jax import lax


def bump(x):
    return x * jnp.exp(-jnp.square(x))


def strict(x):
    return lax.mul(x, jnp.full(x.shape, 2, jnp.float32))


def broken(x):
    return jnp.sqrt(x)
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("mine.py").write_text(OWN)


@pytest.fixture
def _tiny(monkeypatch: pytest.MonkeyPatch):
    tiny = Sample(thin=256, elements=1000, trials=3)
    quick = functools.partial(probes.profile, sample=tiny)
    monkeypatch.setattr(probes, "profile", quick)


def test_the_real_launcher_measures_and_draws(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "launch.py"), "profile", "--activations=gelu"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("−0.169971", "1.41421", "1.53353", "−0.1587", "84.1 %", "random gate"):
        assert word in done.stdout
    folder = tmp_path / "runs/profile-1"
    told = json.loads((folder / "profile.json").read_text())
    assert told["activations"]["gelu"]["minimum"]["at"] == pytest.approx(
        -0.751791524693564457, rel=1e-12
    )
    assert told["command"].endswith("--activations=gelu --workdir=runs/profile-1")
    for name in ("functions", "errors"):
        png = (folder / f"figures/{name}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
        assert len(png) > 20_000


@pytest.mark.usefixtures("_tiny")
def test_an_own_function_stands_beside_the_tables(capsys):
    argv = ["profile", "--activations=relu,mine.py:bump,glu", "--workdir=out"]
    assert main(argv) == 0
    shown = capsys.readouterr().out
    assert "mine.bump" in shown
    words = " ".join(shown.split())
    assert "mine.bump is measured against the same function in float64" in words
    assert "GLU is shown of the gate, at value 1" in words
    assert "! mine.bump slope in float32: NaN at" in words  # exp(-x²)·x² overflows
    told = json.loads(Path("out/profile.json").read_text())
    assert list(told["activations"]) == ["relu", "mine.bump", "glu"]
    # Measured again, into its own folder.
    assert main(argv) == 0


@pytest.mark.usefixtures("_tiny")
def test_relu_and_gelu_are_the_default():
    assert main(["profile"]) == 0
    told = json.loads(Path("runs/profile-1/profile.json").read_text())
    assert list(told["activations"]) == ["relu", "gelu"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--activations=gleu"], ["'gleu'", "did you mean gelu?"]),
        (["--activations="], ["--activations=''", "must be names"]),
        (["--activations=gelu,,relu"], ["must be names"]),
        (["--activations=gelu,gelu"], ["the same function"]),
        (["--activations=elu,celu"], ["the same function, elu"]),
        (["--activations=elu(beta=2)"], ["elu(beta=2)"]),
        (["--activations"], ["--activations", "needs a value"]),
        (["--config.seeds=3"], ["does not belong to profile", "--activations"]),
        (["--activation=gelu"], ["did you mean --activations?"]),
        (["--activations=gelu", "--workdir="], ["--workdir=''"]),
        (["--activations=gelu", "--workdir=."], ["--workdir=.", "holds no profile"]),
        (["--activations=mine.py:strict"], ["mine.py:strict", "fails on float16"]),
        (["--activations=mine.py:broken"], ["mine.py:broken", "value is nan"]),
    ],
)
def test_a_refusal_is_one_line_and_leaves_nothing(argv, words, capsys):
    assert main(["profile", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    for word in words:
        assert word in err
    assert not Path("runs").exists()


def test_a_name_is_refused_before_jax_is_imported():
    code = (
        "import sys\n"
        "from research.cli import main\n"
        "code = main(['profile', '--activations=relu,gleu'])\n"
        "sys.exit('imported' if 'jax' in sys.modules or code != 2 else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_compare_does_not_take_the_flag(capsys):
    assert main(["--activations=relu,gelu"]) == 2
    assert "did you mean --config.activations?" in capsys.readouterr().err
