"""Numbers as people read them."""

import pytest

from research.reporting import numbers

ACCURACY = numbers.make_scale(True, [0.003], [0.0006])
LOSS = numbers.make_scale(False, [0.0045], [0.0011])


def test_accuracies_are_percent_and_their_differences_points():
    assert numbers.value(0.97071, ACCURACY) == "97.1 %"
    assert numbers.difference(0.00081, ACCURACY) == "+0.08 points"
    assert numbers.interval(-0.0002, 0.0014, ACCURACY) == "[−0.02, +0.14]"


def test_other_metrics_keep_two_digits_of_their_spread():
    assert numbers.value(0.08107, LOSS) == "0.0811"
    assert numbers.difference(-0.01229, LOSS) == "−0.0123"
    assert numbers.value(12.3456, numbers.make_scale(False, [3.0], [1.0])) == "12.3"


def test_narrow_intervals_get_more_decimals_so_that_their_ends_differ():
    narrow = numbers.make_scale(True, [0.003], [0.00002])
    assert numbers.interval(0.00001, 0.00005, narrow) == "[+0.001, +0.005]"


def test_an_end_that_rounds_to_zero_keeps_its_side():
    assert numbers.interval(-0.001, -0.00001, ACCURACY) == "[−0.10, −0.00]"
    assert numbers.bare_difference(0.0, ACCURACY) == "0.00"


@pytest.mark.parametrize("nothing", [None, float("nan"), float("inf")])
def test_what_is_not_known_is_a_dash(nothing):
    assert numbers.value(nothing, ACCURACY) == numbers.ABSENT
    assert numbers.difference(nothing, LOSS) == numbers.ABSENT
    assert numbers.interval(nothing, 0.1, ACCURACY) == numbers.ABSENT
    assert numbers.p_value(nothing) == numbers.ABSENT
    assert numbers.ratio(1.0, nothing) == numbers.ABSENT


@pytest.mark.parametrize(
    ("p", "text", "phrase"),
    [
        (1.0, "1", "p = 1"),
        (0.0312, "0.031", "p = 0.031"),
        (0.001, "0.001", "p = 0.001"),
        (0.00099, "<0.001", "p < 0.001"),
        (1e-5, "<0.001", "p < 0.001"),
    ],
)
def test_p(p, text, phrase):
    assert numbers.p_value(p) == text
    assert numbers.p_phrase(p) == phrase


@pytest.mark.parametrize(
    ("p", "text"), [(0.0625, "0.0625"), (0.25, "0.25"), (1 / 100_001, "0.00001")]
)
def test_the_smallest_p_is_never_a_power(p, text):
    assert numbers.smallest_p(p) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (8.5e-5, "85 µs"),
        (0.0123, "12.3 ms"),
        (9.1, "9.1 s"),
        (125.4, "2 min 5 s"),
        (7265.0, "2 h 1 min"),
    ],
)
def test_durations(seconds, text):
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (0.0, "0 %"),
        (0.0004, "<0.1 %"),
        (0.046, "4.6 %"),
        (0.34, "34 %"),
        (1.0, "100 %"),
    ],
)
def test_shares(part, text):
    assert numbers.share(part) == text


@pytest.mark.parametrize(
    "tied",
    ["97.1 %", "0.5 points", "64 seeds", "[+0.02, +0.14]", "97.0 ± 0.3", "p = 0.02"],
)
def test_numbers_are_tied_to_what_belongs_to_them(tied):
    assert numbers.glue(f"about {tied} here") == (
        f"about {tied.replace(' ', numbers.NO_BREAK)} here"
    )


def test_the_last_epoch_is_said_in_words():
    assert numbers.words("test_accuracy_last") == "test accuracy after the last epoch"
