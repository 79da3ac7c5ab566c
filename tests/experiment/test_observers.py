"""What the log says of each event."""

import pytest

from research.experiment.observers import describe
from research.records.events import RunFinished


@pytest.mark.parametrize(
    ("n", "told"),
    [(64, "finished: gelu undecided, silu undecided"), (1, "no verdict from one seed")],
)
def test_the_end_of_a_run_in_one_line(n, told):
    compared = [
        {"arm": arm, "n": n, "verdict": "undecided"} for arm in ("gelu", "silu")
    ]
    line = describe(RunFinished(summary={"comparisons": compared}, figures={}))
    assert line.endswith(told)
