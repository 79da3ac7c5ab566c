"""The command line: flags, commands and refusals. Imports JAX only to train."""

from research.cli.entry import main

__all__ = ["main"]
