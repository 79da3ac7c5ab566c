"""Dropout: masks from the step's key and the place's path, equal under every arm."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_transformers import tiny

from research import prng
from research.models import dropout as module
from research.models.dropout import Dropout

KEY = prng.stream_key("dropout", 0)


def masks(activation, *, key=KEY, **fields):
    """Returns every mask that a forward pass drops by, by the path of its place."""
    found, dropped = {}, Dropout.__call__

    def record(self, x):
        found[self.path] = np.asarray(dropped(self, jnp.ones_like(x)))
        return dropped(self, x)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.Dropout, "__call__", record)
        model = tiny("masked_lm", activation, dropout=0.25, **fields)
        model.model.apply(model.params, {}, model.inputs, key=key, train=True)
    return found


def test_masks_are_equal_across_arms_and_orders_and_differ_across_steps_and_places():
    relu, swiglu = masks("relu"), masks("swiglu", norm="post")
    places = {f"layers/{i}/{name}" for i in (0, 1) for name in ("attention", "ffn")}
    weights = {f"layers/{i}/attention/weights" for i in (0, 1)}
    assert relu.keys() == swiglu.keys() == {"embedding"} | places | weights
    for path, mask in relu.items():
        assert np.array_equal(mask, swiglu[path])
    next_step = masks("relu", key=prng.at_step(KEY, 1))
    for path, mask in relu.items():
        assert not np.array_equal(mask, next_step[path])
    assert len({relu[path].tobytes() for path in relu}) == len(relu)


def test_a_mask_drops_its_share_and_keeps_the_mean():
    dropped = Dropout(0.25, KEY, "place")(jnp.ones(40_000))
    assert set(np.unique(dropped)) == {np.float32(0), np.float32(1 / 0.75)}
    assert float((dropped == 0).mean()) == pytest.approx(0.25, abs=0.01)
    half = Dropout(0.25, KEY, "place")(jnp.ones(40_000, jnp.bfloat16))
    assert half.dtype == jnp.bfloat16
    assert np.array_equal(half == 0, dropped == 0)


def test_every_shape_has_a_mask():
    for shape in ((), (1,), (7,), (3, 5)):
        assert Dropout(0.5, KEY, "place")(jnp.ones(shape)).shape == shape
    # One draw gives two numbers; they are not the same.
    pairs = np.asarray(Dropout(0.5, KEY, "place")(jnp.ones((4000, 2)))) > 0
    assert (pairs[:, 0] == pairs[:, 1]).mean() == pytest.approx(0.5, abs=0.04)


def test_a_place_is_known_by_its_whole_path():
    there = Dropout(0.5, KEY).at("layers", 1).at("ffn")
    assert there.path == "layers/1/ffn"
    x = jnp.ones(64)
    assert np.array_equal(there(x), Dropout(0.5, KEY, "layers/1/ffn")(x))
    assert not np.array_equal(there(x), there.at("deeper")(x))


def test_nothing_is_dropped_when_not_training_or_at_rate_0():
    kept, dropped = tiny("vit"), tiny("vit", dropout=0.5)
    assert np.array_equal(kept.outputs(), dropped.outputs())
    assert np.array_equal(kept.outputs(), kept.outputs(key=KEY))
    assert not np.allclose(dropped.outputs(), dropped.outputs(key=KEY), atol=1e-3)


def test_training_with_dropout_asks_for_a_key():
    model = tiny("vit", dropout=0.5)
    with pytest.raises(AssertionError, match="the step's key"):
        jax.eval_shape(
            lambda: model.model.apply(
                model.params, {}, model.inputs, key=None, train=True
            )
        )
