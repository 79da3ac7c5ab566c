"""Sentences on the console."""

import textwrap
from pathlib import Path

from rich.console import Console
from rich.text import Text

from research.reporting import numbers

# Sentences wider than this are hard to read, however wide the terminal is.
READABLE = 100


def say(
    console: Console, told: str, *, width: int, style: str = "", hang: int = 0
) -> None:
    """Prints a sentence, broken at spaces but never between a number and its unit.

    hang: columns by which all lines but the first are moved in.
    """
    filled = textwrap.fill(
        numbers.glue(told),
        width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
    plain = filled.replace(numbers.NO_BREAK, " ")
    console.print(Text(plain, style=style), soft_wrap=True, highlight=False)


def say_where(console: Console, cost: str, workdir: Path, *, board: str = "") -> None:
    """Prints what a run took and where the rest lies, in one line where it fits.

    So paths stay whole.

    Args:
      board: TensorBoard's folder within the run's; nothing where there is none.
    """
    parts = [f"{cost}.", f"Report: {workdir / 'report.html'}"]
    line = " ".join(parts)
    if board:
        parts.append(f"TensorBoard: tensorboard --logdir {workdir / board}")
        line = f"{line}   {parts[-1]}"
    told = line if len(line) <= console.width else "\n".join(parts)
    console.print(Text(told), soft_wrap=True, highlight=False)
