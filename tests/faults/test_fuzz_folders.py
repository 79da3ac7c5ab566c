"""Run folders that somebody damaged: each command says what is wrong, in one line."""

import contextlib
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fault_runs import one_line, results, train

from research.cli import main
from research.errors import DataError, Refusal
from research.records.folder import RunFolder
from research.records.ledger import read_ledger
from research.records.pilot import read_pilot
from research.records.sums import altered
from research.reporting.figures import Drawn

JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x" * 300,
    "<b>é\u2028",
    [],
    {},
    [None],
    {"a": 1},
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("whole") / "run"
    train(root)
    return root


@pytest.fixture
def copied(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run; its figures are not drawn."""
    monkeypatch.setattr("research.reporting.report.draw_all", lambda root: Drawn())
    return Path(shutil.copytree(whole, tmp_path / "run"))


def told(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Runs a command line; returns its exit code and all that it printed."""
    code = main(argv)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    if code:
        one_line(err)
    return code, " ".join((out + err).split())


def files(root: Path) -> list[str]:
    """Returns the files of a run that somebody could damage."""
    names = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(map(str, names))


READ = (
    "config.json",
    "manifest.json",
    "results/ledger.json",
    "results/per_seed.csv",
    "results/curves.npz",
    "results/test_correct.npz",
    "results/figures.npz",
)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("how", ["removed", "cut"])
def test_a_report_says_what_is_missing(name, how, copied, capsys):
    path = copied / name
    if how == "removed":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    code, text = told(["report", f"--workdir={copied}"], capsys)
    word = "is missing" if how == "removed" else "damaged"
    assert Path(name).name in text
    assert word in text
    shown_whole = how == "cut" and name in ("config.json", "manifest.json")
    assert code == (3 if shown_whole else 0)


@pytest.mark.parametrize(
    ("name", "there", "now"),
    [
        ("config.json", '"epochs": 2', '"epochs": 9'),
        ("results/summary.json", '"task": "moons"', '"task": "suns"'),
        ("results/per_seed.csv", "gelu,0.01,3", "gelu,0.02,3"),
    ],
)
def test_an_edited_file_is_no_truth(name, there, now, copied, capsys):
    path = copied / name
    content = path.read_text()
    assert there in content
    path.write_text(content.replace(there, now, 1))
    code, text = told(["report", f"--workdir={copied}"], capsys)
    sentence = f"{name} is not as the run wrote it"
    assert code == 0
    assert sentence in text
    assert sentence in (copied / "report.html").read_text()
    assert sentence in (copied / "report.md").read_text().replace("\\", "")
    with pytest.raises(DataError, match=sentence):
        read_pilot(copied)


def test_a_run_with_more_seeds_is_as_it_was_written(copied):
    train(copied, seeds=6)
    assert altered(RunFolder(copied)) == []
    assert RunFolder(copied).sums.is_file()


def test_a_whole_run_has_no_gap(copied, capsys):
    code, text = told(["report", f"--workdir={copied}"], capsys)
    assert code == 0
    assert "missing" not in text
    assert "damaged" not in text
    assert "as the run wrote" not in text


@pytest.mark.parametrize("how", ["removed", "cut", "noise"])
def test_the_same_command_makes_up_for_what_is_missing(how, whole, tmp_path):
    """Byte-equal results, or a refusal that names the file."""
    rng = random.Random(how)
    for name in files(whole):
        if "tensorboard" in name or "figures" in name:
            continue
        root = Path(shutil.copytree(whole, tmp_path / name.replace("/", "_")))
        damage(root / name, how, rng)
        (root / "results/summary.json").unlink(missing_ok=True)
        try:
            train(root)
        except Refusal as refusal:
            refused = str(refusal)
        else:
            refused = ""
        if refused:
            assert Path(name).name in refused or "holds no run" in refused
            continue
        assert results(root) == results(whole), name


def damage(path: Path, how: str, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    if how == "removed":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: rng.randrange(len(content))])
    else:
        for _ in range(1 + len(content) // 200):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)


def test_lanes_that_were_lost_are_opened_a_second_time(whole, tmp_path):
    root = Path(shutil.copytree(whole, tmp_path / "run"))
    shutil.rmtree(RunFolder(root).finished_lanes / "gelu")
    RunFolder(root).summary.unlink()
    train(root)
    openings = read_ledger(RunFolder(root).ledger)["openings"]
    assert [(o["arm"], o["attempt"]) for o in openings][-1] == ("gelu", 2)


def places(tree: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yields where every value of nested JSON stands."""
    if path:
        yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items if isinstance(tree, (dict, list)) else ():
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def spoiled(text: str, rng: random.Random) -> str:
    """Returns JSON in which one value is another, or gone."""
    tree = json.loads(text)
    where = rng.choice(list(places(tree)))
    holder = tree
    for key in where[:-1]:
        holder = holder[key]
    if rng.random() < 0.3:
        del holder[where[-1]]
    else:
        holder[where[-1]] = rng.choice(JUNK)
    return json.dumps(tree)


JSON = ("results/summary.json", "config.json", "manifest.json", "results/ledger.json")


def spoil_and_ask(copied: Path, capsys, count: int) -> None:
    rng = random.Random(count)
    whole = {name: (copied / name).read_text() for name in JSON}
    for _ in range(count):
        name = rng.choice((JSON[0], *JSON))
        (copied / name).write_text(spoiled(whole[name], rng))
        for argv in (
            ["report", f"--workdir={copied}"],
            ["analyse", f"--workdirs={copied}", f"--workdir={copied.parent / 'out'}"],
        ):
            code, _ = told(argv, capsys)
            assert code in (0, 3, 5), (name, argv)
        shutil.rmtree(copied.parent / "out", ignore_errors=True)
        with contextlib.suppress(Refusal):
            read_pilot(copied)
        (copied / name).write_text(whole[name])


def test_values_that_are_none_of_ours(copied, capsys, monkeypatch):
    monkeypatch.setattr("research.reporting.report.draw_document", lambda *a: Drawn())
    spoil_and_ask(copied, capsys, 40)


@pytest.mark.slow
def test_many_values_that_are_none_of_ours(copied, capsys, monkeypatch):
    monkeypatch.setattr("research.reporting.report.draw_document", lambda *a: Drawn())
    spoil_and_ask(copied, capsys, 600)


@pytest.mark.parametrize("name", ["results/per_seed.csv", "results/summary.json"])
def test_a_suite_names_what_it_lacks(name, copied, capsys):
    (copied / name).unlink()
    code, text = told(["analyse", f"--workdirs={copied}"], capsys)
    assert code in (2, 3)
    assert Path(name).name in text
