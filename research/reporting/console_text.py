"""Sentences on the console."""

import textwrap

from rich.console import Console
from rich.text import Text

from research.reporting import numbers

# Sentences wider than this are hard to read, however wide the terminal is.
READABLE = 100


def say(console: Console, told: str, *, width: int, style: str = "") -> None:
    """Prints a sentence, broken at spaces but never between a number and its unit."""
    filled = textwrap.fill(
        numbers.glue(told), width, break_long_words=False, break_on_hyphens=False
    )
    plain = filled.replace(numbers.NO_BREAK, " ")
    console.print(Text(plain, style=style), soft_wrap=True, highlight=False)
