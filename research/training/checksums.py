"""Fingerprints of arrays, computed on the device, so that pairing is checked bit by bit."""

import math
import re

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree, UInt32


def of_array(array: Array) -> UInt32[Array, ""]:
    """Returns a 32-bit checksum of an array's bits; the order of its elements matters."""
    flat = array.reshape(-1)
    if flat.dtype.itemsize != 4:
        flat = flat.astype(jnp.float32)
    words = jax.lax.bitcast_convert_type(flat, jnp.uint32)
    odd = 2 * jnp.arange(words.shape[0], dtype=jnp.uint32) + 1
    mixed = (words ^ (words >> 16)) * jnp.uint32(2246822519)
    mixed = (mixed ^ (mixed >> 13)) * odd
    return jnp.sum(mixed ^ (mixed >> 15), dtype=jnp.uint32)


def of_leaves(tree: PyTree) -> dict[str, UInt32[Array, ""]]:
    """Returns a checksum for every leaf, named by its path and shape."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {
        f"{jax.tree_util.keystr(path)} {leaf.shape}": of_array(leaf)
        for path, leaf in leaves
    }


def numbers_in(leaf: str) -> int:
    """Returns how many numbers the leaf of this name in `of_leaves` holds."""
    _, _, shape = leaf.rpartition(" (")
    return math.prod(int(size) for size in re.findall(r"\d+", shape))


def of_tree(tree: PyTree) -> UInt32[Array, ""]:
    """Returns one checksum of all leaves of a tree, in their order."""
    total = jnp.uint32(0)
    for leaf in jax.tree.leaves(tree):
        total = total * jnp.uint32(1664525) + of_array(leaf)
    return total
