import numpy as np
import pytest
from judging import judge_differences

from research.statistics import cautions, seeds_sentence


def words(differences, **settings):
    return " ".join(cautions(judge_differences(differences, **settings)))


def test_ordinary_seeds_need_no_caution():
    assert words(np.random.default_rng(0).normal(0.01, 0.01, size=30)) == ""


def test_skewed_differences_are_warned_of_until_the_seeds_outweigh_them():
    generator = np.random.default_rng(1)
    assert "the differences are skewed" in words(generator.exponential(size=20))
    assert words(generator.exponential(size=1000)) == ""


@pytest.mark.parametrize(
    ("differences", "caution"),
    [
        ([0.01] * 10, "the seeds do not vary"),
        ([0.0] * 10, "identical on every seed"),
    ],
)
def test_degenerate_seeds_are_warned_of(differences, caution):
    assert caution in words(differences)


@pytest.mark.parametrize("differences", [[0.01], [0.01, 0.02, 0.03]])
def test_too_few_seeds_are_said_by_the_verdict_and_not_warned_of_again(differences):
    assert words(differences) == ""


def test_a_skew_has_a_true_minus_sign():
    skewed = -np.random.default_rng(1).exponential(size=20)
    assert "skewed (−" in words(skewed)


def test_intervals_that_disagree_about_zero_are_warned_of():
    skewed = np.array([-0.1] + [0.01] * 6 + [0.06, 0.12, 0.3, 0.35, 0.02])
    found = judge_differences(skewed)
    assert found.ci_low < 0 < found.bca_low
    assert "disagree about 0" in " ".join(cautions(found))


def test_seeds_sentence_counts_the_seeds_and_their_range():
    found = judge_differences(np.random.default_rng(1).normal(0, 0.01, size=8))
    low, high = found.seeds_needed_range
    assert seeds_sentence(found) == (
        f"about {found.seeds_needed} seeds ({low} to {high}, as far as the sd is "
        "known) would show a difference of one margin four times in five"
    )


def test_spent_seeds_leave_a_difference_near_the_margin_or_luck():
    differences = np.random.default_rng(2).normal(0, 0.01, size=60)
    differences += 0.003 - differences.mean()
    found = judge_differences(differences, confidence=0.99)
    assert found.verdict == "undecided"
    assert seeds_sentence(found).endswith("near the margin, or luck")


def test_no_sentence_where_a_verdict_was_reached():
    assert seeds_sentence(judge_differences(np.linspace(0.1, 0.2, 12))) is None
