"""Compares activation functions over many seeds: `python launch.py --help`."""

import os
import sys

from research.cli import main
from research.errors import Stopped

if __name__ == "__main__":
    code = main(sys.argv[1:])
    if code == Stopped.exit_code:
        # Devices may still be at work, and must not find their interpreter gone.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
