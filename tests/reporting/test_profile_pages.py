"""How a profile is shown: its progress, its numbers, and figures of odd functions."""

import io

import numpy as np
import pytest
from rich.console import Console

from research.reporting import arms
from research.reporting import step_progress as progress_lines
from research.reporting.figure_profile import draw_errors, draw_functions
from research.reporting.figure_style import dashes
from research.reporting.profile_tables import number
from research.reporting.step_progress import step_progress


def console(*, terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=80)


def printed(shown: Console) -> str:
    assert isinstance(shown.file, io.StringIO)
    return shown.file.getvalue()


def test_a_terminal_has_a_bar_with_the_step():
    shown = console(terminal=True)
    with step_progress(shown, 2) as tell:
        tell("gelu: errors in float32")
        tell("cost")
    assert "cost" in printed(shown)
    assert "1/2" in printed(shown)


def test_elsewhere_a_line_every_few_seconds(monkeypatch):
    clock = iter([0.0, 1.0, 6.0, 6.0, 7.0])
    monkeypatch.setattr(progress_lines.time, "monotonic", lambda: next(clock))
    shown = console(terminal=False)
    with step_progress(shown, 3) as tell:
        for step in ("first", "[second]", "third"):
            tell(step)
    assert printed(shown) == "[2/3] [second]\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.5, "−0.5"), ("inf", "∞"), ("-inf", "−∞"), (None, "–"), (1e-9, "1e−09")],
)
def test_numbers_are_written_with_true_signs(value, text):
    assert number(value, 3) == text


def test_failures_are_crosses_and_steep_ones_flatten_nobody():
    told = {"activations": {"odd": {"name": "odd"}, "relu": {"name": "relu"}}}
    x, strips = np.linspace(-5, 5, 11), np.linspace(-9, 9, 4)
    drawn = {"x": x, "strips": strips}
    for what in ("value", "derivative", "second"):
        drawn |= {f"odd/{what}": np.exp(x**2), f"relu/{what}": np.maximum(x, 0)}
    for dtype in ("float32", "float16", "bfloat16"):
        for order in (0, 1):
            drawn[f"odd/{dtype}/{order}"] = np.array([0.5, np.inf, np.nan, 3.0])
            drawn[f"relu/{dtype}/{order}"] = np.zeros(4)
    assert all(axes.get_ylim()[1] < 6 for axes in draw_functions(told, drawn).axes)
    crosses = [
        line
        for axes in draw_errors(told, drawn).axes
        for line in axes.get_lines()
        if line.get_marker() == "x" and np.size(line.get_xdata())
    ]
    assert len(crosses) == 6
    assert list(np.asarray(crosses[0].get_xdata())) == [strips[1]]


def test_no_two_of_all_activations_look_alike():
    slugs = [f"f{n}" for n in range(30)]
    summary = {
        "arms": {slug: {"name": slug} for slug in slugs},
        "reference": "f0",
        "comparisons": [],
    }
    colours, styles = arms.colours(summary), dashes(summary)
    assert len({(colours[slug], styles[slug]) for slug in slugs}) == len(slugs)
