"""The per-seed table: means in float64, and what a diverged lane scores."""

import dataclasses
import math

import numpy as np
import pytest

from research.experiment.scores import score_columns, table


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
