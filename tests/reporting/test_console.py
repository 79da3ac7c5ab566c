"""The console's table and sentences, in terminals of several widths and in none."""

import io
import re
from pathlib import Path

import fake_run
import pytest
from rich.console import Console

from research.reporting.console import print_verdict, verdict_table

FIVE = {
    "gelu": 0.0,
    "relu": -0.0003,
    "tanh": 0.0001,
    "identity": -0.09,
    "leaky_relu(negative_slope=0.3)": 0.002,
}


def shown(told, width: int, *, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal)
    print_verdict(told, console, workdir=Path("runs/moons-1"))
    return file.getvalue()


def runs():
    return {
        "two": fake_run.summary(),
        "five": fake_run.summary(FIVE, seeds=32, verdicts={"identity": "worse"}),
        "loss": fake_run.loss_summary(),
        "one": fake_run.summary(seeds=1),
        "diverged": fake_run.summary(
            diverged={"gelu": 3}, verdicts={"gelu": "undecided"}
        ),
    }


@pytest.mark.parametrize("name", runs())
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(name, width):
    text = shown(runs()[name], width)
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text


@pytest.mark.parametrize("width", [80, 100])
def test_the_numbers_of_the_verdict_stand_in_the_table(width):
    told = fake_run.summary()
    told["comparisons"][0] |= {
        "mean_difference": 0.0008,
        "ci_low": 0.0002,
        "ci_high": 0.0014,
        "p_adjusted": 0.021,
    }
    lines = shown(told, width).splitlines()
    [row] = [line for line in lines if line.startswith("gelu")]
    if width == 80:
        assert "(exact, erf)" in lines[lines.index(row) + 1]
    else:
        assert row.startswith("gelu (exact, erf)")
    cells = row.replace("gelu (exact, erf)", "gelu").split()
    assert " ".join(cells) == (
        "gelu 97.1 ± 0.3 1.4× +0.08 [+0.02, +0.14] 0.021 equivalent"
    )
    [reference] = [line for line in lines if line.startswith("relu")]
    assert " ".join(reference.split()) == "relu 97.0 ± 0.3 1.0× reference"


@pytest.mark.parametrize("width", [40, 57, 63, 80, 99])
def test_no_sentence_breaks_between_a_number_and_its_unit(width):
    text = shown(fake_run.summary(), width)
    assert not re.search(r"\d\n(%|points|seeds|epochs|of)", text)
    told = text.split("GELU and ReLU are")[1]
    assert not re.search(r"\[[^\]]*\n", told)
    for piece in ("97.1 ± 0.3", "+0.08", "equivalent"):
        assert piece in text


def test_the_last_line_says_where_the_rest_lies():
    text = shown(fake_run.summary(), 120).rstrip("\n").splitlines()[-1]
    assert text == (
        "128 trainings in 9.1 s. Report: runs/moons-1/report.html   "
        "TensorBoard: tensorboard --logdir runs/moons-1/tensorboard"
    )


def test_paths_stay_whole_where_they_are_longer_than_the_terminal():
    file = io.StringIO()
    deep = Path("a" * 90)
    print_verdict(fake_run.summary(), Console(file=file, width=80), workdir=deep)
    assert f"Report: {deep / 'report.html'}\n" in file.getvalue()


def test_plain_without_a_terminal_and_coloured_in_one():
    assert "\x1b" not in shown(fake_run.summary(), 80)
    assert "\x1b" in shown(fake_run.summary(), 80, terminal=True)


def test_markup_in_a_name_is_text():
    told = fake_run.summary()
    told["arms"]["gelu"]["name"] = "acts.py:[red]bump[/red]"
    assert "[red]bump[/red]" in shown(told, 120).replace("\n", "")


def test_warnings_are_printed():
    told = fake_run.summary(warnings=["the seeds do not vary"])
    assert "Warning: the seeds do not vary" in shown(told, 80)


def test_several_comparisons_say_whose_p_it_is():
    file = io.StringIO()
    told = fake_run.summary(FIVE, seeds=32)
    Console(file=file, width=100).print(verdict_table(told, width=100))
    assert "Holm" in file.getvalue()


def test_a_step_time_is_left_out_where_an_arm_trained_for_less_than_a_second():
    told = fake_run.summary()
    told["arms"]["gelu"]["train_seconds"] = 0.4
    text = shown(told, 100)
    assert "×" not in text
    [reference] = [line for line in text.splitlines() if line.startswith("relu ")]
    assert " ".join(reference.split()) == "relu 97.0 ± 0.3 – reference"
