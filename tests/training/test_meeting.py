"""Processes with numbers given by hand: together, or told in a line why not."""

import concurrent.futures
import contextlib
import socket
import threading

import pytest

from research.errors import ConfigError, Stopped
from research.training import meeting
from research.training.meeting import meet


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    for name, seconds in {"PATIENCE": 0.0, "LOOK": 0.02, "LINE": 1.0}.items():
        monkeypatch.setattr(meeting, name, seconds)


@pytest.fixture
def address():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return f"localhost:{free.getsockname()[1]}"


def outcomes(address, numbers, *, seconds=20.0):
    """Returns what became of processes that come at once: None, or a refusal's words."""

    def come(number):
        index, count = number
        try:
            meet(address, index=index, count=count, seconds=seconds)
        except (ConfigError, Stopped) as refusal:
            return str(refusal)
        return None

    with concurrent.futures.ThreadPoolExecutor(len(numbers)) as threads:
        return list(threads.map(come, numbers))


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("order", [1, -1])
def test_all_that_come_go_on(address, count, order):
    numbers = [(n, count) for n in range(count)][::order]
    assert outcomes(address, numbers) == [None] * count


@pytest.mark.parametrize("index", [0, 1])
def test_who_does_not_come_is_named_and_waited_for_in_words(address, index, capsys):
    (told,) = outcomes(address, [(index, 3)], seconds=0.3)
    absent = "processes 1, 2 of 3" if index == 0 else "process 0 of 3"
    assert told.startswith(f"{absent} did not come to {address} within 0 s")
    assert f"process {index} waits at {address} for {absent}" in capsys.readouterr().out


def test_a_number_that_came_before_is_refused(address):
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        leader = threads.submit(outcomes, address, [(0, 3)])
        twice = [threads.submit(outcomes, address, [(1, 3)]) for _ in range(2)]
        refused, waits = concurrent.futures.wait(twice, 20.0, "FIRST_COMPLETED")
        (told,) = refused.pop().result()
        assert told == "--process_id=1: another process came with this number"
        assert outcomes(address, [(2, 3)]) == [None]
        assert (leader.result(), waits.pop().result()) == ([None], [None])


def test_two_processes_0_are_told_apart(address):
    first, second = outcomes(address, [(0, 2), (0, 2)], seconds=1.0)
    assert "process 0 cannot listen there" in min(first, second)
    assert "process 1 of 2 did not come" in max(first, second)


def test_another_count_is_refused(address):
    leader, other = outcomes(address, [(0, 2), (1, 3)], seconds=1.0)
    assert other == "--process_count=3: process 0 was told 2"
    assert "process 1 of 2 did not come" in leader


@pytest.mark.parametrize("words", [b"", b"GET / HTTP/1.1\r\n", b"1 of", b"\xff" * 999])
def test_strangers_and_who_leaves_again_are_left_out(address, words):
    host, port = address.split(":")
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        leader = threads.submit(outcomes, address, [(0, 3)])
        come(host, port, words)
        come(host, port, b"1 of 3\n")
        assert outcomes(address, [(1, 3), (2, 3)]) == [None, None]
        assert leader.result() == [None]


def come(host, port, words):
    """Connects as soon as somebody listens, says the words, and leaves."""
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            with socket.create_connection((host, int(port))) as stranger:
                stranger.sendall(words)
            return
        threading.Event().wait(0.01)
