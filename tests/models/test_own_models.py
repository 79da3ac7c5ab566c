"""A user's own model: an NNX module, a Linen module, a pair, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny_experiment

from research import prng
from research.activations.catalog import CATALOG
from research.errors import ConfigError, InvalidComparison
from research.model_configs import OwnModelConfig
from research.models.contract import Shapes
from research.models.own import build_own, describe_own

ROW = Shapes(jax.ShapeDtypeStruct((2,), jnp.float32), (1,))
FILE = """
import jax, jax.numpy as jnp
from flax import linen, nnx

class Net(nnx.Module):
    def __init__(self, activation, inputs, outputs, rngs):
        self.first = nnx.Linear(inputs, 5, rngs=rngs)
        self.last = nnx.Linear(5, outputs, rngs=rngs)
        self.activation = activation

    def __call__(self, x):
        return self.last(self.activation(self.first(x)))

class Dropped(Net):
    def __init__(self, activation, inputs, outputs, rngs):
        super().__init__(activation, inputs, outputs, rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

def by_nnx(*, activation, inputs, outputs, rngs):
    return Net(activation, inputs, outputs, rngs)

class Flat(linen.Module):
    activation: object
    outputs: int

    @linen.compact
    def __call__(self, x):
        x = self.activation(linen.Dense(5)(x))
        return linen.Dense(self.outputs)(x)

def by_linen(*, activation, inputs, outputs):
    return Flat(activation, outputs)

def by_pair(*, activation, inputs, outputs):
    def init(key):
        return {"w": jax.random.normal(key, (inputs, outputs))}, ()

    def apply(params, state, x, *, key, train):
        return activation(x @ params["w"]), state

    return init, apply

def unwired(*, activation, inputs, outputs):
    init, apply = by_pair(activation=lambda x: x, inputs=inputs, outputs=outputs)
    return init, apply

def wide(*, activation, inputs, outputs):
    return by_pair(activation=activation, inputs=inputs, outputs=outputs + 1)

def number(*, activation, inputs, outputs):
    return 3

def narrow(activation):
    return 3

def fails(*, activation, inputs, outputs):
    raise RuntimeError("no such layer")

def fails_nnx(*, activation, inputs, outputs, rngs):
    raise RuntimeError("no such layer")

def exits(*, activation, inputs, outputs):
    raise SystemExit(0)

def exits_late(*, activation, inputs, outputs):
    init, _ = by_pair(activation=activation, inputs=inputs, outputs=outputs)
    return init, lambda params, state, x, *, key, train: exit()

def untraceable(*, activation, inputs, outputs):
    init, _ = by_pair(activation=activation, inputs=inputs, outputs=outputs)
    return init, lambda params, state, x, *, key, train: (x if x.sum() > 0 else x, state)
"""


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "nets.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("by_nnx", 21), ("Net", 21), ("by_linen", 21), ("by_pair", 2)],
)
def test_the_three_forms_train_as_models(place, name, parameters):
    config = OwnModelConfig(name=f"{place}:{name}")
    assert describe_own(config, None, ROW) == f"nets.{name}, 2 in and 1 out"
    model = build_own(config, CATALOG["relu"], ROW)
    key = prng.stream_key("init", 3)
    params, state = model.init(key)
    assert sum(leaf.size for leaf in jax.tree.leaves(params)) == parameters
    again, other = model.init(key)[0], model.init(prng.stream_key("init", 4))[0]
    for mine, same in zip(*map(jax.tree.leaves, (params, again)), strict=True):
        assert np.array_equal(mine, same)
    assert any(
        not np.array_equal(mine, theirs)
        for mine, theirs in zip(*map(jax.tree.leaves, (params, other)), strict=True)
    )
    x = jnp.ones((4, 2))
    outputs, _ = jax.jit(
        lambda p: model.apply(p, state, x, key=prng.at_step(key, 0), train=True)
    )(params)
    assert outputs.shape == (4, 1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "has no function missing"),
        ("number", "must return an nnx.Module .* not a int"),
        ("wide", r"must give one array of shape \(16, 1\) for 16 rows, not \(16, 2\)"),
        ("narrow", "building it failed, TypeError"),
        ("fails", "building it failed, RuntimeError: no such layer"),
        ("fails_nnx", "building it failed, RuntimeError: no such layer"),
        ("exits", "building it failed, SystemExit: 0"),
        ("exits_late", "cannot be trained, SystemExit"),
        ("Dropped", "keeps state beside its parameters"),
        ("untraceable", "cannot be trained, TracerBoolConversionError"),
    ],
)
def test_wrong_ones_are_refused_in_words(place, name, words):
    with pytest.raises(ConfigError, match=words) as refusal:
        tiny_experiment(model={"name": f"{place}:{name}"})
    assert "\n" not in str(refusal.value)
    assert "model.name=" in str(refusal.value)


def test_a_model_that_never_calls_its_activation_is_no_comparison(place):
    with pytest.raises(InvalidComparison, match="relu: the model never calls"):
        tiny_experiment(model={"name": f"{place}:unwired"})
