"""Keys depend on what they are for, and on nothing else."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import prng


def bits(key) -> tuple[int, ...]:
    return tuple(np.asarray(jax.random.key_data(key)).tolist())


def test_streams_seeds_and_steps_have_keys_of_their_own():
    keys = [
        bits(prng.at_step(prng.stream_key(stream, seed), step))
        for stream, seed, step in itertools.product(prng.STREAMS, range(5), range(5))
    ]
    assert len(set(keys)) == len(keys)


def test_no_stream_moves_when_another_is_added():
    # Every result of every run hangs on these positions: streams may only be appended.
    assert prng.STREAMS[:5] == ("init", "order", "dropout", "split", "test_split")
    expected = jax.random.fold_in(jax.random.fold_in(jax.random.key(0), 3), 7)
    assert bits(prng.stream_key("split", 7)) == bits(expected)


def test_a_traced_seed_has_the_key_of_the_number():
    traced = jax.jit(lambda seed: prng.stream_key("order", seed))(jnp.int32(2**31 - 1))
    assert bits(traced) == bits(prng.stream_key("order", 2**31 - 1))


def test_a_vector_of_seeds_gives_each_its_own_key():
    keys = jax.vmap(lambda seed: prng.stream_key("init", seed))(jnp.arange(4))
    for seed in range(4):
        assert bits(keys[seed]) == bits(prng.stream_key("init", seed))


def test_a_path_has_one_key_in_every_process():
    key = prng.stream_key("init", 0)
    # CRC-32 of "layers/0/kernel": Python's own hash would change with the process.
    expected = jax.random.fold_in(key, 4194981136)
    assert bits(prng.at_path(key, "layers/0/kernel")) == bits(expected)
    paths = [f"layers/{i}/{leaf}" for i in range(50) for leaf in ("kernel", "bias")]
    assert len({bits(prng.at_path(key, path)) for path in paths}) == len(paths)


def test_an_unknown_stream_is_an_error():
    with pytest.raises(ValueError, match="tuple"):
        prng.stream_key("noise", 0)
