"""Divided rows: complete, disjoint, by the keys alone; and their standardisation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import prng
from research.errors import ConfigError
from research.tasks.scaling import fit_scaling, scale
from research.tasks.shifts import shifted
from research.tasks.splits import in_order, redrawn, stratified


def drawn(division, seed, test_seed=None):
    test_key = None if test_seed is None else prng.stream_key("test_split", test_seed)
    return division.split(prng.stream_key("split", seed), test_key)


def rows(part):
    return np.asarray(part).tolist()


@pytest.mark.parametrize("test_seed", [None, 4])
def test_redrawn_parts_are_disjoint_and_complete(test_seed):
    division = redrawn(np.arange(7, 10), np.arange(7), validation=2)
    split = drawn(division, 3, test_seed)
    assert [len(part) for part in split] == [5, 2, 3]
    assert sorted(rows(np.concatenate(split))) == list(range(10))
    if test_seed is None:
        assert rows(split.test) == [7, 8, 9]


def test_the_keys_alone_decide():
    division = redrawn(np.arange(50, 60), np.arange(50), validation=10)
    assert rows(drawn(division, 1).train) == rows(drawn(division, 1).train)
    assert rows(drawn(division, 1).train) != rows(drawn(division, 2).train)
    assert set(rows(drawn(division, 1, 1).test)) != set(rows(drawn(division, 1).test))


def test_a_validation_part_must_leave_rows_to_train_on():
    with pytest.raises(ConfigError, match=r"task\.validation_samples=5.*below 5"):
        redrawn(np.arange(5, 7), np.arange(5), validation=5)


def test_parts_in_order_follow_one_another_whatever_the_keys():
    division = in_order(train=4, validation=2, test=3)
    split = drawn(division, 5, 6)
    assert list(map(rows, split)) == [[0, 1, 2, 3], [4, 5], [6, 7, 8]]


def test_a_stratified_test_set_has_every_classes_share():
    classes = np.repeat([0, 1, 2], [60, 30, 10])
    test, rest = stratified(classes, test=20, seed=0)
    assert np.bincount(classes[test]).tolist() == [12, 6, 2]
    assert sorted([*test, *rest]) == list(range(100))


def test_each_channel_is_standardised_over_rows_and_places():
    noise = np.random.default_rng(0).normal(size=(50, 4, 5, 2)) * [2.0, 7.0]
    inputs = jnp.asarray(3 + noise, jnp.float32)
    scaled = np.asarray(scale(fit_scaling(inputs), inputs))
    np.testing.assert_allclose(scaled.mean(axis=(0, 1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(scaled.std(axis=(0, 1, 2)), 1, atol=1e-5)


def test_many_bytes_are_summed_without_loss():
    pixels = np.full((3000, 28, 28, 1), 255, np.uint8)
    pixels[::2] = 1
    fitted = fit_scaling(jnp.asarray(pixels))
    assert float(fitted.mean[0]) == pytest.approx(128, rel=1e-6)
    assert float(fitted.std[0]) == pytest.approx(127, rel=1e-6)


def test_a_shift_moves_each_row_and_loses_only_what_leaves_it():
    inputs = np.zeros((400, 5, 6, 1), np.float32)
    inputs[:, 2, 3] = np.arange(1, 401)[:, None]
    rows = jnp.asarray(inputs)
    move = jax.jit(lambda key: shifted(key, rows, axes=(0, 1), most=2, fill=0.0))
    moved = np.asarray(move(jax.random.key(0)))
    row, y, x, _ = np.nonzero(moved)
    assert row.tolist() == list(range(400))  # nothing that stays inside is lost
    assert moved.sum() == inputs.sum()
    assert set(zip(y - 2, x - 3, strict=True)) == {
        (dy, dx) for dy in range(-2, 3) for dx in range(-2, 3)
    }
    assert np.array_equal(moved, move(jax.random.key(0)))
    assert not np.array_equal(moved, move(jax.random.key(1)))


def test_what_comes_in_is_the_filling_and_other_axes_stay():
    inputs = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    moved = np.asarray(
        shifted(jax.random.key(3), jnp.asarray(inputs), axes=(0,), most=3, fill=-1.0)
    )
    for before, after in zip(inputs, moved, strict=True):
        inside = (after != -1).all(axis=1)
        assert ((after == -1).all(axis=1) | inside).all()
        kept = after[inside].tolist()
        assert any(before[i : i + len(kept)].tolist() == kept for i in range(4))
