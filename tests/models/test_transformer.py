"""What the Transformers compute: who sees whom, and what the activation cannot touch."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_transformers import (
    LENGTH,
    SHAPES,
    build,
    inputs_of,
    leaves,
    tiny,
)

from research import prng
from research.activations.catalog import CATALOG
from research.models import attention
from research.models.transformer import sinusoids

KINDS = tuple(SHAPES)


def influence(kind, **fields):
    """Tells, of each output position, which input positions its gradient reaches."""
    model = tiny(kind, **fields)
    # Every position holds a token of its own, so a row of the table is a position.
    tokens = jnp.arange(LENGTH, dtype=jnp.int32)[None]

    def outputs(table):
        params = dict(model.params) | {"embed": {"embedding": table}}
        return model.outputs(tokens, params=params)[0].sum(axis=-1)

    gradient = jax.jacobian(outputs)(model.params["embed"]["embedding"])
    return np.abs(np.asarray(gradient)).sum(axis=-1)[:, :LENGTH] > 0


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_no_future_token_has_influence(norm):
    assert np.array_equal(influence("lm", norm=norm), np.tri(LENGTH, dtype=bool))


def test_the_masked_model_sees_both_sides():
    assert influence("masked_lm").all()


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_padding_has_no_influence_on_the_real_words(norm):
    model = tiny("tagger", norm=norm)
    inputs = model.inputs
    padded = ~np.asarray(inputs["mask"])
    other = np.where(padded[..., None], 7, np.asarray(inputs["tokens"]))
    before = np.asarray(model.outputs())
    after = np.asarray(model.outputs({**inputs, "tokens": jnp.asarray(other)}))
    assert np.array_equal(before[~padded], after[~padded])
    assert not np.array_equal(before[padded], after[padded])


def test_a_sentence_is_tagged_alike_however_far_it_is_padded():
    model = tiny("tagger")
    short = {name: array[1:2, :4] for name, array in model.inputs.items()}
    np.testing.assert_allclose(
        model.outputs()[1, :4], model.outputs(short)[0], rtol=1e-5, atol=1e-6
    )


def test_a_sentence_of_padding_alone_is_finite():
    model = tiny("tagger")
    empty = jax.tree.map(jnp.zeros_like, model.inputs)
    assert np.isfinite(model.outputs(empty)).all()


def test_a_word_is_the_sum_of_its_features_and_padding_adds_nothing():
    model = tiny("tagger")
    tokens = model.inputs["tokens"]
    swapped = {**model.inputs, "tokens": tokens[..., ::-1]}
    np.testing.assert_allclose(
        model.outputs(), model.outputs(swapped), rtol=1e-5, atol=1e-6
    )
    table = model.params["embed"]["embedding"]
    moved = dict(model.params) | {"embed": {"embedding": table.at[0].add(9.0)}}
    assert np.array_equal(model.outputs(), model.outputs(params=moved))


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_heads_does_not_matter(kind):
    model = tiny(kind)

    def swapped(path, leaf):
        words = [str(part.key) for part in path]
        if "attention" not in words or words[-2:] == ["output", "bias"]:
            return leaf
        axis = 0 if words[-2] == "output" else leaf.ndim - 1
        return jnp.concatenate(jnp.split(leaf, 2, axis)[::-1], axis)

    other = jax.tree_util.tree_map_with_path(swapped, model.params)
    before, after = leaves(model.params), leaves(other)
    assert sum(not np.array_equal(before[p], after[p]) for p in before) == 2 * 7
    np.testing.assert_allclose(
        model.outputs(), model.outputs(params=other), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_activation_does_not_touch_the_attention_before_it(norm, monkeypatch):
    seen, weigh = [], attention.attention_weights

    def record(*given):
        seen.append(weigh(*given))
        return seen[-1]

    monkeypatch.setattr(attention, "attention_weights", record)
    for name in ("relu", "gelu"):
        model = tiny("masked_lm", name, norm=norm)
        model.model.apply(model.params, {}, model.inputs, key=None, train=False)
    relu_first, relu_second, gelu_first, gelu_second = map(np.asarray, seen)
    assert np.array_equal(relu_first, gelu_first)
    assert not np.allclose(relu_second, gelu_second, atol=1e-6)
    np.testing.assert_allclose(relu_first.sum(axis=-1), 1, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_activation_is_called_once_a_layer(kind):
    seen = []

    def record(x):
        seen.append(x.shape)
        return jax.nn.relu(x)

    model = build(kind, replace(CATALOG["relu"], fn=record))
    jax.eval_shape(
        lambda p: model.apply(p, {}, inputs_of(kind), key=None, train=False),
        jax.eval_shape(model.init, prng.stream_key("init", 0))[0],
    )
    assert len(seen) == 2
    assert {shape[-1] for shape in seen} == {12}


def test_attention_is_the_softmax_of_the_scaled_products():
    draw = np.random.default_rng(3)
    query, key = draw.normal(size=(2, 1, 4, 1, 9))
    scores = query[0, :, 0] @ key[0, :, 0].T / 3
    expected = np.exp(scores) * np.tril(np.ones((4, 4)))
    expected /= expected.sum(axis=1, keepdims=True)
    found = attention.attention_weights(
        jnp.asarray(query, jnp.float32),
        jnp.asarray(key, jnp.float32),
        attention.causal_mask(4),
    )
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-5, atol=1e-7)
    large = attention.attention_weights(
        jnp.full((1, 4, 1, 9), 1e4), jnp.full((1, 4, 1, 9), 1e4), None
    )
    np.testing.assert_allclose(large, 0.25)


def test_sinusoids_are_those_of_the_paper():
    found = sinusoids(50, 8)
    for position in (0, 1, 49):
        for pair in range(4):
            angle = position / 10000 ** (2 * pair / 8)
            np.testing.assert_allclose(
                found[position, 2 * pair : 2 * pair + 2],
                [np.sin(angle), np.cos(angle)],
                atol=1e-6,
            )
    assert sinusoids(3, 5).shape == (3, 5)


@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_positions_are_told_apart(positions):
    model = tiny("masked_lm", positions=positions)
    assert ("transformer/positions" in leaves(model.params)) == (positions == "learned")
    same = np.asarray(model.outputs(jnp.ones((1, LENGTH), jnp.int32)))[0]
    apart = np.abs(same[:, None] - same[None]).max(axis=-1)
    assert (apart[~np.eye(LENGTH, dtype=bool)] > 1e-4).all()


@pytest.mark.parametrize("kind", KINDS)
def test_lanes_together_are_lanes_alone(kind):
    lanes = [tiny(kind, seed=seed) for seed in range(3)]
    model, inputs = lanes[0].model, lanes[0].inputs
    stacked = jax.tree.map(
        lambda *leaves: jnp.stack(leaves), *(x.params for x in lanes)
    )
    together = jax.jit(
        jax.vmap(lambda p: model.apply(p, {}, inputs, key=None, train=False)[0])
    )(stacked)
    for lane, found in zip(lanes, together, strict=True):
        np.testing.assert_allclose(found, lane.outputs(), rtol=1e-4, atol=1e-5)
    assert np.abs(np.asarray(together[0] - together[1])).max() > 0.1


@pytest.mark.parametrize(
    ("kind", "activation"),
    [(kind, "gelu") for kind in KINDS] + [("lm", "swiglu"), ("lm", "prelu")],
)
def test_half_precision_is_near_and_stays_half(kind, activation):
    fields = {"pool": "class"} if kind == "vit" else {"positions": "sinusoidal"}
    model = tiny(kind, activation, **fields)

    def half(tree):
        return jax.tree.map(
            lambda x: x.astype("bfloat16") if x.dtype == jnp.float32 else x, tree
        )

    found = model.outputs(half(model.inputs), params=half(model.params))
    assert found.dtype == jnp.bfloat16
    whole = np.asarray(model.outputs())
    assert np.abs(np.asarray(found, np.float32) - whole).max() < 0.1
    assert np.abs(whole).max() > 0.5
