"""Processes of one run: who shares what, who is missing, and who is gone."""

import ast
import json
import threading
import time
from pathlib import Path

import pytest

from research.errors import Stopped
from research.records import hosts as module
from research.records.hosts import ALONE, Hosts


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    for name, seconds in {
        "BEAT": 0.02,
        "SILENCE": 0.5,
        "GRACE": 30.0,
        "COMING": 20.0,
        "PATIENCE": 20.0,
    }.items():
        monkeypatch.setattr(module, name, seconds)


@pytest.fixture
def group(tmp_path):
    """Makes the processes of a run, each with the event that its stop sets."""
    made = []

    def make(count, indices=None):
        for index in range(count) if indices is None else indices:
            stopped = threading.Event()
            made.append(
                (Hosts(tmp_path, index=index, count=count, stop=stopped.set), stopped)
            )
        return made[-(count if indices is None else len(indices)) :]

    yield make
    for host, _ in made:
        host.end(0)


def gathered(group):
    threads = [threading.Thread(target=host.gather) for host, _ in group]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    return group


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("seeds", [1, 8, 9, 64, 1000])
@pytest.mark.parametrize("stride", [1, 4, 10])
def test_every_seed_has_one_process(tmp_path, count, seeds, stride):
    parts = [
        Hosts(tmp_path, index=index, count=count).part(range(seeds), stride=stride)
        for index in range(count)
    ]
    assert [seed for part in parts for seed in part] == list(range(seeds))
    strides = [-(-len(part) // stride) for part in parts]
    assert max(strides) - min(strides) <= 1
    assert all(part.start % stride == 0 for part in parts if part)


def test_a_process_alone_waits_for_nobody(tmp_path):
    for host in (ALONE, Hosts(tmp_path, index=0, count=1)):
        host.gather()
        host.arrive("relu")
        host.wait("relu")
        host.end(0)
    assert not list(tmp_path.iterdir())


def test_who_has_not_come_is_named(group, monkeypatch):
    monkeypatch.setattr(module, "COMING", 0.3)
    [(leader, _)] = group(4, [0])
    with pytest.raises(
        Stopped, match=r"processes 1, 2, 3 of 4 did not come to .* within"
    ):
        leader.gather()
    [(other, _)] = group(2, [1])
    with pytest.raises(Stopped, match=r"process 0 of 2 did not come to .* within"):
        other.gather()


def test_who_has_not_arrived_is_named(group, monkeypatch):
    (leader, _), (second, _), _ = gathered(group(3))
    second.arrive("relu 8")
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    leader._began = time.monotonic()
    with pytest.raises(Stopped, match="process 2 of 3 did not come within"):
        leader.wait("relu 8")


def test_all_go_on_when_all_have_arrived(group):
    members = gathered(group(3))
    for host, _ in members:
        host.arrive("relu 8")
    for host, stopped in members:
        host.wait("relu 8")
        assert not stopped.is_set()


def test_what_an_earlier_attempt_left_does_not_count(group, tmp_path, monkeypatch):
    earlier = gathered(group(2))
    for host, _ in earlier:
        host.arrive("relu 8")
        host._left.set()  # killed: its files stay
    (leader, _), (other, _) = group(2)
    waiting = threading.Thread(target=other.gather)
    waiting.start()
    time.sleep(0.2)
    assert waiting.is_alive()  # the attempt that lies there is not its own
    gathered([(leader, None)])
    waiting.join(20)
    assert not waiting.is_alive()
    assert leader._not_at("relu 8") == [1]


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_process_that_is_gone_stops_all_others(group, gone):
    members = gathered(group(3))
    members[gone][0]._left.set()
    left = [member for place, member in enumerate(members) if place != gone]
    if gone:
        leader, stopped = members[0]
        assert stopped.wait(20)
        assert f"process {gone} of 3 gave no sign of life" in leader.lost
        leader.end(75)
    for host, stopped in left:
        assert stopped.wait(20)
        assert host.lost.endswith(module.KEPT)


def test_a_process_that_ends_says_so(group):
    (leader, stopped), (other, _) = gathered(group(2))
    other.end(2)
    assert stopped.wait(20)
    assert leader.lost.startswith("process 1 of 2 has ended with exit code 2")


def test_how_it_ended_is_told(group):
    (leader, _), (other, stopped) = gathered(group(2))
    threading.Timer(0.2, leader.end, [4]).start()
    assert other.until_ended() == 4
    assert not stopped.is_set()


def test_a_file_that_is_being_written_says_nothing(group, tmp_path):
    (leader, _), (other, _) = gathered(group(2))
    other._left.set()
    path = tmp_path / module.NAME / "1.json"
    path.write_text(json.dumps({"beat": 3})[:5])
    assert leader._read(1) == {}
    assert leader._not_at("relu 8") == [1]


def test_nothing_works_on_the_devices_of_other_hosts():
    for path in Path(module.__file__).parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if named and node.value.id == "jax":
                assert node.attr not in ("devices", "device_count"), path
