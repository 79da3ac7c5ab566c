"""Compares activation functions over many seeds: `python launch.py --help`."""

import gc
import os
import signal
import sys
from types import FrameType


def stop(number: int, frame: FrameType | None) -> None:
    """Ends the process in one line, before anything is there to be saved."""
    told = f"launch.py: stopped by {signal.Signals(number).name}; nothing was trained\n"
    try:
        os.write(2, told.encode())
    finally:
        os._exit(75)


if __name__ == "__main__":
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as `nohup` has it
        signal.signal(signal.SIGHUP, stop)
    # Importing and tracing make many objects that stay; looking them through each time
    # 700 more are there takes a tenth of the start.
    gc.set_threshold(200_000)
    from research.cli import leave, main

    leave(main(sys.argv[1:]))
