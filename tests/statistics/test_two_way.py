import itertools

import numpy as np
import pytest

from research.statistics.two_way import Table, two_way


def full(values):
    rows, columns = values.shape
    return Table(
        values - values.mean(),
        np.tile(np.arange(columns), (rows, 1)),
        np.full(columns, rows),
    )


@pytest.mark.parametrize("shape", [(2, 2), (3, 7), (8, 5)])
def test_a_full_table_is_the_analysis_of_variance(shape):
    values = np.random.default_rng(1).exponential(size=shape)
    rows, columns = shape
    found = two_way(full(values))
    of_rows, of_columns = values.mean(axis=1), values.mean(axis=0)
    residual = values - of_rows[:, None] - of_columns[None] + values.mean()
    assert found.rows == pytest.approx(of_rows.var(ddof=1) / rows)
    assert found.columns == pytest.approx(of_columns.var(ddof=1) / columns)
    assert found.interaction == pytest.approx(
        np.sum(residual**2) / ((rows - 1) * (columns - 1) * rows * columns)
    )


def test_the_bootstrap_of_rows_and_columns_is_that_of_every_resample():
    values = np.random.default_rng(2).normal(size=(3, 4))
    means = [
        values[np.ix_(rows, columns)].mean()
        for rows in itertools.product(range(3), repeat=3)
        for columns in itertools.product(range(4), repeat=4)
    ]
    assert two_way(full(values)).resampled == pytest.approx(np.var(means))


def test_a_table_with_gaps_resamples_as_its_weighted_mean_does():
    generator = np.random.default_rng(3)
    columns = np.stack([generator.permutation(90)[:40] for _ in range(30)])
    uses = np.bincount(columns.ravel(), minlength=90)
    values = generator.normal(size=(30, 1)) / 4 + generator.normal(size=90)[columns]
    by_row = generator.multinomial(30, np.full(30, 1 / 30), size=4_000)
    by_column = generator.multinomial(90, np.full(90, 1 / 90), size=4_000)
    weights = [
        rows[:, None] * drawn[columns]
        for rows, drawn in zip(by_row, by_column, strict=True)
    ]
    means = [np.average(values, weights=each) for each in weights]
    found = two_way(Table(values - values.mean(), columns, uses))
    assert found.resampled == pytest.approx(np.var(means), rel=0.1)


@pytest.mark.parametrize("shape", [(2, 2), (30, 40)])
def test_a_full_table_needs_no_columns_named(shape):
    table = full(np.random.default_rng(4).normal(size=shape))
    unnamed = Table(table.cells, None, table.uses)
    assert np.array_equal(unnamed.column_sums, table.column_sums)
    assert two_way(unnamed) == two_way(table)


def test_an_additive_table_has_no_interaction_and_equal_rows_no_row_part():
    additive = np.arange(4.0)[:, None] + np.array([0.0, 5.0, 1.0])[None]
    found = two_way(full(additive))
    assert found.interaction == pytest.approx(0, abs=1e-15)
    assert found.both == pytest.approx(found.rows + found.columns)
    equal = two_way(full(np.tile([0.0, 5.0, 1.0], (4, 1))))
    assert (equal.rows, equal.row_part, equal.interaction) == (0.0, 0.0, 0.0)
    assert equal.both == equal.columns > 0


@pytest.mark.parametrize("pool", [25, 60])
def test_moments_are_unbiased_where_rows_share_some_columns(pool):
    generator = np.random.default_rng(4)
    popularity = np.linspace(0, 8, pool)  # some columns are in all rows, some in few
    found, means = [], []
    for _ in range(1_500):
        ranks = popularity + generator.gumbel(size=(12, pool))
        columns = np.argsort(ranks, axis=1)[:, -20:]
        values = (
            generator.normal(size=(12, 1))
            + 3 * generator.normal(size=pool)[columns]
            + generator.normal(size=(12, 20))
        )
        used, places = np.unique(columns, return_inverse=True)
        places = places.reshape(columns.shape)
        table = Table(values - values.mean(), places, np.bincount(places.ravel()))
        assert len(used) == len(table.uses)
        found.append(two_way(table))
        means.append(values.mean())
    both = np.mean([each.both for each in found])
    assert both == pytest.approx(np.var(means), rel=0.12)
    interaction = np.mean([each.interaction for each in found])
    assert interaction == pytest.approx(1 / (12 * 20), rel=0.04)
