"""Luck, what pairing bought, and which source limits: told where known, else silent."""

import fake_run
import pytest

from research.reporting.luck_and_limits import limits, luck
from research.reporting.luck_and_limits import test_set_limits as limited_by_test_set
from research.reporting.sections import sections


def with_noise(of: str, **changes):
    told = fake_run.summary(**changes)
    for comparison in told["comparisons"]:
        comparison["noise"] = fake_run.noise_entry(of=of)
    return told


def test_a_run_of_before_has_no_such_sections():
    assert sections(fake_run.summary()) == ()
    assert limited_by_test_set(fake_run.summary()) is None


def test_luck_is_told_in_the_reports_units():
    values = fake_run.scores({"relu": 0.0}, seeds=64)["relu"]
    entry = fake_run.luck_entry(values)
    section = luck(fake_run.summary(luck=entry))
    assert section is not None
    p95 = f"{100 * entry['halves']['p95']:.2f} points"
    assert f"differ by up to {p95} in 95 % of cases" in section.told[0]


def test_pairing_is_worth_the_variances_ratio():
    told = fake_run.summary(
        luck=fake_run.luck_entry(fake_run.scores({"a": 0}, seeds=9)["a"])
    )
    told["arms"]["relu"]["std"], told["arms"]["gelu"]["std"] = 0.003, 0.004
    told["comparisons"][0] |= {"std_difference": 0.0025, "correlation": 0.78}
    section = luck(told)
    assert section is not None
    assert "4.0 times as many seeds" in section.told[1]
    told["comparisons"][0] |= {"std_difference": 0.005, "correlation": 0.0}
    section = luck(told)
    assert section is not None
    assert "bought nothing" in section.told[1]


@pytest.mark.parametrize(("of", "console"), [("test set", True), ("seeds", False)])
def test_the_console_speaks_of_the_limit_only_where_it_is_the_test_set(of, console):
    told = with_noise(of)
    section = limits(told)
    assert section is not None
    assert section.table is not None
    assert section.table.rows[0][-1] == of
    assert f"the {of} limit" in section.told[0]
    line = limited_by_test_set(told)
    assert (line is not None and "the test set limits this" in line) is console


def test_below_six_seeds_nothing_is_said_to_limit():
    assert limits(with_noise("test set", seeds=5)) is None
    assert limited_by_test_set(with_noise("test set", seeds=5)) is None
