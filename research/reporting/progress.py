"""Progress of a run on the console: bars in a terminal, plain lines elsewhere."""

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from research.records.events import (
    ArmFinished,
    ArmStarted,
    Event,
    Observer,
    RoundFinished,
    RunFinished,
    RunStarted,
)
from research.reporting.pace import (
    Pace,
    count_round,
    duration_text,
    epochs_done,
    epochs_text,
    result_text,
    seconds_left,
    speed_text,
)

_PLAIN_SECONDS = 5.0
# In a narrower terminal the other cells would be cut to make room for the speed.
_SPEED_WIDTH = 76


@contextlib.contextmanager
def progress_observer(console: Console) -> Iterator[Observer]:
    """Yields an observer that shows how far the run is, until it finishes or fails.

    In a terminal one bar an arm, redrawn in place; otherwise a line when an arm starts
    and when it ends, and one every few seconds between.
    """
    if not console.is_terminal:
        yield _PlainLines(console)
        return
    with _bars(console) as progress:
        yield _Bars(progress)


@dataclass(frozen=True, kw_only=True)
class _Status:
    """The last cell of a row: a word, and the moment it counts from or down to."""

    word: str
    style: str = "dim"
    since: float | None = None
    until: float | None = None


class _StatusColumn(ProgressColumn):
    """Shows a task's status; its times go on between the rounds."""

    def render(self, task: Task) -> Text:
        status = task.fields["status"]
        now = time.monotonic()
        text = status.word
        if status.since is not None:
            text = f"{text} {math.floor(now - status.since)} s"
        if status.until is not None:
            text = f"{duration_text(max(0.0, status.until - now))} {text}"
        return Text(text, style=status.style, no_wrap=True)


def _bars(console: Console) -> Progress:
    cell = Column(no_wrap=True)
    rate = TextColumn("[dim]{task.fields[speed]}", justify="right", table_column=cell)
    return Progress(
        TextColumn("  [bold]{task.description}", table_column=cell),
        BarColumn(
            bar_width=None,
            complete_style="cyan",
            pulse_style="yellow",
            table_column=Column(ratio=1, min_width=8),
        ),
        TextColumn("{task.fields[epochs]}", justify="right", table_column=cell),
        *([rate] if console.width >= _SPEED_WIDTH else []),
        _StatusColumn(table_column=Column(no_wrap=True, min_width=17)),
        console=console,
        expand=True,
    )


class _Bars:
    """One row an arm: waiting, compiling, training, scoring, then its result."""

    def __init__(self, progress: Progress):
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._paces: dict[str, Pace] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._start(event)
            case ArmStarted():
                self._compile(event.arm)
            case RoundFinished():
                self._advance(event)
            case ArmFinished():
                self._finish(event)
            case RunFinished():
                self._progress.stop()

    def _start(self, event: RunStarted) -> None:
        self._run = event
        self._progress.console.print(
            event.title, style="bold", highlight=False, markup=False
        )
        self._paces = {arm: Pace(seeds=len(event.seeds_of(arm))) for arm in event.arms}
        for arm in event.arms:
            self._tasks[arm] = self._progress.add_task(
                arm,
                total=event.epochs,
                epochs="",
                speed="",
                status=_Status(word="waiting"),
            )

    def _compile(self, arm: str) -> None:
        status = _Status(word="compiling", style="yellow", since=time.monotonic())
        # Without a total the bar pulses: nobody knows how long a compile takes.
        self._progress.update(self._tasks[arm], total=None, status=status)

    def _advance(self, event: RoundFinished) -> None:
        pace = self._paces[event.arm]
        count_round(pace, event, self._run.steps_per_epoch)
        left = seconds_left(pace, self._run)
        status = _Status(word="training", style="cyan")
        if left is not None:
            until = time.monotonic() + left
            status = _Status(word="left", style="cyan", until=until)
        if left == 0:
            status = _Status(word="scoring", style="cyan")
        self._show(event.arm, status)

    def _finish(self, event: ArmFinished) -> None:
        pace = self._paces[event.arm]
        # A sequential plan may need fewer seeds than it may take.
        pace.seeds = len(event.seeds)
        pace.last_epoch = dict.fromkeys(event.seeds, self._run.epochs)
        style = "yellow" if any(pace.diverged.values()) else "green"
        status = _Status(word=result_text(pace, event.scores) or "done", style=style)
        self._show(event.arm, status)

    def _show(self, arm: str, status: _Status) -> None:
        pace = self._paces[arm]
        self._progress.update(
            self._tasks[arm],
            total=self._run.epochs,
            completed=epochs_done(pace, self._run),
            epochs=epochs_text(pace, self._run),
            speed=speed_text(pace),
            status=status,
        )


class _PlainLines:
    """The same facts as lines, few enough for a log file."""

    def __init__(self, console: Console):
        self._console = console
        self._next = -math.inf

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._run = event
                self._paces = {
                    arm: Pace(seeds=len(event.seeds_of(arm))) for arm in event.arms
                }
                self._print(event.title)
            case ArmStarted():
                self._print(f"{event.arm}: compiling")
                self._next = time.monotonic() + _PLAIN_SECONDS
            case RoundFinished():
                self._advance(event)
            case ArmFinished():
                self._finish(event)
            case RunFinished():
                pass

    def _advance(self, event: RoundFinished) -> None:
        pace = self._paces[event.arm]
        count_round(pace, event, self._run.steps_per_epoch)
        left = seconds_left(pace, self._run)
        if time.monotonic() < self._next or not left:
            return
        self._next = time.monotonic() + _PLAIN_SECONDS
        parts = (epochs_text(pace, self._run), speed_text(pace))
        self._print(f"{event.arm}: {', '.join(parts)}, {duration_text(left)} left")

    def _finish(self, event: ArmFinished) -> None:
        pace = self._paces[event.arm]
        took = f"done in {duration_text(pace.seconds)}" if pace.seconds else "done"
        parts = (took, speed_text(pace), result_text(pace, event.scores))
        self._print(f"{event.arm}: {', '.join(part for part in parts if part)}")

    def _print(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)
