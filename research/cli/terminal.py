"""The console of the command line."""

import os
import sys

from rich.console import Console


class Terminal(Console):
    """A console whose reader may leave, as `| head` does: the run goes on unseen."""

    def on_broken_pipe(self) -> None:
        """Turns the output off, for good."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
