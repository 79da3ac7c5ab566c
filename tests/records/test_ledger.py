"""The ledger: every opening of the test set, a repeat as a further attempt."""

import datetime

from research.records.folder import read_mapping
from research.records.ledger import record_opening


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
