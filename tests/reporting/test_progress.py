"""What the progress observer shows, in a terminal and in a log."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

from research.records.events import (
    ArmFinished,
    ArmStarted,
    RoundFinished,
    RunFinished,
    RunStarted,
)
from research.reporting import progress
from research.reporting.pace import (
    Pace,
    count_round,
    duration_text,
    epochs_done,
    result_text,
    seconds_left,
    speed,
)
from research.reporting.progress import progress_observer

RUN = RunStarted(
    title="moons · 4 seeds",
    arms=("relu", "gelu"),
    reference="relu",
    seeds=(0, 1, 2, 3),
    epochs=10,
    steps_per_epoch=5,
    config={},
)
BLOCKS = ((0, 1), (2, 3))


def a_round(block, first_epoch, columns, *, arm="relu", diverged=0, seconds=2.0):
    curves = {"train_loss": np.zeros((len(block), columns), dtype=np.float32)}
    return RoundFinished(
        arm=arm,
        seeds=block,
        first_epoch=first_epoch,
        curves=curves,
        diverged=diverged,
        seconds=seconds,
    )


def finished(arm="relu", accuracy=(0.9, 0.95, 0.97, np.nan)):
    seeds = tuple(range(len(accuracy)))
    scores = {"validation_accuracy": np.array(accuracy)}
    return ArmFinished(arm=arm, seeds=seeds, scores=scores, learning_rate=1e-3)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves: clock[0] is the time in seconds."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def lines(*events, width=100):
    """The lines that a console without a terminal gets."""
    console = Console(file=io.StringIO(), force_terminal=False, width=width)
    with progress_observer(console) as observe:
        for event in events:
            observe(event)
    return console.file.getvalue().splitlines()


def last_frame(*events, width=100):
    """The rows of the arms as a terminal shows them last, without colours."""
    console = Console(file=io.StringIO(), force_terminal=True, width=width)
    with progress_observer(console) as observe:
        for event in events:
            observe(event)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue())
    rows = [row.strip() for row in text.replace("\r", "\n").splitlines() if row.strip()]
    return rows[-len(RUN.arms) :]


def test_pace_counts_trained_epochs_of_all_blocks():
    pace = Pace(seeds=4)
    count_round(pace, a_round(BLOCKS[0], 0, 5), RUN.steps_per_epoch)
    # Five columns, of which the first was not trained: four epochs of two lanes.
    assert pace.seed_steps == 4 * 2 * 5
    assert speed(pace) == 20.0
    assert epochs_done(pace, RUN) == 2.0
    assert seconds_left(pace, RUN) == pytest.approx((40 - 8) * 5 / 20)
    count_round(pace, a_round(BLOCKS[0], 5, 6), RUN.steps_per_epoch)
    count_round(pace, a_round(BLOCKS[1], 0, 11), RUN.steps_per_epoch)
    assert epochs_done(pace, RUN) == RUN.epochs
    assert seconds_left(pace, RUN) == 0.0


def test_a_resumed_arm_starts_where_it_was_and_times_only_what_it_trains():
    pace = Pace(seeds=4)
    count_round(pace, a_round((0, 1, 2, 3), 6, 2), RUN.steps_per_epoch)
    assert epochs_done(pace, RUN) == 7.0
    assert pace.seed_steps == 2 * 4 * 5


def test_nothing_is_said_of_a_speed_that_is_not_known():
    pace = Pace(seeds=4)
    assert speed(pace) is None
    assert seconds_left(pace, RUN) is None
    count_round(pace, a_round(BLOCKS[0], 0, 1, seconds=0.0), RUN.steps_per_epoch)
    assert speed(pace) is None


def test_diverged_lanes_of_blocks_add_up_and_leave_the_mean():
    pace = Pace(seeds=4)
    count_round(pace, a_round(BLOCKS[0], 0, 2, diverged=1), RUN.steps_per_epoch)
    count_round(pace, a_round(BLOCKS[0], 2, 2, diverged=1), RUN.steps_per_epoch)
    count_round(pace, a_round(BLOCKS[1], 0, 2, diverged=2), RUN.steps_per_epoch)
    assert result_text(pace, finished().scores) == "3 diverged, validation 94.0 %"
    lost = finished(accuracy=(np.nan,) * 4).scores
    assert result_text(pace, lost) == "3 diverged"
    assert result_text(Pace(seeds=4), {"validation_loss": np.zeros(4)}) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.6, "1:00 min"),
        (185.0, "3:05 min"),
        (7620.0, "2:07 h"),
    ],
)
def test_durations(seconds, text):
    assert duration_text(seconds) == text


def test_plain_lines_are_few(clock):
    console = Console(file=io.StringIO(), force_terminal=False, width=30)
    with progress_observer(console) as observe:
        observe(RUN)
        observe(ArmStarted(arm="relu"))
        observe(a_round((0, 1, 2, 3), 0, 3))
        clock[0] += 6
        observe(a_round((0, 1, 2, 3), 3, 2))
        clock[0] += 1
        observe(a_round((0, 1, 2, 3), 5, 2))
        clock[0] += 6
        # The last round says nothing of its own: the arm's end follows at once.
        observe(a_round((0, 1, 2, 3), 7, 4))
        observe(finished())
        observe(RunFinished(summary={}, figures={}))
    assert console.file.getvalue().splitlines() == [
        "moons · 4 seeds",
        "relu: compiling",
        "relu: 4/10 epochs, 20 seed-steps/s, 6.0 s left",
        "relu: done in 8.0 s, 25 seed-steps/s, validation 94.0 %",
    ]


def test_plain_lines_hold_no_control_characters_and_no_markup():
    title = RunStarted(**{**vars(RUN), "title": "own [bold]task[/bold]"})
    text = "\n".join(lines(title, ArmStarted(arm="gelu"), finished("gelu")))
    assert "own [bold]task[/bold]" in text
    assert "\x1b" not in text


def test_an_arm_that_was_finished_before_is_told_as_done():
    assert lines(RUN, finished("gelu"))[-1] == "gelu: done, validation 94.0 %"
    relu, gelu = last_frame(RUN, finished("gelu"))
    assert relu.endswith("waiting")
    assert "10/10 epochs" in gelu
    assert gelu.endswith("validation 94.0 %")


def test_bars_show_the_arm_that_compiles_and_those_that_wait(clock):
    relu, gelu = last_frame(RUN, ArmStarted(arm="relu"))
    assert relu.startswith("relu ")
    assert relu.endswith("compiling 0 s")
    assert gelu.startswith("gelu ")
    assert gelu.endswith("waiting")


def test_bars_show_epochs_over_all_blocks_speed_and_time_left(clock):
    events = (ArmStarted(arm="relu"), a_round(BLOCKS[0], 0, 11, seconds=5.0))
    relu, _ = last_frame(RUN, *events)
    assert "5/10 epochs" in relu
    assert "20 seed-steps/s" in relu
    assert relu.endswith("5.0 s left")


def test_a_first_look_before_training_has_no_time_left():
    relu, _ = last_frame(RUN, ArmStarted(arm="relu"), a_round((0, 1, 2, 3), 0, 1))
    assert "0/10 epochs" in relu
    assert relu.endswith("training")


def test_trained_lanes_are_scored_before_the_result():
    relu, _ = last_frame(RUN, ArmStarted(arm="relu"), a_round((0, 1, 2, 3), 0, 11))
    assert relu.endswith("scoring")


def test_the_time_left_runs_down_between_rounds(clock):
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with progress_observer(console) as observe:
        observe(RUN)
        observe(ArmStarted(arm="relu"))
        observe(a_round(BLOCKS[0], 0, 11, seconds=5.0))
        clock[0] += 2
    assert "3.0 s left" in console.file.getvalue()


def test_bars_end_with_the_result():
    events = (ArmStarted(arm="relu"), a_round((0, 1, 2, 3), 0, 11, diverged=1))
    relu, _ = last_frame(RUN, *events, finished())
    assert "10/10 epochs" in relu
    assert relu.endswith("1 diverged, validation 94.0 %")


def test_a_narrow_terminal_loses_the_speed_and_nothing_else():
    events = (ArmStarted(arm="relu"), a_round((0, 1, 2, 3), 0, 11), finished())
    relu, _ = last_frame(RUN, *events, width=60)
    assert "seed-steps" not in relu
    assert "10/10 epochs" in relu
    assert relu.endswith("validation 94.0 %")


def test_the_display_stops_at_the_end_of_the_run():
    """What is printed afterwards comes below the bars."""
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with progress_observer(console) as observe:
        for event in (RUN, finished("relu"), finished("gelu")):
            observe(event)
        observe(RunFinished(summary={}, figures={}))
        shown = console.file.getvalue()
        console.print("the verdict")
    assert console.file.getvalue() == shown + "the verdict\n"


def test_what_an_earlier_process_trained_says_nothing_of_speed():
    pace = Pace(seeds=4)
    count_round(pace, a_round(BLOCKS[0], 0, 9, seconds=0.0), RUN.steps_per_epoch)
    assert speed(pace) is None
    count_round(pace, a_round(BLOCKS[0], 9, 2, seconds=2.0), RUN.steps_per_epoch)
    assert speed(pace) == 2 * 2 * RUN.steps_per_epoch / 2.0
    assert epochs_done(pace, RUN) == 5
