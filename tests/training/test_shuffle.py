"""The shuffle and the checksum of what it draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from research.training.step import PACKED_ROWS, fold_rows, shuffle


@pytest.mark.parametrize("count", [1, 2, 3, 64, 1200, PACKED_ROWS, PACKED_ROWS + 1])
def test_a_shuffle_is_a_permutation(count):
    rows = jnp.arange(count, dtype=jnp.int32) * 3 + 5
    drawn = np.asarray(shuffle(jax.random.key(0), rows))
    assert drawn.dtype == np.int32
    assert np.array_equal(np.sort(drawn), rows)
    if count > 3:
        assert not np.array_equal(drawn, rows)
        assert not np.array_equal(drawn, shuffle(jax.random.key(1), rows))
    assert np.array_equal(drawn, shuffle(jax.random.key(0), rows))


@pytest.mark.parametrize(
    ("count", "draws"), [(5, 20_000), (1200, 4000), (PACKED_ROWS, 2000), (5000, 500)]
)
def test_every_place_is_as_likely(count, draws):
    # Fixed keys: the outcome is the same each time, and this bound is not by luck.
    keys = jax.vmap(lambda i: jax.random.fold_in(jax.random.key(7), i))(
        jnp.arange(draws)
    )
    rows = jnp.arange(count, dtype=jnp.int32)

    @jax.jit
    def places(keys):
        drawn = jax.lax.map(lambda key: shuffle(key, rows), keys, batch_size=100)
        return jnp.argmax(drawn == 0, axis=1), jnp.argmax(drawn == count - 1, axis=1)

    first, last = map(np.asarray, places(keys))
    bins = min(count, 10)
    for place in (first, last):
        seen = np.bincount(place * bins // count, minlength=bins)
        assert stats.chisquare(seen).pvalue > 0.001
    # Ties of the packed words keep the order of the rows: that must not show.
    assert stats.binomtest(int((first < last).sum()), draws).pvalue > 0.001


def test_the_checksum_of_rows_knows_their_order():
    rows = jnp.asarray([3, 1, 4, 0], jnp.int32)

    def folded(*batches) -> int:
        total = jnp.uint32(0)
        for batch in batches:
            total = fold_rows(total, jnp.asarray(batch, jnp.int32))
        return int(total)

    assert folded(rows) == folded(rows)
    assert folded(rows) != folded(rows[::-1])
    assert folded(rows, rows[::-1]) != folded(rows[::-1], rows)
    assert folded([0, 1], [2, 3]) != folded([0, 2], [1, 3])
    assert folded([0]) != folded([1]) != 0
