"""Reading runs back: what makes them one suite, and what is warned of or refused."""

import csv
import json
from pathlib import Path

import pytest

from research.errors import DataError
from research.records.finished_run import check_arms, differences, read_run


def make_run(root: Path, *, arms=("relu", "gelu"), noise=0.2, epochs=10, hashes="a"):
    results = root / "results"
    results.mkdir(parents=True)
    summary = {
        "mode": "compare",
        "task": "moons",
        "primary_metric": "test_accuracy",
        "higher_is_better": True,
        "reference": arms[0],
        "confidence": 0.95,
        "arms": {arm: {"name": arm, "formula": f"{arm}(x)"} for arm in arms},
    }
    (results / "summary.json").write_text(json.dumps(summary))
    config = {"task": {"noise": noise}, "epochs": epochs, "compute": {"devices": 1}}
    (root / "config.json").write_text(json.dumps(config))
    (root / "manifest.json").write_text(json.dumps({"data_sha256": {"inputs": hashes}}))
    with (results / "per_seed.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["arm", "learning_rate", "seed", "status", "test_accuracy"])
        for arm in arms:
            for seed in range(4):
                writer.writerow([arm, 0.001, seed, "done", 0.9 + seed / 100])
    return root


def test_scores_come_back_in_the_order_of_the_seeds(tmp_path):
    run = read_run(make_run(tmp_path / "a"))
    assert run.scores["gelu"].tolist() == [0.9, 0.91, 0.92, 0.93]
    rows = (tmp_path / "a/results/per_seed.csv").read_text().splitlines()
    shuffled = [*rows[:5], *reversed(rows[5:])]
    (tmp_path / "a/results/per_seed.csv").write_text("\n".join(shuffled))
    again = read_run(tmp_path / "a")
    assert again.scores["gelu"].tolist() == run.scores["gelu"].tolist()


def test_runs_that_differ_in_their_task_alone_are_not_warned_of(tmp_path):
    runs = [
        read_run(make_run(tmp_path / "a", noise=0.1, hashes="a")),
        read_run(make_run(tmp_path / "b", noise=0.2, hashes="b")),
    ]
    check_arms(runs)
    assert differences(runs) == []


def test_other_configs_and_data_that_do_not_fit_are_warned_of(tmp_path):
    first = read_run(make_run(tmp_path / "a"))
    told = differences([first, read_run(make_run(tmp_path / "b", epochs=20))])
    assert "differ in more than the task: epochs" in " ".join(told)
    assert "hold the same data" in " ".join(told)
    told = differences([first, read_run(make_run(tmp_path / "c", hashes="z"))])
    assert ["the hashes of their data differ" in words for words in told] == [True]


def test_a_run_that_lacks_an_arm_is_refused(tmp_path):
    runs = [
        read_run(make_run(tmp_path / "a")),
        read_run(make_run(tmp_path / "b", arms=("relu", "gelu", "silu"))),
    ]
    with pytest.raises(DataError, match=r"a: lacks the arm silu, which .*b has"):
        check_arms(runs)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("results/summary.json", "{", "is damaged"),
        ("results/summary.json", "[]", "no JSON object"),
        ("results/summary.json", '{"task": 3}', "its task is missing"),
        ("results/per_seed.csv", "", "not those of the other arms"),
        ("results/per_seed.csv", "arm,seed\nrelu,1\n", "lacks test_accuracy"),
        ("results/per_seed.csv", "arm,seed,test_accuracy\nx,1,1\n", "is damaged"),
        ("results/per_seed.csv", "arm,seed,test_accuracy\nrelu,1,1\n", "seeds of gelu"),
        ("config.json", "\xff", "is damaged"),
    ],
)
def test_damaged_files_are_refused(name, content, words, tmp_path):
    root = make_run(tmp_path / "a")
    (root / name).write_text(content, encoding="latin-1")
    with pytest.raises(DataError, match=words):
        read_run(root)
