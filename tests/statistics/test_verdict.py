from dataclasses import replace

import pytest

from research.statistics.verdict import Evidence, decide

CLEAR = Evidence(
    n=20,
    interval=(0.006, 0.02),
    equivalence_interval=(0.007, 0.019),
    p_adjusted=0.001,
    smallest_p_adjusted=1e-5,
    identical=False,
    varies=True,
    diverged=0,
)
SMALL = {"interval": (0.001, 0.004), "equivalence_interval": (0.0015, 0.0035)}


def verdict(**changes):
    return decide(replace(CLEAR, **changes), margin=0.005, confidence=0.95)


def test_better_and_worse_by_more_than_the_margin():
    assert verdict() == ("better", "by more than the margin")
    assert verdict(interval=(-0.02, -0.006), equivalence_interval=(-0.019, -0.007)) == (
        "worse",
        "by more than the margin",
    )


def test_better_by_an_amount_that_may_be_below_the_margin():
    found = verdict(interval=(0.001, 0.02), equivalence_interval=(0.002, 0.019))
    assert found == ("better", "by an amount not yet shown to exceed the margin")


def test_equivalent_comes_before_better():
    assert verdict(**SMALL) == ("equivalent", "real but smaller than the margin")


def test_equivalent_without_a_difference_shown():
    word, note = verdict(
        interval=(-0.002, 0.003), equivalence_interval=(-0.001, 0.002), p_adjusted=0.6
    )
    assert (word, note.startswith("no difference is shown")) == ("equivalent", True)


def test_an_interval_that_touches_the_margin_is_not_inside_it():
    word, _ = verdict(
        interval=(-0.001, 0.006), equivalence_interval=(0.0, 0.005), p_adjusted=0.6
    )
    assert word == "undecided"


def test_a_diverged_lane_blocks_equivalence_but_not_better():
    assert verdict(**SMALL, diverged=1)[0] == "better"
    word, note = verdict(**SMALL, diverged=3, p_adjusted=0.2)
    assert word == "undecided"
    assert "3 lanes diverged" in note


def test_notes_say_which_condition_failed():
    wide = {"equivalence_interval": (-0.01, 0.02)}
    by_p = verdict(p_adjusted=0.0625)
    assert by_p[0] == "undecided"
    assert "the interval leaves 0, but p 0.0625 does not reach 0.05" in by_p[1]
    by_interval = verdict(**wide, interval=(-0.001, 0.03), p_adjusted=0.03)
    assert "p 0.03 reaches 0.05, but the interval includes 0" in by_interval[1]
    by_both = verdict(**wide, interval=(-0.02, 0.03), p_adjusted=0.4)
    assert "no difference is shown: the interval includes 0" in by_both[1]
    by_arms = verdict(p_adjusted=0.09, smallest_p_adjusted=0.09)
    assert "p cannot be below 0.09" in by_arms[1]
    for word, note in (by_p, by_interval, by_both, by_arms):
        assert word == "undecided"
        assert note.endswith("one as large as the margin is not ruled out")


def test_a_p_equal_to_the_level_reaches_it():
    found = decide(replace(CLEAR, p_adjusted=0.1), margin=0.005, confidence=0.9)
    assert found[0] == "better"


@pytest.mark.parametrize("n", [2, 5])
def test_fewer_than_six_seeds_are_undecided_whatever_they_show(n):
    for changes in ({}, SMALL, {"identical": True, "varies": False}):
        word, note = verdict(n=n, **changes)
        assert word == "undecided"
        assert note.startswith("fewer than six seeds")
        # The lowest p depends on ties: it is no property of the number of seeds.
        assert "p cannot" not in note


def test_one_seed_and_seeds_that_do_not_vary():
    assert verdict(n=1, interval=None, equivalence_interval=None) == (
        "undecided",
        "no verdict from one seed",
    )
    same = {"interval": (0.0, 0.0), "equivalence_interval": (0.0, 0.0)}
    assert verdict(**same, identical=True, varies=False) == (
        "equivalent",
        "identical on this metric",
    )
    word, note = verdict(varies=False)
    assert word == "undecided"
    assert "the seeds do not vary" in note
