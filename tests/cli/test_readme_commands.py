"""The README's commands on scores, tables and suites, as a reader types them."""

import json
import re
import shlex
from pathlib import Path

import pytest

from research.cli import main

ROOT = Path(__file__).parents[2]
COMMANDS = ("analyse", "check_table")


def commands() -> list[list[str]]:
    """The words after `launch.py` of every such line in the README."""
    text = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(r"^python launch\.py (.+)$", text, flags=re.MULTILINE)
    split = [shlex.split(line, comments=True) for line in lines]
    return [words for words in split if words[0] in COMMANDS]


@pytest.fixture
def _beside_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def finished_runs() -> None:
    """Stands for the runs that the README trains before it judges them."""
    for n, shift in ((1, 0.03), (2, 0.02), (3, 0.01)):
        rows = [f"relu,{seed},{0.9 + seed / 1e3}" for seed in range(12)]
        rows += [f"gelu,{seed},{0.9 + shift + seed**2 / 1e4}" for seed in range(12)]
        Path("scores.csv").write_text("\n".join(["arm,seed,score", *rows]))
        argv = ["analyse", "--scores=scores.csv", f"--workdir=runs/noise-{n}"]
        assert main(argv) == 0


@pytest.mark.usefixtures("_beside_the_examples")
def test_every_command_runs_and_draws(capsys):
    found = commands()
    assert len(found) >= 5
    finished_runs()
    text = (ROOT / "README.md").read_text("utf-8")
    for n in (1, 2, 3):
        assert f"--workdir=runs/noise-{n}" in text
    seen = set()
    for n, words in enumerate(found):
        capsys.readouterr()
        assert main([*words, f"--workdir=out-{n}"]) == 0
        assert "Report: " in capsys.readouterr().out
        folder = Path(f"out-{n}")
        summary = json.loads((folder / "results/summary.json").read_text())
        seen.add(summary["mode"])
        assert list((folder / "figures").glob("*.png"))
        assert (folder / "report.html").exists()
    assert seen == {"analyse", "suite", "check_table"}


@pytest.mark.usefixtures("_beside_the_examples")
def test_the_mish_numbers_are_those_of_the_commands():
    rows = re.findall(
        r"^\| (\d+) runs \| \+([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$",
        (ROOT / "README.md").read_text("utf-8"),
        flags=re.MULTILINE,
    )
    assert [row[0] for row in rows] == ["3", "23"]
    for runs, difference, student, welch in rows:
        table = f"--table=examples/mish_n{runs}.csv"
        argv = ["check_table", table, "--reference=GELU", f"--workdir=n{runs}"]
        assert main(argv) == 0
        summary = json.loads(Path(f"n{runs}/results/summary.json").read_text())
        mish = next(c for c in summary["claims"] if c["name"] == "Mish")
        for key, shown in (
            ("mean_difference", difference),
            ("student_p", student),
            ("welch_p", welch),
        ):
            decimals = len(shown.partition(".")[2])
            assert f"{mish[key]:.{decimals}f}" == shown
