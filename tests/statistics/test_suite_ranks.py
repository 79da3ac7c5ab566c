import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from research.statistics import (
    Task,
    against_reference,
    friedman,
    interquartile_mean,
    iqm_intervals,
    summarise_suite,
    task_ranks,
)

matrices = st.integers(3, 6).flatmap(
    lambda tasks: st.integers(2, 5).flatmap(
        lambda arms: st.lists(
            st.lists(st.integers(0, 9), min_size=arms, max_size=arms),
            min_size=tasks,
            max_size=tasks,
        )
    )
)


def ranks_of(means, higher=True):
    means = np.asarray(means, dtype=np.float64)
    return task_ranks(means, higher_is_better=[higher] * len(means))


def test_rank_one_is_the_best_in_either_direction_and_ties_share():
    assert ranks_of([[0.9, 0.8, 0.9]]).tolist() == [[1.5, 3, 1.5]]
    assert ranks_of([[0.9, 0.8, 0.9]], higher=False).tolist() == [[2.5, 1, 2.5]]
    assert ranks_of([[0.1 + 0.2, 0.3]]).tolist() == [[1.5, 1.5]]


@given(matrices)
@settings(max_examples=50, deadline=None)
def test_friedman_agrees_with_scipy(means):
    ranks = ranks_of(means)
    assert ranks.tolist() == [
        stats.rankdata([-x for x in row]).tolist() for row in means
    ]
    found = friedman(ranks, np.random.default_rng(0))
    if ranks.shape[1] < 3 or all(len(set(row)) == 1 for row in means):
        assert found.statistic >= 0
        return
    right = stats.friedmanchisquare(*np.array(means).T)
    assert found.statistic == pytest.approx(right.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(right.pvalue, abs=1e-9)


def test_iman_and_davenports_f_of_demsars_example():
    # Demšar 2006, section 3.2.4: 4 classifiers on 14 data sets
    ranks = [
        *([4, 2, 3, 1], [1, 2, 3, 4], [4, 1.5, 3, 1.5], [1, 4, 3, 2], [4, 3, 1, 2]),
        *(
            [1, 2.5, 4, 2.5],
            [1.5, 3.5, 1.5, 3.5],
            [2.5, 2.5, 2.5, 2.5],
            [4, 3, 1.5, 1.5],
        ),
        *([3, 3, 3, 1], [4, 2, 3, 1], [4, 2, 1, 3], [3, 2, 4, 1], [4, 3, 1.5, 1.5]),
    ]
    ranks = np.array(ranks, dtype=np.float64)
    found = friedman(ranks, np.random.default_rng(0))
    n, k = ranks.shape
    assert found.f_degrees == (3, 39)
    assert found.f_statistic == pytest.approx(
        (n - 1) * found.statistic / (n * (k - 1) - found.statistic)
    )
    assert found.f_p_value == pytest.approx(stats.f.sf(found.f_statistic, 3, 39))
    assert found.permutation_method == "100000 draws"
    assert found.p_permutation == pytest.approx(found.f_p_value, rel=0.25)


def test_tasks_that_all_agree_give_the_smallest_permutation_p_and_no_f():
    found = friedman(ranks_of([[3, 2, 1]] * 3), np.random.default_rng(0))
    assert found.f_statistic is found.f_p_value is None
    assert found.p_permutation == pytest.approx(1 / 36)
    two = friedman(ranks_of([[2, 1]] * 3), np.random.default_rng(0))
    assert two.p_permutation == pytest.approx(1 / 4)


def test_two_tasks_are_not_tested():
    ranks = ranks_of([[3, 2, 1]] * 2)
    assert friedman(ranks, np.random.default_rng(0)) is None
    assert against_reference(ranks, ["a", "b", "c"], reference="a") == ()


@given(matrices, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_tasks_and_arms_changes_no_test(means, random):
    means = np.array(means, dtype=np.float64)
    rows, columns = (random.sample(range(n), n) for n in means.shape)
    found = friedman(ranks_of(means), np.random.default_rng(0))
    other = friedman(ranks_of(means[rows][:, columns]), np.random.default_rng(0))
    assert other.statistic == pytest.approx(found.statistic, abs=1e-9)
    assert other.p_permutation == pytest.approx(found.p_permutation, abs=0.01)


def test_ranks_against_the_reference_are_z_tests_with_holm():
    ranks = ranks_of([[1, 2, 3]] * 8 + [[2, 1, 3]] * 2)
    first, second = against_reference(ranks, ["a", "b", "c"], reference="a")
    error = np.sqrt(3 * 4 / (6 * 10))
    assert second.rank_difference == pytest.approx(1 - 2.8)
    assert second.z == pytest.approx(-1.8 / error)
    assert second.p_value == pytest.approx(2 * stats.norm.sf(1.8 / error))
    assert second.p_adjusted == pytest.approx(2 * second.p_value)
    assert first.p_adjusted == pytest.approx(max(first.p_value, second.p_adjusted))


def test_interquartile_mean_leaves_a_quarter_out_at_each_end():
    scores = np.array([100.0, 1, 2, 3, 4, -100, 5, 6])
    assert float(interquartile_mean(scores)) == 3.5
    assert float(interquartile_mean(scores)) == stats.trim_mean(scores, 0.25)


def tasks_of(shift, *, seeds=12, seed=0):
    generator = np.random.default_rng(seed)
    tasks = []
    for level in (0.5, 0.9, 0.7):
        base = level + generator.normal(0, 0.02, seeds)
        tasks.append({"a": base, "b": base + shift + generator.normal(0, 0.001, seeds)})
    return tasks


def intervals(tasks, seed=1):
    return iqm_intervals(
        tasks, reference="a", confidence=0.95, generator=np.random.default_rng(seed)
    )


def test_seeds_are_resampled_within_tasks_and_stay_paired():
    a, b = intervals(tasks_of(0.01))
    assert a.difference is a.difference_low is None
    # Resampled over tasks, or apart for each arm, the interval would hold 0.
    assert 0 < b.difference_low < b.difference < b.difference_high
    assert b.difference == pytest.approx(0.01, abs=0.005)
    assert a.ci_high - a.ci_low > 4 * (b.difference_high - b.difference_low)


def test_negated_scores_mirror_the_intervals():
    tasks = tasks_of(0.01)
    negated = [{arm: -scores for arm, scores in task.items()} for task in tasks]
    for found, mirrored in zip(intervals(tasks), intervals(negated), strict=True):
        assert mirrored.iqm == pytest.approx(-found.iqm)
        assert mirrored.ci_low == pytest.approx(-found.ci_high)


def suite_of(tasks, metrics=("acc", "acc", "acc")):
    return summarise_suite(
        [
            Task(f"t{i}", f"runs/t{i}", metric, metric == "acc", scores)
            for i, (scores, metric) in enumerate(zip(tasks, metrics, strict=True))
        ],
        reference="a",
        confidence=0.95,
        names={"a": "relu", "b": "gelu"},
    )


def test_the_summary_of_a_suite():
    found = suite_of(tasks_of(0.01))
    assert found["average_ranks"] == {"a": 2.0, "b": 1.0}
    assert found["friedman"]["p_permutation"] == pytest.approx(0.25)
    assert found["tasks"][1]["ranks"] == {"a": 2.0, "b": 1.0}
    assert [told["arm"] for told in found["iqm"]] == ["a", "b"]
    assert found["warnings"] == []


def test_what_a_suite_cannot_tell_is_said():
    few = summarise_suite(
        [Task("t", "runs/t", "acc", True, tasks_of(0.01, seeds=4)[0])],
        reference="a",
        confidence=0.95,
        names={"a": "relu", "b": "gelu"},
    )
    assert few["friedman"] is None
    assert few["against_reference"] == []
    told = " ".join(few["warnings"])
    assert "not tested below 3 runs" in told
    assert "4 seeds in a run" in told
    mixed = suite_of(tasks_of(0.01), metrics=("acc", "loss", "acc"))
    assert mixed["iqm"] is None
    assert "no common scale" in " ".join(mixed["warnings"])
    assert mixed["tasks"][1]["ranks"] == {"a": 1.0, "b": 2.0}
