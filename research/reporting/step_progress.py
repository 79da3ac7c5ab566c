"""Progress step by step on the console: a bar in a terminal, plain lines elsewhere."""

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

_PLAIN_SECONDS = 5.0


@contextlib.contextmanager
def step_progress(console: Console, steps: int) -> Iterator[Callable[[str], None]]:
    """Yields what is told the name of each of so many steps when it begins."""
    if not console.is_terminal:
        yield _plain_lines(console, steps)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=steps)
        began = False

        def tell(step: str) -> None:
            nonlocal began
            progress.update(task, description=step, advance=int(began))
            began = True

        yield tell


def _plain_lines(console: Console, steps: int) -> Callable[[str], None]:
    """Returns what prints a step's line when some seconds have gone by since the last."""
    count, last = 0, time.monotonic()

    def tell(step: str) -> None:
        nonlocal count, last
        count += 1
        if time.monotonic() - last >= _PLAIN_SECONDS:
            last = time.monotonic()
            console.print(f"[{count}/{steps}] {step}", markup=False, highlight=False)

    return tell
