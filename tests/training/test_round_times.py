"""How long a round takes, told by a host that does not always come in time."""

import numpy as np
import pytest

from research.training import progress
from research.training.problem import LaneState
from research.training.progress import Progress, Trace


class Device:
    """Rounds of an epoch a second, one after another, and a clock that both read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.now, self.done = 0.0, 0
        monkeypatch.setattr(progress.time, "perf_counter", lambda: self.now)

    def next_round(self) -> dict[str, "Curve"]:
        self.done += 1
        return {"validation_loss": Curve(self, at=float(self.done))}


class Curve:
    def __init__(self, device: Device, *, at: float):
        self.device, self.at = device, at

    def is_ready(self) -> bool:
        return self.device.now >= self.at

    def fetch(self) -> np.ndarray:
        self.device.now = max(self.device.now, self.at)
        return np.zeros((2, 1), np.float32)


def delivered(device: Device, *, late: dict[int, float], rounds: int = 6) -> Progress:
    """Delivers rounds; after some of them the host is busy for so many seconds."""
    states = LaneState(*[None] * len(LaneState._fields))
    curves = {"validation_loss": np.zeros((2, 1), np.float32)}
    begun = Progress(epochs=0, states=states, curves=curves)
    keep = lambda curves: {name: curve.fetch() for name, curve in curves.items()}  # noqa: E731
    trace = Trace(begun, keep, lambda **told: None)
    for number in range(rounds):
        trace.deliver(number, 1, device.next_round())
        device.now += late.get(number, 0.0)
    return trace.progress(rounds, states)


@pytest.mark.parametrize(
    "late", [{}, {1: 0.5}, {1: 1.4}, {1: 2.9}, {0: 1.2, 3: 1.7}, {2: 0.99, 3: 0.99}]
)
def test_a_busy_host_makes_no_round_shorter(monkeypatch, late):
    ended = delivered(Device(monkeypatch), late=late)
    assert ended.fastest(6) == pytest.approx(1.0)


def test_where_no_round_was_timed_all_of_them_tell(monkeypatch):
    busy = dict.fromkeys(range(6), 1.5)
    ended = delivered(Device(monkeypatch), late=busy, rounds=6)
    assert 1.0 <= ended.fastest(6) <= 1.6
