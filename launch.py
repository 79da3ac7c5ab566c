"""Compares activation functions over many seeds: `python launch.py --help`."""

import sys

from research.cli import leave, main

if __name__ == "__main__":
    leave(main(sys.argv[1:]))
