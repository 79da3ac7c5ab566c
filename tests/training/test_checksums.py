"""Checksums: equal for equal bits, different for any change that could hide."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.training.checksums import of_array, of_leaves, of_tree

ARRAY = jax.random.normal(jax.random.key(0), (6, 5))


def test_any_bit_and_any_place_matter():
    changed = np.asarray(ARRAY).copy()
    changed[2, 3] = np.nextafter(changed[2, 3], 9, dtype=np.float32)
    others = [
        jnp.asarray(changed),
        ARRAY[::-1],
        ARRAY.T,
        -ARRAY,
        jnp.zeros_like(ARRAY),
        jnp.zeros_like(ARRAY).at[0, 0].set(-0.0),
    ]
    sums = {int(of_array(array)) for array in (ARRAY, *others)}
    assert len(sums) == 7
    assert int(of_array(ARRAY)) == int(jax.jit(of_array)(ARRAY))


@pytest.mark.parametrize("dtype", [jnp.int32, jnp.uint32, jnp.bfloat16, jnp.bool_])
def test_other_types_have_checksums_too(dtype):
    array = jnp.asarray([0, 1, 0, 1, 1], dtype)
    assert int(of_array(array)) != int(of_array(array[::-1]))


def test_leaves_are_named_by_path_and_shape():
    tree = {"layers": {0: {"kernel": ARRAY, "bias": ARRAY[0]}}}
    sums = of_leaves(tree)
    assert set(sums) == {"['layers'][0]['kernel'] (6, 5)", "['layers'][0]['bias'] (5,)"}
    assert int(sums["['layers'][0]['kernel'] (6, 5)"]) == int(of_array(ARRAY))


def test_a_tree_knows_which_leaf_is_which():
    one, other = ARRAY[0], ARRAY[1]
    assert int(of_tree({"a": one, "b": other})) == int(of_tree([one, other]))
    assert int(of_tree({"a": one, "b": other})) != int(of_tree({"a": other, "b": one}))
