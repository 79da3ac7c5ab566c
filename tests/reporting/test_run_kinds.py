"""Sequential and null runs: their own words, tables and figures in both reports."""

import fake_run
import pytest
from test_report import Page

from research.reporting import sentences, verdicts, write_report


def reported(tmp_path, told):
    workdir = fake_run.write(tmp_path / "run", told)
    figures = write_report(workdir)
    page, text = (
        (workdir / name).read_text("utf-8") for name in ("report.html", "report.md")
    )
    assert "could not be" not in text
    return figures, Page(page).text.replace("\u00a0", " "), text.replace("\\", "")


def test_a_sequential_run_tells_its_looks_and_its_own_method(tmp_path):
    told = fake_run.sequential_summary()
    figures, page, text = reported(tmp_path, told)
    assert {"sequence", "luck"} <= set(figures)
    for report in (page, text):
        assert "48 of at most 64 seeds (sequential)" in report
        assert "1 / max e" in report
        assert "Confidence sequence" in report
        assert "Sign-flip" not in report
        assert "two one-sided" not in report
        assert "2026-11-30 10:00:32 UTC" in report
    assert "| 32 | GELU open | " in text


def test_seeds_that_were_used_up_leave_the_verdict_of_the_note():
    told = fake_run.sequential_summary(seeds_allowed=48)
    note = "no difference is shown: the interval includes 0"
    told["comparisons"][0] |= {"verdict": "undecided", "note": note, "seeds_needed": 80}
    [comparison] = told["comparisons"]
    assert verdicts.sentence(told, comparison) == (
        f"GELU against ReLU is undecided here: after 48 of at most 48 seeds {note}."
    )
    needed = verdicts.seeds_needed(told, comparison)
    assert needed is not None
    assert needed.startswith("A fixed plan of about 80 seeds")


def test_ends_without_bound_are_drawn_as_nothing(tmp_path):
    told = fake_run.sequential_summary()
    looks = told["comparisons"][0]["sequence"]
    for key in ("low", "high"):
        looks[key] = (None, None, *looks[key][2:])
    looks["first_look"] = None
    figures, _, _ = reported(tmp_path, told)
    assert "sequence" in figures


def test_a_null_run_names_no_winner(tmp_path):
    figures, page, text = reported(tmp_path, fake_run.null_summary())
    assert {"luck", "scores"} <= set(figures)
    assert "validation_difference" not in figures
    for report in (page, text):
        assert "null run: ReLU against itself with other seeds" in report
        assert "relu, other seeds" in report
        assert "unpaired, and exempt from the pairing" in report
        assert "two groups of 24 seeds, unpaired" in report
        assert "Permutation test" in report
        assert "could win" not in report


@pytest.mark.parametrize(
    ("verdict", "shift", "told"),
    [
        ("undecided", 0.0, "no difference is shown, as it should be"),
        ("equivalent", 0.0, "called equivalent, as they should be"),
        (
            "equivalent",
            0.004,
            "false alarm that happens in about 5 % of null runs, but",
        ),
        (
            "better",
            0.01,
            "verdict would be better, a false alarm that happens in about",
        ),
    ],
)
def test_a_difference_of_a_null_run_is_luck(verdict, shift, told):
    summary = fake_run.null_summary(shift=shift)
    [comparison] = summary["comparisons"]
    comparison["verdict"] = verdict
    sentence = sentences.findings(summary)[0]
    assert sentence.startswith("Two groups of 24 seeds of ReLU differ by ")
    assert "through luck alone" in sentence
    assert told in sentence
    alarm = verdict == "better"
    assert verdicts.word(comparison) == ("false alarm" if alarm else verdict)


def test_changes_stand_beside_the_settings(tmp_path):
    change = {
        "field": "analysis.margin",
        "from": 0.005,
        "to": 0.01,
        "verdict_seen": True,
        "time": "2026-11-30T10:00:00+00:00",
    }
    _, page, text = reported(tmp_path, fake_run.summary(changes=[change]))
    for report in (page, text):
        assert "changed since the start" in report
        assert (
            "analysis.margin from 0.005 to 0.01, after the verdict had been seen "
            "(2026-11-30 10:00:00 UTC)"
        ) in report


def test_bits_per_character_read_well_and_lower_is_better(tmp_path):
    told = fake_run.loss_summary(primary_metric="test_bits_per_character")
    told["arms"]["gelu"]["exploratory"] = {
        "test_perplexity": {"mean": 4.31, "std": 0.04}
    }
    _, page, text = reported(tmp_path, told)
    for report in (page, text):
        assert "lower is better" in report
        assert "ts test bits per character are lower by 0.0123" in report
        assert "test perplexity" in report
    for sentence in (sentences.header(told), *sentences.findings(told)):
        assert "points" not in sentence
