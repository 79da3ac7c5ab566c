"""The command line: flags, commands and refusals. Imports JAX only to train."""

from research.cli.entry import leave, main

__all__ = ["leave", "main"]
