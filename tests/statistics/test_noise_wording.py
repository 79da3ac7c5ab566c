from dataclasses import replace

import numpy as np
import pytest

from research.statistics import (
    Component,
    Components,
    Spread,
    components_sentence,
    crossed_noise,
    luck_scale,
    luck_sentence,
    noise_sentence,
)


def luck(scores):
    found = luck_scale(np.array(scores), generator=np.random.default_rng(0))
    return luck_sentence(found, write=lambda d: f"{100 * d:.1f} points")


def told_apart(values):
    found = crossed_noise(
        np.asarray(values, dtype=np.float64),
        confidence=0.95,
        generator=np.random.default_rng(0),
    )
    assert found is not None
    return found


def noise(values):
    return noise_sentence(told_apart(values))


def split(parts, rest, total=1.0):
    """Components of given (variance, low, high), in shares of the total."""

    def component(variance, low, high):
        return Component(variance, low, high, variance / total if total else None)

    return components_sentence(
        Components(
            backgrounds=8,
            seeds=16,
            seeds_together=64,
            sources={name: component(*part) for name, part in parts.items()},
            total=component(total, total, total),
            interaction=component(*rest),
        )
    )


def test_luck_of_halves_and_of_papers():
    assert luck([0.9, 0.91, 0.93, 0.97]) == (
        "Through luck alone two random groups of 2 of the reference's own seeds differ "
        "by up to 4.5 points in 95 % of cases; two papers with 1 seed each by up to "
        "7.0 points."
    )
    eight = luck(np.arange(8) / 100)
    assert eight.index("groups of 4") < eight.index("3 seeds") < eight.index("1 seed ")
    assert luck([0.5] * 4) == "Luck plays no part here: the seeds do not vary."


def test_a_test_set_that_limits():
    examples = np.tile([1.0, 0.0, 1.0, 0.0, 0.0], (6, 1))
    assert noise(examples) == (
        "For new test rows too, the test set limits this, not the seeds: more seeds will "
        "hardly help there, a larger test set would (endless seeds would take 0 % off "
        "the uncertainty, an endless test set over 99 %). An interval over the seeds "
        "alone says nothing of new test examples."
    )


def test_seeds_that_limit():
    seeds = np.tile(np.array([[0.1], [0.2], [0.4]]), (1, 5))
    assert noise(seeds) == (
        "For new test rows too, the seeds limit this, not the test set: more seeds will "
        "help, a larger test set hardly (endless seeds would take over 99 % off the "
        "uncertainty, an endless test set 0 %)."
    )


def test_both_limit_and_intervals_would_have_to_be_wider():
    both = replace(
        told_apart(np.arange(6.0)[:, None] + np.arange(6.0)[None]),
        from_seeds=Spread(1.0, -2.0, 2.0),
        from_both=Spread(1.5, -3.0, 3.0),
    )
    assert noise_sentence(both) == (
        "For new test rows too, seeds and test set both limit this: endless seeds would "
        "take 29 % off the uncertainty, an endless test set 29 %. For new test "
        "examples an interval over the seeds alone would have to be 1.5 times as wide."
    )
    # Seeds with test sets of their own have new test examples already.
    assert "times as wide" not in noise_sentence(replace(both, rows=20))


def test_nothing_limits_what_does_not_vary():
    assert noise(np.ones((3, 3))) == (
        "Neither the seeds nor the test set limit this: nothing varies."
    )


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ((0.002, -0.2, 0.2), "The rest, under 1 %, cannot be told from 0."),
        ((0.2, 0.1, 0.3), "20 %, comes from what varies only when all sources do."),
        ((-0.3, -0.4, -0.1), "The sources interact (−30 %): what one adds depends"),
    ],
)
def test_the_rest_is_read_from_its_interval(rest, words):
    assert words in split({"init": (0.7, 0.5, 0.9)}, rest)


def test_the_source_that_adds_most_is_named_where_intervals_part():
    rest = (0.1, -0.1, 0.3)
    apart = {"order": (0.2, 0.1, 0.3), "init": (0.7, 0.5, 0.9)}
    assert split(apart, rest).startswith(
        "Of the variance over seeds: init 70 %, order 20 %; init adds most."
    )
    close = apart | {"order": (0.4, 0.2, 0.6)}
    assert "; no source clearly adds most." in split(close, rest)
    assert split({"init": (0.0, 0.0, 0.0)}, (0.0, 0.0, 0.0), total=0.0) == (
        "There is nothing to split by source: together they change no score."
    )
