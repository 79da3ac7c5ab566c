"""The entry: runs the command and turns refusals into one line and an exit code."""

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import NoReturn, TextIO

from research.cli.analyse import analyse
from research.cli.commands import compare, compare_on_hosts, report
from research.cli.flags import read
from research.cli.help_text import help_text
from research.cli.plan import plan
from research.cli.profile import profile
from research.cli.surgery import surgery
from research.cli.workdir import prepare
from research.errors import Refusal, Stopped
from research.stopping import Stopping

# A terminal that is closed sends the last, which `nohup` has this process ignore.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(argv: Sequence[str]) -> int:
    """Runs the words after the program's name and returns the exit code."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ± shows ?
    try:
        with _signals_told() as stopping:
            _run(argv, stopping)
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        return _refuse(
            f"stopped by {str(stop) or 'SIGINT'}; nothing was trained",
            Stopped.exit_code,
        )
    except Refusal as refusal:
        return _refuse(str(refusal), refusal.exit_code)
    except BrokenPipeError:
        # The reader has left, as `| head` does; nor may Python's own flush meet it.
        _discard(sys.stdout)
    except MemoryError as error:
        told = str(error) or "no more can be had"
        return _refuse(f"the machine's memory is used up, {told}", Refusal.exit_code)
    except OSError as error:
        place = error.filename or ("stdout" if _is_full(sys.stdout) else "")
        told = error.strerror or str(error)
        return _refuse(f"{place}: {told}" if place else told, Refusal.exit_code)
    return 0


def leave(code: int) -> NoReturn:
    """Ends the process; after a signal at once, for devices may still be at work."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _discard(stream)
    if code != Stopped.exit_code:
        sys.exit(code)
    os._exit(code)


def _run(argv: Sequence[str], stopping: Stopping) -> None:
    request = read(argv)
    if request.command == "help":
        print(help_text())
    elif request.command == "report":
        report(request.workdir)
    elif request.command == "profile":
        profile(request.activations, request.workdir, request.line)
    elif request.command == "surgery":
        assert request.config is not None
        surgery(request.config, request.workdir, request.line, stopping)
    elif request.analysis is not None:
        analyse(request.analysis, request.workdir, request.line)
    elif request.planning is not None:
        assert request.config is not None
        plan(request.config, request.planning, request.workdir, request.line)
    elif request.joining is not None:
        assert request.config is not None
        assert request.workdir is not None
        compare_on_hosts(
            request.config, request.workdir, request.joining, request.line, stopping
        )
    else:
        assert request.config is not None
        prepared = prepare(request.workdir, request.config, request.stem)
        compare(request.config, prepared, request.line, stopping)


def _open_closed_streams() -> None:
    """Puts the null device in place of a stream that was closed, as `>&-` does."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _discard(stream: TextIO) -> None:
    """Turns a stream off whose reader is gone: Python flushes it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_full(stream: TextIO) -> bool:
    """Tells whether what was printed cannot be written, as `> disk` where it is full."""
    try:
        print(file=stream, flush=True)
    except OSError:
        _discard(stream)
        return True
    return False


def _refuse(line: str, exit_code: int) -> int:
    with contextlib.suppress(OSError):
        print("launch.py:", " ".join(line.split()), file=sys.stderr)
    return exit_code


@contextlib.contextmanager
def _signals_told() -> Iterator[Stopping]:
    """Yields who is told of SIGINT, SIGTERM and SIGHUP until the block is left.

    While lanes train they are saved first; elsewhere KeyboardInterrupt is raised at
    once, which no library's `except Exception` swallows. A second signal ends the
    process.
    """
    stopping = Stopping()

    def tell(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        stopping.tell(signal.Signals(number).name)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    if before[signal.SIGHUP] == signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, tell)
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
