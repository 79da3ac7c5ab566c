"""The real launcher, in a process of its own: refusals come before JAX is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from research.cli.arguments import COMMANDS
from research.cli.fields import FIELDS

ROOT = Path(__file__).parents[2]
HEAVY = ("jax", "jaxlib", "flax", "optax", "matplotlib", "scipy", "sklearn")


def launch(*argv: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs launch.py and returns what it printed."""
    return subprocess.run(
        [sys.executable, str(ROOT / "launch.py"), *argv],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["--config.seeds=-1"],
        ["--config.activations=gleu"],
        ["--x", "False"],
        ["--config=missing.py"],
        ["--config.reference=\udcff"],
    ],
)
def test_a_refusal_is_one_line_from_any_folder(argv, tmp_path: Path):
    done = launch(*argv, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("launch.py: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["help"], ["report", "--help"]])
def test_help_says_all(argv):
    done = launch(*argv)
    assert (done.returncode, done.stderr) == (0, "")
    for word in (*COMMANDS, "--config=", "--workdir=", "examples", "exit codes", "75"):
        assert word in done.stdout
    for field in FIELDS.values():
        assert f"--config.{field.path}=" in done.stdout
    assert "--config.optimizer.learning_rate=0.001\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 88


@pytest.mark.parametrize(
    "argv",
    [
        ["--config.seeds=-1"],
        ["--config.batch_size=9999"],
        ["--config.activations=relu,gleu"],
        ["report", "--workdir=missing"],
        ["--help"],
    ],
)
def test_refusals_and_help_import_nothing_heavy(argv):
    code = (
        "import sys\n"
        "from research.cli import main\n"
        f"main({argv!r})\n"
        f"heavy = set({HEAVY!r}) & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
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


def test_the_launcher_is_short():
    assert len((ROOT / "launch.py").read_text().splitlines()) < 60
