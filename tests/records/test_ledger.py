"""The ledger: every opening of the test set, a repeat as a further attempt."""

import datetime

from research.records.folder import read_mapping
from research.records.ledger import read_ledger, record_opening, take_over


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
