import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import judge_pair
from test_comparison import OPPOSITE, approx, assert_mirrored, assert_same

from research.statistics import Runs, is_paired, judge_runs

counts = st.lists(st.integers(0, 400), min_size=2, max_size=12).map(
    lambda values: np.array(values, dtype=np.float64) / 400
)


def unpaired(scores):
    return Runs(np.asarray(scores, dtype=np.float64), None)


def seeded(scores, first=0, order=None):
    scores = np.asarray(scores, dtype=np.float64)
    ids = range(first, first + len(scores)) if order is None else order
    return Runs(scores, tuple(map(str, ids)))


def judge_two(arm, reference, **changes):
    defaults = {
        "reference": "reference",
        "higher_is_better": True,
        "margin": 0.005,
        "confidence": 0.95,
        "generator": np.random.default_rng(7),
    }
    runs = {"reference": reference, "arm": arm}
    (found,) = judge_runs(runs, **(defaults | changes))
    return found


def without_other(comparison):
    return asdict(comparison) | {"other_design": None}


@given(counts, counts)
@settings(max_examples=40, deadline=None)
def test_swapping_unpaired_arms_mirrors_every_number(arm, reference):
    arm, reference = unpaired(arm), unpaired(reference)
    found, mirrored = judge_two(arm, reference), judge_two(reference, arm)
    assert_mirrored_unpaired(found, mirrored)
    assert mirrored.verdict == OPPOSITE[found.verdict]
    assert mirrored.probability_better == approx(1 - found.probability_better)
    assert mirrored.one_seed.arm == approx(found.one_seed.reference)
    assert mirrored.three_seeds.arm == approx(found.three_seeds.reference)
    assert mirrored.false_winners.arm == approx(found.false_winners.reference)
    assert (mirrored.n_arm, mirrored.n_reference) == (found.n_reference, found.n_arm)


def assert_mirrored_unpaired(found, mirrored):
    assert_mirrored(found, mirrored)
    d = found.effect_size_d
    assert mirrored.effect_size_d == (None if d is None else approx(-d))


@given(counts, counts)
@settings(max_examples=30, deadline=None)
def test_lower_is_better_mirrors_higher_is_better_unpaired(arm, reference):
    found = judge_two(unpaired(arm), unpaired(reference))
    mirrored = judge_two(unpaired(-arm), unpaired(-reference), higher_is_better=False)
    assert_mirrored_unpaired(found, mirrored)
    assert mirrored.verdict == found.verdict
    assert mirrored.one_seed == found.one_seed
    assert mirrored.false_winners.arm == approx(found.false_winners.arm)


@given(counts, counts, st.sampled_from([-1.0, 0.3, 2.0]))
@settings(max_examples=30, deadline=None)
def test_a_constant_added_to_unpaired_runs_changes_nothing(arm, reference, constant):
    found = judge_two(unpaired(arm), unpaired(reference))
    moved = judge_two(unpaired(arm + constant), unpaired(reference + constant))
    assert_same(found, moved)


@given(counts, counts, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_unpaired_runs_changes_nothing(arm, reference, random):
    shuffled = arm.tolist()
    random.shuffle(shuffled)
    found = judge_two(seeded(arm, 100), seeded(reference))
    assert_same(found, judge_two(seeded(shuffled, 100), seeded(reference)))


@given(counts, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_seeds_are_matched_by_their_ids_and_not_by_their_places(scores, random):
    reference = scores[::-1].copy()
    order = list(range(len(scores)))
    random.shuffle(order)
    found = judge_two(seeded(scores), seeded(reference))
    other = judge_two(seeded(scores[order], order=order), seeded(reference))
    assert asdict(found) == asdict(other)
    assert found.paired
    assert without_other(found) == without_other(judge_pair(scores, reference))


def test_the_other_design_is_judged_beside():
    generator = np.random.default_rng(5)
    common = generator.normal(0.9, 0.02, size=16)
    arm = common + 0.004 + generator.normal(0, 0.001, size=16)
    paired = judge_two(seeded(arm), seeded(common), margin=0.001)
    assert (paired.verdict, paired.other_design.verdict) == ("better", "undecided")
    assert not paired.other_design.paired
    bare = judge_two(unpaired(arm), unpaired(common), margin=0.001)
    assert (bare.verdict, bare.other_design.verdict) == ("undecided", "better")
    assert bare.other_design.paired
    assert bare.other_design.ci_low == approx(paired.ci_low)
    assert paired.other_design.ci_low == approx(bare.ci_low)
    assert judge_two(unpaired(arm), unpaired(common[:9])).other_design is None
    assert judge_two(seeded(arm, 50), seeded(common)).other_design is None


def test_pairs_and_unpaired_arms_share_one_adjustment():
    generator = np.random.default_rng(1)
    scores = generator.normal(0.9, 0.01, size=(4, 8))
    runs = {
        "reference": seeded(scores[0]),
        "with": seeded(scores[1] + 0.02),
        "without": seeded(scores[2] + 0.015, 100),
    }
    settings = {"reference": "reference", "higher_is_better": True, "margin": None}
    first, second = judge_runs(
        runs, **settings, confidence=0.95, generator=np.random.default_rng(0)
    )
    assert (first.paired, second.paired) == (True, False)
    small, large = sorted([first, second], key=lambda c: c.p_value)
    assert small.p_adjusted == approx(min(1, 2 * small.p_value))
    assert large.p_adjusted == approx(max(large.p_value, small.p_adjusted))


def test_fewer_than_six_runs_of_either_arm_give_no_verdict():
    many = np.linspace(0, 0.01, 20)
    found = judge_two(unpaired([5.0, 5.1, 5.2, 5.3, 5.4]), unpaired(many))
    assert found.p_value < 0.001
    assert (found.verdict, found.n) == ("undecided", 5)


def test_without_a_margin_only_identity_is_equivalent():
    near = np.random.default_rng(2).normal(0.9, 1e-6, size=(2, 20))
    for make in (unpaired, seeded):
        found = judge_two(make(near[0]), make(near[1]), margin=None)
        assert found.verdict == "undecided"
        assert "equivalence is not judged" in found.note
        assert found.seeds_needed is None
        same = judge_two(make([0.5] * 8), make([0.5] * 8), margin=None)
        assert same.verdict == "equivalent"
        far = judge_two(make(near[0] + 1), make(near[1]), margin=None)
        assert far.verdict == "better"
        assert "no margin was given" in far.note


@pytest.mark.parametrize(
    "scores",
    [
        ([0.5, 0.5], [0.5, 0.5]),
        ([0.5] * 7, [0.6] * 8),
        ([0.5] * 7, [0.6, 0.5]),
        ([0.0] * 11 + [1e99], [-1e99] * 6),
        ([1e-300, 2e-300] * 4, [0.0, 1e-300] * 4),
        ([5e-324] * 6, [0.0] * 6),
    ],
)
def test_no_degenerate_unpaired_case_leaks_nan_or_infinity(scores):
    found = judge_two(unpaired(scores[0]), unpaired(scores[1]))
    json.dumps(asdict(found), allow_nan=False)
    assert 0 < found.smallest_p <= found.p_value <= found.p_adjusted <= 1


def test_partly_shared_seeds_and_single_runs_are_refused():
    with pytest.raises(ValueError, match="overlap in part"):
        is_paired(seeded([1, 2, 3]), seeded([1, 2, 3], 1))
    with pytest.raises(ValueError, match="two or more"):
        judge_two(unpaired([1.0]), unpaired([1.0, 2.0]))
    with pytest.raises(ValueError, match="another arm"):
        judge_runs(
            {"a": unpaired([1.0, 2.0])},
            reference="a",
            higher_is_better=True,
            margin=None,
            confidence=0.95,
            generator=np.random.default_rng(0),
        )


def test_runs_needed_for_a_margin_are_those_of_a_two_sample_test():
    # d = .5 at .05: 64 runs of each arm, the textbook's number
    generator = np.random.default_rng(4)
    arm, reference = generator.normal(size=(2, 20))
    arm, reference = ((x - x.mean()) / x.std(ddof=1) for x in (arm, reference))
    found = judge_two(unpaired(arm), unpaired(reference), margin=0.5)
    assert found.seeds_needed == 64
    low, high = found.seeds_needed_range
    assert low < 64 < high
