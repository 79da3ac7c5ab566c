"""The ledger: every opening of the test set, a repeat as a further attempt."""

import datetime
import functools

import pytest

from research.errors import DataError
from research.records.folder import read_mapping, write_json
from research.records.ledger import (
    read_ledger,
    record_change,
    record_look,
    record_opening,
    take_over,
)

OPENING = {"arm": "relu", "learning_rate": 0.1, "seeds": [0], "attempt": 1}


def attempts(path) -> list[tuple]:
    openings = read_mapping(path)["openings"]
    return [(opening["arm"], opening["attempt"]) for opening in openings]


def test_openings_are_numbered_by_lane(tmp_path):
    path = tmp_path / "results/ledger.json"
    record_opening(path, arm="relu", learning_rate=1e-3, seeds=range(4))
    record_opening(path, arm="gelu", learning_rate=1e-3, seeds=range(4))
    record_opening(path, arm="relu", learning_rate=1e-3, seeds=range(4, 8))
    record_opening(path, arm="relu", learning_rate=1e-2, seeds=range(4))
    assert {attempt for _, attempt in attempts(path)} == {1}
    record_opening(path, arm="relu", learning_rate=1e-3, seeds=[3, 9])
    record_opening(path, arm="relu", learning_rate=1e-3, seeds=[3])
    assert attempts(path)[-2:] == [("relu", 2), ("relu", 3)]


def test_an_opening_says_what_and_when(tmp_path):
    record_opening(tmp_path / "l.json", arm="relu", learning_rate=0.1, seeds=(5, 6))
    [opening] = read_mapping(tmp_path / "l.json")["openings"]
    time = datetime.datetime.fromisoformat(opening.pop("time"))
    assert abs(datetime.datetime.now(datetime.UTC) - time).total_seconds() < 60
    assert opening == {
        "arm": "relu",
        "learning_rate": 0.1,
        "seeds": [5, 6],
        "attempt": 1,
    }


@pytest.mark.parametrize(
    ("ledger", "words"),
    [
        ({"openings": [{"arm": "relu"}]}, r"learning_rate of openings\[0\] is None"),
        ({"openings": [{**OPENING, "attempt": "1"}]}, r"attempt of openings\[0\]"),
        (
            {"openings": [OPENING, {**OPENING, "seeds": [1.5]}]},
            r"seeds of openings\[1\]",
        ),
        ({"looks": [{"seeds": 16}]}, r"margin of looks\[0\] is None"),
        (
            {"changes": [{"field": "analysis.margin", "verdict_seen": True}]},
            r"from of changes\[0\] is None",
        ),
        (
            {"changes": [{"field": "devices", "verdict_seen": True, "from": 1}]},
            r"changes\[0\] has no from or to",
        ),
        ({"changes": [{"field": "seeds"}]}, r"verdict_seen of changes\[0\] is None"),
    ],
)
def test_an_entry_that_lacks_something_is_named(tmp_path, ledger, words):
    write_json(tmp_path / "ledger.json", ledger)
    with pytest.raises(DataError, match=f"ledger.json: is damaged, {words}"):
        read_ledger(tmp_path / "ledger.json")


def test_what_is_written_can_be_read(tmp_path):
    path = tmp_path / "ledger.json"
    record_opening(path, arm="relu", learning_rate=1.0, seeds=range(2))
    record_look(path, seeds=16, margin=0.5, decided={"relu": None})
    record_change(path, field="seeds", there=2, now=3, verdict_seen=False)
    assert {name: len(rows) for name, rows in read_ledger(path).items()} == {
        "openings": 1,
        "looks": 1,
        "changes": 1,
    }


def test_other_processes_write_beside_the_ledger_until_it_is_taken_over(tmp_path):
    path, other = tmp_path / "ledger.json", tmp_path / "ledger-1.json"
    record_opening(path, arm="relu", learning_rate=0.1, seeds=(0, 1))
    record_opening(other, arm="relu", learning_rate=0.1, seeds=(2, 3))
    record_opening(other, arm="relu", learning_rate=0.1, seeds=(1,))
    beside = other.read_bytes()
    take_over(path)
    assert not other.exists()
    told = read_ledger(path)["openings"]
    assert [(each["seeds"], each["attempt"]) for each in told] == [
        ([0, 1], 1),
        ([2, 3], 1),
        ([1], 2),  # what was opened before is known to every process
    ]
    other.write_bytes(beside)  # killed between the writing and the removal
    take_over(path)
    assert read_ledger(path)["openings"] == told


def test_a_change_that_a_kill_kept_out_of_the_config_is_told_once(tmp_path):
    path = tmp_path / "ledger.json"
    changed = functools.partial(
        record_change, path, field="analysis.margin", verdict_seen=True
    )
    changed(there=0.5, now=1.0)
    changed(there=0.5, now=1.0)  # the config still had the old one
    changed(there=1.0, now=0.5)
    changed(there=0.5, now=1.0)
    told = [(each["from"], each["to"]) for each in read_ledger(path)["changes"]]
    assert told == [(0.5, 1.0), (1.0, 0.5), (0.5, 1.0)]
