import json
import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from research.statistics import crossed_noise


def noise(arm, reference=None, *, rows=None, seed=0):
    return crossed_noise(
        arm,
        reference,
        confidence=0.95,
        generator=np.random.default_rng(seed),
        rows=rows,
    )


def draw(generator, seeds, examples, *, by_seed, by_example, by_cell):
    """Effects of seeds [seeds, 1], of examples [1, examples] and of cells."""
    return (
        by_seed * generator.normal(size=(seeds, 1)),
        by_example * generator.normal(size=(1, examples)),
        by_cell * generator.normal(size=(seeds, examples)),
    )


def table(seed, seeds, examples, **sizes):
    return sum(draw(np.random.default_rng(seed), seeds, examples, **sizes))


def interval(spread):
    return spread.ci_low, spread.ci_high


def test_each_source_alone_is_the_standard_error_of_its_means():
    arm, reference = np.random.default_rng(1).random((2, 12, 40)) < 0.8
    found = noise(arm, reference)
    d = arm.astype(float) - reference
    assert found.mean == pytest.approx(d.mean())
    assert found.from_seeds.sd == pytest.approx(stats.sem(d.mean(axis=1)))
    assert found.from_examples.sd == pytest.approx(stats.sem(d.mean(axis=0)))
    assert found.from_both.sd < found.resampled_sd
    shares = (found.seeds_share, found.examples_share, found.interaction_share)
    assert sum(shares) == pytest.approx(1)
    assert noise(d) == found


def test_intervals_are_widened_percentiles_of_the_bootstrap():
    generator = np.random.default_rng(2)
    d = generator.exponential(size=(12, 1)) + 0.01 * generator.normal(size=(12, 30))
    means = d.mean(axis=1)
    drawn = means[generator.integers(12, size=(100_000, 12))].mean(axis=1)
    ends = np.quantile(drawn, [0.025, 0.975]) - means.mean()
    widening = np.sqrt(12 / 11) * stats.t.ppf(0.975, 11) / stats.norm.ppf(0.975)
    found = noise(d)
    assert interval(found.from_seeds) == pytest.approx(
        means.mean() + ends * widening, rel=0.03
    )


def test_few_seeds_have_the_t_interval():
    d = table(3, 5, 30, by_seed=1, by_example=0, by_cell=0.1)
    right = stats.ttest_1samp(d.mean(axis=1), 0).confidence_interval(0.95)
    width = right.high - right.low
    found = interval(noise(d).from_seeds)
    assert found == pytest.approx((right.low, right.high), abs=0.06 * width)


@pytest.mark.parametrize(
    ("by_seed", "by_example", "limiting"),
    [(0.02, 1.0, "test set"), (1.0, 0.1, "seeds"), (0.5, 1.8, "both")],
)
def test_the_larger_source_limits(by_seed, by_example, limiting):
    d = table(4, 16, 200, by_seed=by_seed, by_example=by_example, by_cell=0.1)
    assert noise(d).limiting == limiting


def test_test_sets_that_are_the_same_rows_in_another_order_change_nothing():
    generator = np.random.default_rng(5)
    d = table(5, 12, 30, by_seed=0.1, by_example=1, by_cell=0.5)
    order = np.stack([generator.permutation(30) for _ in range(12)])
    shuffled = np.take_along_axis(d, order, axis=1)
    found, right = noise(shuffled, rows=order + 7), noise(d)
    assert found.rows == 30
    assert found.from_both.sd == pytest.approx(right.from_both.sd)
    assert interval(found.from_both) == pytest.approx(interval(right.from_both))


def test_own_test_sets_hold_more_examples_than_one():
    generator = np.random.default_rng(6)
    pool = generator.normal(size=400)
    rows = np.stack([generator.permutation(400)[:50] for _ in range(32)])
    own = noise(pool[rows] + 0.1 * generator.normal(size=(32, 50)), rows=rows)
    one = noise(pool[rows[:1]] + 0.1 * generator.normal(size=(32, 50)))
    uses = np.bincount(rows.ravel())
    right = pool.std() * np.sqrt(np.sum(uses**2)) / uses.sum()
    assert own.from_examples.sd == pytest.approx(right, rel=0.05)
    assert one.from_examples.sd == pytest.approx(stats.sem(pool[rows[0]]), rel=0.05)
    assert own.from_examples.sd < one.from_examples.sd / 2
    assert own.limiting == "test set"


def test_test_sets_without_a_common_row_leave_no_interaction():
    d = table(7, 8, 25, by_seed=0.3, by_example=0, by_cell=1)
    found = noise(d, rows=np.arange(200).reshape(8, 25))
    assert (found.rows, found.interaction_share) == (200, 0.0)
    assert found.from_both.sd == pytest.approx(stats.sem(d.mean(axis=1)))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    seeds=st.integers(2, 14),
    examples=st.integers(2, 14),
)
def test_exchanged_arms_mirror_and_reordering_changes_nothing(seed, seeds, examples):
    generator = np.random.default_rng(seed)
    arm, reference = generator.random((2, seeds, examples)) < 0.7
    found, mirrored = noise(arm, reference), noise(reference, arm)
    order = np.ix_(generator.permutation(seeds), generator.permutation(examples))
    shuffled = noise(arm[order], reference[order])
    for kind in ("from_seeds", "from_examples", "from_both"):
        one, other, again = (
            getattr(each, kind) for each in (found, mirrored, shuffled)
        )
        assert interval(other) == pytest.approx((-one.ci_high, -one.ci_low), abs=1e-9)
        assert interval(again) == pytest.approx(interval(one), abs=1e-9)
        assert again.sd == pytest.approx(one.sd, abs=1e-9)
        assert one.ci_low <= found.mean + 1e-12
        assert one.ci_high >= found.mean - 1e-12
    assert found.limiting == mirrored.limiting == shuffled.limiting


def test_what_does_not_vary_is_limited_by_nothing():
    found = noise(np.full((5, 7), 0.1 + 0.2))
    assert found.limiting == "neither"
    assert found.seeds_share is None
    assert found.resampled_sd == found.from_both.sd == 0
    assert interval(found.from_both) == (found.mean, found.mean)
    json.dumps(asdict(found), allow_nan=False)


def test_identical_seeds_leave_the_test_set():
    found = noise(np.tile([True, False, True, True], (6, 1)))
    assert (found.from_seeds.sd, found.limiting) == (0.0, "test set")
    assert found.examples_share == 1.0


def test_one_seed_or_one_example_cannot_be_told_apart():
    assert noise(np.ones((1, 9))) is None
    assert noise(np.ones((9, 1))) is None
    with pytest.raises(ValueError, match="must be finite"):
        noise(np.array([[0.0, np.inf], [0.0, 1.0]]))


def test_more_than_can_be_resampled_has_its_normal_limit():
    d = table(8, 3, 6_000, by_seed=0, by_example=1, by_cell=0.1)
    found = noise(d).from_examples
    assert interval(found) == pytest.approx(
        d.mean() + found.sd * np.array([-1.96, 1.96]), abs=0.08 * found.sd
    )


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("shape", [(64, 10_000), (5_000, 400)])
def test_large_tables_take_a_few_copies_of_themselves(shape, own):
    generator = np.random.default_rng(9)
    correct = generator.random(shape) < 0.9
    rows = generator.integers(20_000, size=shape) if own else None
    tracemalloc.start()
    found = noise(correct, rows=rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.seeds, found.examples == shape
    assert peak < 8 * 8 * correct.size + 40e6


SIMULATED = pytest.mark.parametrize(
    ("seeds", "by_seed", "by_example", "by_cell"),
    [(4, 0.1, 0.3, 1.0), (16, 0.1, 0.3, 1.0), (16, 0.05, 0.5, 0.2)],
)


@SIMULATED
def test_intervals_cover_what_they_speak_of(
    monkeypatch, seeds, by_seed, by_example, by_cell
):
    monkeypatch.setattr("research.statistics.crossed._PAIRS", 1_000)
    generator, trials = np.random.default_rng(10), 300
    covered = np.zeros(3)
    for _ in range(trials):
        a, b, c = draw(
            generator,
            seeds,
            60,
            by_seed=by_seed,
            by_example=by_example,
            by_cell=by_cell,
        )
        found = noise(a + b + c, seed=int(generator.integers(2**31)))
        truths = ((found.from_seeds, b.mean()), (found.from_examples, a.mean()))
        for place, (spread, truth) in enumerate((*truths, (found.from_both, 0.0))):
            covered[place] += spread.ci_low <= truth <= spread.ci_high
    # A coverage of 93 % falls below this in one of a thousand.
    assert (covered >= stats.binom.ppf(0.001, trials, 0.93)).all(), covered / trials


def test_moments_do_not_count_the_interaction_three_times(monkeypatch):
    monkeypatch.setattr("research.statistics.crossed._PAIRS", 10)
    generator = np.random.default_rng(11)
    moments, resampled = [], []
    for _ in range(300):
        parts = draw(generator, 16, 60, by_seed=0.1, by_example=0.3, by_cell=1)
        found = noise(sum(parts))
        moments.append(found.from_both.sd**2)
        resampled.append(found.resampled_sd**2)
    cell = 1 / (16 * 60)
    right = 0.1**2 / 16 + 0.3**2 / 60 + cell
    assert np.mean(moments) == pytest.approx(right, rel=0.05)
    assert np.mean(resampled) == pytest.approx(right + 2 * cell, rel=0.1)
