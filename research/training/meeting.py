"""Where processes that are told their numbers come together before they begin.

Each of the others connects to process 0 and says `<number> of <count>`; once all are
there, each is answered `go`. JAX's own coordinator says nothing for minutes where one is
not started or a number is given twice, and then aborts them all with a stack trace.
"""

import contextlib
import re
import select
import socket
import time
from collections.abc import Callable, Collection

from research.errors import ConfigError, Stopped
from research.records.hosts import COMING, names

# Seconds until it is said who is waited for; between two looks; that a line may take.
PATIENCE, LOOK, LINE = 3.0, 0.5, 5.0
GO = "go"


def meet(address: str, *, index: int, count: int, seconds: float = COMING) -> None:
    """Waits until all processes of a run are there, at `host:port` of process 0.

    Raises:
      ConfigError: process 0 cannot listen there, or was told other numbers.
      Stopped: some have not come in time; they are named.
    """
    lacking = _patience(address, index=index, count=count, seconds=seconds)
    host, _, port = address.rpartition(":")
    if count > 1 and index == 0:
        _await_others(address, int(port), count=count, lacking=lacking)
    elif count > 1:
        place = (host.strip("[]"), int(port))
        _report(place, f"{index} of {count}", lacking=lacking)


def _patience(
    address: str, *, index: int, count: int, seconds: float
) -> Callable[[Collection[int]], None]:
    """Returns what is told, again and again, who lacks: it says so, and ends the wait."""
    began, told = time.monotonic(), False

    def lacking(missing: Collection[int]) -> None:
        nonlocal told
        waited, who = time.monotonic() - began, names(sorted(missing), count)
        if waited > seconds:
            raise Stopped(
                f"{who} did not come to {address} within {seconds:.0f} s; start all "
                "processes with the same --coordinator"
            )
        if not told and waited > PATIENCE:
            told = True
            print(
                f"process {index} waits at {address} for {who}, {seconds:.0f} s at most",
                flush=True,
            )

    return lacking


def _await_others(
    address: str, port: int, *, count: int, lacking: Callable[[Collection[int]], None]
) -> None:
    came: dict[int, socket.socket] = {}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(_listening(address, port))
        while missing := set(range(1, count)) - came.keys():
            lacking(missing)
            with contextlib.suppress(OSError):  # nobody came, or one that left again
                connection = stack.enter_context(server.accept()[0])
                came = {n: each for n, each in came.items() if not _has_left(each)}
                _admit(connection, came, count=count)
        for connection in came.values():
            with contextlib.suppress(OSError):  # its silence will be noticed
                _say(connection, GO)


def _listening(address: str, port: int) -> socket.socket:
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    try:
        server = socket.create_server(("", port), family=family, dualstack_ipv6=both)
    except OSError as error:
        raise ConfigError(
            f"--coordinator={address}: process 0 cannot listen there, {error.strerror}; "
            "is another process 0 at it? else name another port"
        ) from None
    server.settimeout(LOOK)
    return server


def _admit(
    connection: socket.socket, came: dict[int, socket.socket], *, count: int
) -> None:
    """Takes a process in, or answers why not; what says anything else is left alone."""
    told = re.fullmatch(r"([0-9]{1,5}) of ([0-9]{1,5})", _heard(connection))
    if told is None:
        return
    number, of = map(int, told.groups())
    if of != count:
        _say(connection, f"--process_count={of}: process 0 was told {count}")
    elif number in came or not 0 < number < count:
        _say(
            connection, f"--process_id={number}: another process came with this number"
        )
    else:
        came[number] = connection


def _report(
    place: tuple[str, int], line: str, *, lacking: Callable[[Collection[int]], None]
) -> None:
    while True:
        answer = ""
        with (
            contextlib.suppress(OSError),  # process 0 is not there yet
            socket.create_connection(place, timeout=LINE) as connection,
        ):
            _say(connection, line)
            while not select.select([connection], [], [], LOOK)[0]:
                lacking([0])
            answer = _heard(connection)
        if answer == GO:
            return
        if answer:
            raise ConfigError(answer)
        lacking([0])
        time.sleep(LOOK)


def _has_left(connection: socket.socket) -> bool:
    """Tells whether the other end of a connection that says nothing more is closed."""
    return bool(select.select([connection], [], [], 0)[0])


def _say(connection: socket.socket, line: str) -> None:
    connection.sendall(f"{line}\n".encode())


def _heard(connection: socket.socket) -> str:
    """Returns the line that comes within a few seconds; of anything else, nothing."""
    connection.settimeout(LINE)
    with connection.makefile("rb") as lines:
        return lines.readline(200).decode("ascii", "replace").removesuffix("\n")
