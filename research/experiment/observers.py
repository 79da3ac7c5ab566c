"""Who watches a run, and the guard that keeps their faults from stopping it."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from research.own_code import reason
from research.records.events import (
    ArmFinished,
    ArmStarted,
    Event,
    Observer,
    RoundFinished,
    RunFinished,
    RunStarted,
)
from research.records.folder import RunFolder
from research.reporting.progress import progress_observer


@dataclass(frozen=True)
class Watch:
    """observe tells every observer; failures says which of them broke, and how."""

    observe: Observer
    failures: list[str] = field(default_factory=list)


@contextlib.contextmanager
def watching(
    folder: RunFolder, console: Console, *, tensorboard_seeds: int, attempt: str
) -> Iterator[Watch]:
    """Opens the progress bars, TensorBoard and the log; drains and closes them."""
    failures: list[str] = []
    with contextlib.ExitStack() as stack:
        contexts = {
            "progress": progress_observer(console),
            "log": contextlib.nullcontext(log_observer(folder.log)),
            "TensorBoard": _tensorboard(
                folder.tensorboard, seeds=tensorboard_seeds, attempt=attempt
            ),
        }
        observers = {
            name: stack.enter_context(_guarded(name, context, failures))
            for name, context in contexts.items()
        }

        def observe(event: Event) -> None:
            for name, observer in list(observers.items()):
                try:
                    observer(event)
                except (Exception, SystemExit) as error:
                    # A picture of the training is never worth the training. Rich
                    # leaves by SystemExit when its pipe is closed.
                    failures.append(f"{name} stopped: {reason(error)}")
                    del observers[name]

        yield Watch(observe, failures)


@contextlib.contextmanager
def _tensorboard(logdir: Path, *, seeds: int, attempt: str) -> Iterator[Observer]:
    """Yields TensorBoard's observer, opened by the first event after the start.

    tensorboardX takes a moment to import, for which no training has to wait.
    """
    with contextlib.ExitStack() as stack:
        before: list[Event] = []
        opened: list[Observer] = []

        def observe(event: Event) -> None:
            if isinstance(event, RunStarted | ArmStarted):
                before.append(event)
                return
            if not opened:
                from research.reporting.tensorboard import tensorboard_observer

                board = tensorboard_observer(logdir, seeds=seeds, attempt=attempt)
                opened.append(stack.enter_context(board))
            while before:
                opened[0](before.pop(0))
            opened[0](event)

        yield observe


@contextlib.contextmanager
def _guarded(
    name: str,
    context: contextlib.AbstractContextManager[Observer],
    failures: list[str],
) -> Iterator[Observer]:
    """Enters an observer's context; its faults at both ends are noted, not raised."""
    try:
        observer = context.__enter__()
    except (Exception, SystemExit) as error:
        failures.append(f"{name} did not start: {reason(error)}")
        yield lambda event: None
        return
    try:
        yield observer
    finally:
        try:
            context.__exit__(None, None, None)
        except (Exception, SystemExit) as error:
            # What stopped on a full disk cannot be closed on it either.
            if not any(told.startswith(f"{name} stopped") for told in failures):
                failures.append(f"{name} was not closed: {reason(error)}")


def log_observer(path: Path) -> Observer:
    """Returns an observer that adds a line an event to a text file."""

    def observe(event: Event) -> None:
        with path.open("a", encoding="utf-8") as log:
            log.write(describe(event) + "\n")

    return observe


def describe(event: Event) -> str:
    """Returns an event in one line."""
    match event:
        case RunStarted():
            return f"{event.title} | arms {', '.join(event.arms)}"
        case ArmStarted():
            return f"{event.arm}: compiling"
        case RoundFinished():
            last = event.first_epoch + event.curves["validation_loss"].shape[1] - 1
            return (
                f"{event.arm}: seeds {event.seeds[0]}-{event.seeds[-1]}, epoch {last}, "
                f"validation loss {_mean(event.curves['validation_loss'][:, -1])}, "
                f"{event.diverged} diverged, {event.seconds:.2f} s"
            )
        case ArmFinished():
            return f"{event.arm}: {len(event.scores['status'])} lanes scored"
        case RunFinished():
            return f"finished: {_verdicts(event.summary['comparisons'])}"


def _verdicts(comparisons: Sequence[Mapping[str, Any]]) -> str:
    # Beside one another `undecided` would sound as if one seed could have decided.
    if all(comparison["n"] == 1 for comparison in comparisons):
        return "no verdict from one seed"
    return ", ".join(f"{c['arm']} {c['verdict']}" for c in comparisons)


def _mean(values: np.ndarray) -> str:
    finite = values[np.isfinite(values)]
    return f"{finite.mean():.4f}" if finite.size else "none finite"
