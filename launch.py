"""Compares activation functions over many seeds: `python launch.py --help`."""

import sys

from research.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
