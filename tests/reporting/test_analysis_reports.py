"""Reports of scores from files, suites and tables: complete, escaped, self-contained."""

import json

import fake_run
import numpy as np
import pytest
from test_report import PROBE, Page, browse

from research.reporting import write_report
from research.statistics import (
    Moments,
    Row,
    Runs,
    Task,
    summarise_scores,
    summarise_suite,
    summarise_table,
)

EVIL = '<script>alert("x")</script>&$title'


def scores_summary(*, seeds=False, margin=0.005, name="gelu", sizes=(12, 9)):
    generator = np.random.default_rng(1)
    runs = {
        "relu": generator.normal(0.90, 0.01, sizes[0]),
        name: generator.normal(0.92, 0.01, sizes[1]),
        "tanh": generator.normal(0.90, 0.002, sizes[0]),
    }
    return summarise_scores(
        {
            arm: Runs(x, tuple(map(str, range(len(x)))) if seeds else None)
            for arm, x in runs.items()
        },
        title="scores.csv",
        reference="relu",
        higher_is_better=True,
        margin=margin,
        confidence=0.95,
    )


def mixed_summary():
    """One arm paired with the reference, one not."""
    generator = np.random.default_rng(2)
    ids = tuple(map(str, range(10)))
    runs = {
        "relu": Runs(generator.normal(0.9, 0.01, 10), ids),
        "gelu": Runs(generator.normal(0.9, 0.01, 10), ids),
        "tanh": Runs(generator.normal(0.9, 0.01, 14), None),
    }
    return summarise_scores(
        runs,
        title="scores.csv",
        reference="relu",
        higher_is_better=False,
        margin=None,
        confidence=0.9,
    )


def suite_summary(name="gelu", tasks=3):
    generator = np.random.default_rng(3)
    return summarise_suite(
        [
            Task(
                f"t{n}",
                f"runs/t{n}",
                "test_accuracy",
                True,
                {"a": generator.normal(0.9, 0.01, 12), "b": np.linspace(0.9, 0.95, 12)},
            )
            for n in range(tasks)
        ],
        reference="a",
        confidence=0.95,
        names={"a": "relu", "b": name},
    )


def table_summary(name="gelu"):
    rows = [
        Row("relu", Moments(86.66, 0.584, 23)),
        Row(name, Moments(87.37, 0.472, 23)),
        Row("same", Moments(86.66, 0.5, 23)),
    ]
    return summarise_table(
        rows, title="t.csv", reference="relu", higher_is_better=True, confidence=0.95
    )


SUMMARIES = {
    "unpaired": lambda: scores_summary(),
    "paired": lambda: scores_summary(seeds=True, sizes=(12, 12)),
    "no margin": lambda: scores_summary(margin=None),
    "mixed": mixed_summary,
    "suite": suite_summary,
    "one task": lambda: suite_summary(tasks=1),
    "table": table_summary,
    "variance": fake_run.variance_summary,
}


def reported(tmp_path, summary):
    results = tmp_path / "results"
    results.mkdir()
    summary = summary | {"total_seconds": 0.1}
    (results / "summary.json").write_text(json.dumps(summary, allow_nan=False))
    figures = write_report(tmp_path)
    page, told = (
        (tmp_path / name).read_text("utf-8") for name in ("report.html", "report.md")
    )
    return figures, page, told


FIGURES = {
    "unpaired": {"scores", "false_winners"},
    "paired": {"paired_differences", "false_winners"},
    "no margin": {"scores", "false_winners"},
    "mixed": {"paired_differences", "scores", "false_winners"},
    "suite": {"suite"},
    "one task": {"suite"},
    "table": {"claims"},
    "variance": {"variance"},
}


@pytest.mark.parametrize("kind", SUMMARIES)
def test_each_report_is_whole_and_loads_nothing(kind, tmp_path):
    figures, markup, told = reported(tmp_path, SUMMARIES[kind]())
    page = Page(markup)
    assert set(figures) == FIGURES[kind]
    assert page.open == []
    assert all(address.startswith("data:") for address in page.loads)
    for text in (page.text, told):
        assert "None" not in text
        assert "nan" not in text.lower().split()
        assert "could not be" not in text


def test_unpaired_runs_are_called_so_and_get_their_own_method(tmp_path):
    _, markup, told = reported(tmp_path, scores_summary())
    text = Page(markup).text.replace("\u00a0", " ")
    for told_in in (text, told.replace("\\", "")):
        assert "9 and 12 unpaired runs" in told_in
        assert "Permutation test" in told_in
        assert "Sign-flip" not in told_in
        assert "effect d" in told_in
        assert "paired seeds" not in told_in
        assert "set before the run" not in told_in


def test_both_designs_in_one_report_are_told_apart(tmp_path):
    _, markup, _ = reported(tmp_path, mixed_summary())
    text = Page(markup).text.replace("\u00a0", " ")
    for words in ("10 paired seeds", "14 and 10 unpaired runs", "d_z ", "but for Tanh"):
        assert words in text
    assert "Sign-flip" in text
    assert "Permutation" in text
    assert "lower is better" in text


def test_a_suite_of_one_task_says_what_it_cannot_tell(tmp_path):
    _, markup, _ = reported(tmp_path, suite_summary(tasks=1))
    text = Page(markup).text.replace("\u00a0", " ")
    assert "1 task cannot tell" in text
    assert "not tested below 3 runs" in text


@pytest.mark.parametrize(
    "make",
    [
        lambda: scores_summary(name=EVIL),
        lambda: suite_summary(EVIL),
        lambda: table_summary(EVIL),
        lambda: fake_run.variance_summary(EVIL),
    ],
)
def test_names_are_escaped(make, tmp_path):
    _, markup, told = reported(tmp_path, make())
    assert "<script" not in markup
    assert EVIL in Page(markup).text.replace("\u00a0", " ")
    assert "<script" not in told.replace("\\<", "")


@pytest.mark.parametrize("kind", ["unpaired", "suite", "table", "variance"])
def test_a_browser_shows_every_figure_within_the_page(kind, tmp_path):
    figures, markup, _ = reported(tmp_path, SUMMARIES[kind]())
    page = tmp_path / "probed.html"
    page.write_text(markup.replace("</body>", f"{PROBE}</body>"), "utf-8")
    dom = browse(page, tmp_path / "profile")
    assert f"<title>{len(figures)} {len(figures)} true true</title>" in dom
