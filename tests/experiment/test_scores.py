"""The per-seed table: means in float64, and what a diverged lane scores."""

import dataclasses
import math

import jax
import numpy as np
import pytest

from research.experiment.scores import lean, per_example, score_columns, table
from research.training.lanes import choose, join


@pytest.fixture
def columns(tiny, tiny_arms):
    return {slug: score_columns(tiny.task, arm) for slug, arm in tiny_arms.items()}


def test_a_score_is_the_mean_over_the_rows(tiny_arms, columns):
    scored = tiny_arms["relu"].scored
    rows = scored.test["accuracy"].astype(np.float64)
    assert np.array_equal(columns["relu"]["test_accuracy"], rows.mean(axis=1))
    assert columns["relu"]["test_accuracy"].dtype == np.float64
    assert set(columns["relu"]["status"]) == {"done"}


def test_a_diverged_lane_scores_what_a_constant_does(tiny, tiny_arms, columns):
    arm = tiny_arms["relu"]
    alive = np.ones(8, bool)
    alive[3] = False
    test = {name: np.array(values) for name, values in arm.scored.test.items()}
    test["loss"][3] = np.nan
    scored = arm.scored._replace(alive=alive, test=test)
    found = score_columns(tiny.task, dataclasses.replace(arm, scored=scored))
    assert found["status"].tolist() == ["done"] * 3 + ["diverged"] + ["done"] * 4
    for name, value in (("accuracy", 0.5), ("loss", math.log(2))):
        for column in ("test_{}", "test_{}_last", "validation_{}"):
            values = found[column.format(name)]
            assert values[3] == value
            same = np.delete(values == columns["relu"][column.format(name)], 3)
            assert same.all()


def test_the_table_is_by_arm_then_seed(columns):
    header, rows = table(
        columns, seeds=dict.fromkeys(columns, range(8)), learning_rate=0.01
    )
    assert header[:5] == ["arm", "learning_rate", "seed", "status", "steps"]
    assert len(rows) == 16
    assert rows[8][:4] == ["gelu", 0.01, 0, "done"]
    # Plain Python values: NumPy's would be written with their type's name.
    assert {type(value) for row in rows for value in row} == {str, float, int}


@pytest.mark.parametrize("last", [False, True], ids=["selected", "last"])
def test_lean_lanes_say_what_the_whole_ones_do(tiny, tiny_arms, columns, last):
    arm = tiny_arms["gelu"]
    kept = lean(tiny.task, arm, last=last)
    assert kept.columns.keys() == columns["gelu"].keys()
    for name, values in kept.columns.items():
        assert np.array_equal(values, columns["gelu"][name])
    values = per_example(tiny.task, kept, last=last)
    assert values.dtype == bool
    assert np.array_equal(values, per_example(tiny.task, arm, last=last))
    assert np.array_equal(kept.scored.test_rows, arm.scored.test_rows)
    # Of 40 test rows a lane a bit each is held, the rows themselves once.
    held = (kept.scored.test, kept.scored.test_last, kept.scored.test_rows)
    assert sum(memory(each) for each in jax.tree.leaves(held)) == 8 * 40 + 4 * 40


def test_lean_blocks_are_joined_as_whole_ones_are(tiny, tiny_arms):
    arm = tiny_arms["relu"]
    whole = lean(tiny.task, arm, last=False)
    parts = [choose(arm, seeds) for seeds in (range(5, 8), range(5))]
    joined = join([lean(tiny.task, part, last=False) for part in parts])
    for name in ("seeds", "columns", "scored", "curves", "weights"):
        mine, theirs = getattr(joined, name), getattr(whole, name)
        for one, other in zip(*map(jax.tree.leaves, (mine, theirs)), strict=True):
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    assert memory(joined.scored.test_rows) == 4 * 40


def test_a_lean_diverged_lane_has_the_constants_score_on_every_row(tiny, tiny_arms):
    arm = tiny_arms["relu"]
    alive = np.ones(8, bool)
    alive[3] = False
    arm = dataclasses.replace(arm, scored=arm.scored._replace(alive=alive))
    kept = per_example(tiny.task, lean(tiny.task, arm, last=False), last=False)
    assert (kept[3] == 0.5).all()
    assert np.array_equal(kept, per_example(tiny.task, arm, last=False))


def memory(array):
    """Returns the bytes that an array takes, those of a row held once counted once."""
    return math.prod(
        n for n, s in zip(array.shape, array.strides, strict=True) if s
    ) * (array.itemsize)
