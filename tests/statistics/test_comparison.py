import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import judge_differences, judge_pair

from research.statistics import Runs, judge, judge_runs
from research.statistics.ranks import hodges_lehmann

NEGATED = ("mean_difference", "effect_size_dz", "hodges_lehmann", "skewness")
SAME = (
    *("n", "std_difference", "p_value", "p_adjusted", "p_method", "smallest_p"),
    *("correlation", "wilcoxon_p", "seeds_needed", "seeds_needed_range"),
)
OPPOSITE = {
    "better": "worse",
    "worse": "better",
    "equivalent": "equivalent",
    "undecided": "undecided",
}

# Accuracies on 400 rows, as they come: many ties, and zeros among the differences.
counts = st.integers(0, 400)
pairs = st.lists(st.tuples(counts, counts), min_size=1, max_size=24).map(
    lambda rows: np.array(rows, dtype=np.float64).T / 400
)


def approx(value):
    """Equal to rounding; words, None and lists that hold them exactly equal."""
    listed = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(x, int | float) for x in listed):
        return value
    return pytest.approx(value, rel=1e-7, abs=1e-9)


def assert_mirrored(found, mirrored):
    for name in SAME:
        assert getattr(mirrored, name) == approx(getattr(found, name)), name
    for name in NEGATED:
        value = getattr(found, name)
        expected = None if value is None else approx(-value)
        assert getattr(mirrored, name) == expected, name
    for low, high in (("ci_low", "ci_high"), ("bca_low", "bca_high")):
        if getattr(found, low) is None:
            assert getattr(mirrored, low) is getattr(mirrored, high) is None
        else:
            assert getattr(mirrored, low) == approx(-getattr(found, high))
            assert getattr(mirrored, high) == approx(-getattr(found, low))
    assert mirrored.differences == approx(tuple(-d for d in found.differences))


@given(pairs)
@settings(max_examples=60, deadline=None)
def test_swapping_the_arms_mirrors_every_number(pair):
    found, mirrored = judge_pair(*pair), judge_pair(*pair[::-1])
    assert_mirrored(found, mirrored)
    assert mirrored.verdict == OPPOSITE[found.verdict]
    assert mirrored.note == found.note
    assert mirrored.probability_better == approx(1 - found.probability_better)
    assert mirrored.one_seed.arm == approx(found.one_seed.reference)
    if found.three_seeds is not None:
        assert mirrored.three_seeds.arm == approx(found.three_seeds.reference)
    assert mirrored.false_winners.arm == approx(found.false_winners.reference)


@given(pairs)
@settings(max_examples=30, deadline=None)
def test_lower_is_better_mirrors_higher_is_better(pair):
    found = judge_pair(*pair)
    mirrored = judge_pair(*-pair, higher_is_better=False)
    assert_mirrored(found, mirrored)
    assert mirrored.verdict == found.verdict
    assert mirrored.probability_better == approx(found.probability_better)
    assert mirrored.one_seed == found.one_seed
    assert mirrored.false_winners.arm == approx(found.false_winners.arm)


def assert_same(found, other, *, but=()):
    """Equal in every field, floats to rounding."""
    for name, value in asdict(found).items():
        if name not in but:
            pairs = zip(flat(asdict(other)[name]), flat(value), strict=True)
            assert all(x == approx(y) for x, y in pairs), name


def flat(value):
    """The numbers and words of nested containers in one list."""
    if isinstance(value, dict):
        return [x for item in value.values() for x in flat(item)]
    if isinstance(value, tuple | list):
        return [x for item in value for x in flat(item)]
    return [value]


@given(pairs, st.sampled_from([-1.0, 0.3, 2.0]))
@settings(max_examples=30, deadline=None)
def test_a_constant_added_to_both_changes_nothing(pair, constant):
    assert_same(judge_pair(*pair), judge_pair(*(pair + constant)))


@given(pairs, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_seeds_changes_only_the_order_of_differences(pair, random):
    order = list(range(pair.shape[1]))
    random.shuffle(order)
    found, other = judge_pair(*pair), judge_pair(*pair[:, order])
    assert_same(found, other, but=("differences",))
    assert other.differences == approx(tuple(found.differences[i] for i in order))


@pytest.mark.parametrize("n", [30, 100])
def test_mirroring_and_order_hold_where_signs_and_seeds_are_drawn(n):
    arm, reference = np.random.default_rng(n).normal(0.9, 0.01, size=(2, n))
    found = judge_pair(arm, reference)
    assert found.p_method == "sign-flip, 100000 draws"
    assert_mirrored(found, judge_pair(reference, arm))
    swapped = judge_pair(reference, arm)
    assert swapped.false_winners.arm == approx(found.false_winners.reference)
    reversed_seeds = judge_pair(arm[::-1].copy(), reference[::-1].copy())
    assert_same(found, reversed_seeds, but=("differences",))


def test_null_comparisons_name_a_winner_at_most_as_often_as_promised():
    generator = np.random.default_rng(20)
    named = 0
    for _ in range(200):
        arm, reference = generator.normal(0.95, 0.01, size=(2, 12))
        found = judge_pair(arm, reference, margin=1e-4, generator=generator)
        named += found.verdict in ("better", "worse")
    # 21 is exceeded with probability below 0.1 % where the rate is 5 %
    assert 1 <= named <= 21


def test_several_arms_are_adjusted_together_and_keep_their_order():
    generator = np.random.default_rng(3)
    reference = generator.normal(0.9, 0.01, size=16)
    scores = {
        "far": reference + generator.normal(0.05, 0.01, size=16),
        "relu": reference,
        "near": reference + generator.normal(0.004, 0.006, size=16),
        "same": reference.copy(),
    }
    far, near, same = judge(
        scores,
        reference="relu",
        higher_is_better=True,
        margin=0.005,
        confidence=0.95,
        generator=np.random.default_rng(0),
    )
    assert [c.arm for c in (far, near, same)] == ["far", "near", "same"]
    assert {c.reference for c in (far, near, same)} == {"relu"}
    assert far.p_adjusted == approx(3 * far.p_value)
    assert near.p_adjusted == approx(min(1.0, 2 * near.p_value))
    assert (far.verdict, same.verdict) == ("better", "equivalent")


def test_holm_can_take_a_verdict_away():
    differences = np.array([1.0, 1.2, 0.8, 1.1, 0.9, 1.3, 0.7])  # p = 2/2^7
    reference = np.zeros(7)
    alone = judge_pair(differences, reference)
    scores = {"reference": reference, "arm": differences}
    noise = np.random.default_rng(1).normal(size=(3, 7))
    scores |= {f"noise{i}": row for i, row in enumerate(noise)}
    among, *_ = judge(
        scores,
        reference="reference",
        higher_is_better=True,
        margin=0.005,
        confidence=0.95,
        generator=np.random.default_rng(0),
    )
    assert alone.verdict == "better"
    assert (among.verdict, among.p_value) == ("undecided", alone.p_value)
    assert "p cannot be below 0.0625" in among.note
    assert among.seeds_needed > 8


def test_arms_with_the_same_scores_get_the_same_numbers_in_any_order():
    arm, reference, other = np.random.default_rng(2).normal(size=(3, 40))
    settings = {
        "reference": "reference",
        "higher_is_better": True,
        "margin": 0.005,
        "confidence": 0.95,
    }
    scores = {"reference": reference, "a": arm, "b": other, "twin": arm.copy()}
    a, b, twin = judge(scores, **settings, generator=np.random.default_rng(5))
    backwards = judge(
        dict(reversed(scores.items())), **settings, generator=np.random.default_rng(5)
    )
    assert asdict(a) | {"arm": "twin"} == asdict(twin)
    assert backwards == (twin, b, a)


def test_the_same_generator_gives_the_same_numbers_and_another_others():
    pair = np.random.default_rng(4).normal(size=(2, 50))
    first, again, other = (
        judge_pair(*pair, generator=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.p_value != other.p_value
    assert first.bca_low != other.bca_low
    assert first.p_value == pytest.approx(other.p_value, rel=0.1)


def test_one_seed_gives_no_verdict_and_no_number_that_it_lacks():
    found = judge_pair([0.97], [0.96])
    assert (found.verdict, found.note) == ("undecided", "no verdict from one seed")
    assert (found.p_value, found.smallest_p, found.p_adjusted) == (1.0, 1.0, 1.0)
    missing = ("std_difference", "ci_low", "ci_high", "effect_size_dz", "correlation")
    missing += ("bca_low", "bca_high", "skewness", "three_seeds", "seeds_needed")
    assert [getattr(found, name) for name in missing] == [None] * len(missing)
    assert found.one_seed.arm == 1.0
    assert found.false_winners.seeds == (1,)


DEGENERATE = {
    "one seed": [0.01],
    "one seed, equal": [0.0],
    "two seeds": [0.01, -0.02],
    "two equal": [0.01, 0.01],
    "all zero": [0.0] * 12,
    "constant": [0.01] * 12,
    "constant but for rounding": [0.3 - 0.1, 0.2] * 6,
    "one non-zero": [0.0] * 11 + [0.01],
    "two values": [0.01, -0.01] * 6,
    "one giant": [1e-9] * 11 + [1e9],
    "tiny": np.linspace(-1e-200, 2e-200, 12),
    "huge": np.linspace(-1e200, 2e200, 12),
    "many constant": [0.01] * 5001,
    "many": np.linspace(-1, 1.5, 6000),
    "far from zero": np.linspace(5, 6, 6000),
}


@pytest.mark.parametrize("differences", DEGENERATE.values(), ids=DEGENERATE)
@pytest.mark.parametrize("test_train_ratio", [None, 0.25])
def test_no_degenerate_case_leaks_nan_infinity_or_a_warning(
    differences, test_train_ratio
):
    found = judge_differences(differences, test_train_ratio=test_train_ratio)
    json.dumps(asdict(found), allow_nan=False)
    assert 0 < found.smallest_p <= found.p_value <= found.p_adjusted <= 1
    assert found.note


def test_rounding_is_no_difference():
    arm = np.array([0.1 + 0.2, 0.7 + 0.1, 1.1 + 2.2] * 3)
    found = judge_pair(arm, [0.3, 0.8, 3.3] * 3)
    assert found.differences == (0.0,) * 9
    assert found.note == "identical on this metric"


def test_rank_statistics_and_exact_signs_are_left_out_above_5000_seeds():
    differences = np.random.default_rng(0).normal(0.02, 1.0, size=5001)
    found = judge_differences(differences)
    assert found.p_method == "normal limit of the sign-flip"
    assert found.hodges_lehmann is found.wilcoxon_p is None
    z = differences.sum() / np.sqrt(np.sum(differences**2))
    assert found.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-6)


def test_shared_test_rows_widen_the_interval_as_nadeau_and_bengio_do():
    differences = np.random.default_rng(6).normal(0.01, 0.015, size=32)
    plain = judge_differences(differences)
    corrected = judge_differences(differences, test_train_ratio=0.25)
    half, wide = (c.ci_high - c.mean_difference for c in (plain, corrected))
    assert wide / half == pytest.approx(math.sqrt((1 / 32 + 0.25) * 32))
    assert (plain.verdict, corrected.verdict) == ("better", "undecided")
    assert corrected.seeds_needed is None  # no number of seeds frees them of the rows
    assert corrected.bca_low is None
    assert "shared no test rows" in corrected.p_method


def test_with_a_diverged_lane_nothing_is_equivalent():
    differences = np.random.default_rng(8).normal(0.0, 0.001, size=32)
    lost = np.zeros(32, dtype=bool)
    lost[4] = True
    clean = judge_differences(differences)
    found = judge_differences(differences, diverged={"arm": lost})
    assert (clean.verdict, found.verdict) == ("equivalent", "undecided")
    assert clean.mcnemar_p is None
    assert found.mcnemar_p == 1.0
    assert "1 lane diverged" in found.note
    assert "when both train (31 of 32 seeds)" in found.note
    assert "how often it fails: 1 of 32 lanes, the reference 0 of 32" in found.note


def test_identical_scores_with_diverged_lanes_are_not_equivalent():
    lost = np.array([True] + [False] * 9)
    found = judge_differences([0.0] * 10, diverged={"arm": lost, "reference": lost})
    assert found.verdict == "undecided"
    assert "2 lanes diverged" in found.note


def test_summary_fields_are_all_there():
    found = asdict(judge_differences([0.1, 0.2, -0.1, 0.3, 0.1, 0.2, 0.15]))
    assert set(found["one_seed"]) == {"arm", "reference", "neither"}
    assert set(found["false_winners"]) == {"seeds", "arm", "reference", "neither"}
    assert found["false_winners"]["seeds"] == (1, 2, 3)
    assert {"p_method", "wilcoxon_p", "bca_low", "correlation", "note"} <= set(found)


def test_a_median_of_pairwise_means_that_is_rounding_is_exactly_zero():
    arm = np.array([391, 388, 387, 388, 390, 391, 387, 386]) / 400
    reference = np.array([388, 389, 386, 387, 391, 390, 390, 388]) / 400
    raw = hodges_lehmann(arm - reference)
    assert raw is not None
    assert 0 < abs(raw) < 1e-15
    assert judge_pair(arm, reference).hodges_lehmann == 0.0
    unpaired = judge_runs(
        {"reference": Runs(reference, None), "arm": Runs(reference + 1e-16, None)},
        reference="reference",
        higher_is_better=True,
        margin=0.005,
        confidence=0.95,
        generator=np.random.default_rng(0),
    )
    assert unpaired[0].hodges_lehmann == 0.0
