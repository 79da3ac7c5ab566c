"""The MLP around gated and parametric activations: widths, parameters, weights by path."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given
from hypothesis import strategies as st

from research import prng
from research.activations.catalog import CATALOG, lookup
from research.model_configs import MLPConfig
from research.models.contract import Shapes, decayed
from research.models.mlp import (
    build_mlp,
    count_parameters,
    describe_mlp,
    gated_widths,
)

ROW = Shapes(jax.ShapeDtypeStruct((2,), jnp.float32), (1,))
KINDS = {
    kind: [name for name, record in CATALOG.items() if record.kind == kind]
    for kind in ("elementwise", "gated", "parametric")
}


def mlp(name, hidden=(64, 64)):
    return build_mlp(MLPConfig(hidden=hidden), lookup(name), ROW)


def params_of(name, seed=0, **options):
    return mlp(name, **options).init(prng.stream_key("init", seed))[0]


def leaves(params) -> dict[str, np.ndarray]:
    return {
        jax.tree_util.keystr(path): np.asarray(leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(params)
    }


def size(params) -> int:
    return sum(leaf.size for leaf in jax.tree.leaves(params))


@pytest.mark.parametrize("name", CATALOG)
def test_every_kind_has_the_parameters_that_are_told(name):
    count = {"elementwise": 4417, "gated": 4456, "parametric": 4419}
    assert size(params_of(name)) == count[CATALOG[name].kind]


def test_the_model_of_an_arm_is_described():
    told = {
        name: describe_mlp(MLPConfig(), lookup(name), ROW)
        for name in ("relu", "swiglu", "prelu")
    }
    assert told == {
        "relu": "MLP 2-64-64-1",
        "swiglu": "gated MLP 2-45-45-1",
        "prelu": "MLP 2-64-64-1",
    }
    assert describe_mlp(MLPConfig(), None, ROW) == "MLP 2-64-64-1"


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=3).map(tuple),
    st.integers(1, 30),
    st.integers(1, 5),
)
def test_no_other_scale_of_the_widths_is_nearer(hidden, inputs, outputs):
    def distance(widths, projections=2):
        ends = (inputs, *widths, outputs)
        plain = count_parameters((inputs, *hidden, outputs), projections=1)
        return abs(count_parameters(ends, projections=projections) - plain)

    chosen = gated_widths(hidden, inputs=inputs, outputs=outputs)
    widest = max(hidden)
    others = (
        tuple(max(round(width * most / widest), 1) for width in hidden)
        for most in range(1, widest + 1)
    )
    assert distance(chosen) == min(map(distance, others))
    assert distance(hidden, projections=1) == 0


def test_gated_outputs_are_those_of_the_formula():
    model, x = mlp("swiglu"), jax.random.normal(jax.random.key(1), (7, 2))
    params, state = model.init(prng.stream_key("init", 0))
    params = jax.tree.map(lambda p: p + 0.1, params)  # biases that are not 0
    outputs, _ = model.apply(params, state, x, key=None, train=True)
    hidden = x
    for i in range(2):
        layer, value = params["layers"][i], params["places"][i]["value"]
        gate = hidden @ layer["kernel"] + layer["bias"][None]
        hidden = jax.nn.silu(gate) * (hidden @ value["kernel"] + value["bias"][None])
    last = params["layers"][2]
    expected = hidden @ last["kernel"] + last["bias"][None]
    np.testing.assert_allclose(outputs, expected, rtol=1e-5, atol=1e-5)


def test_parametric_layers_have_one_set_each():
    model, x = mlp("prelu"), jax.random.normal(jax.random.key(1), (7, 2))
    params, state = model.init(prng.stream_key("init", 0))
    slopes = [params["places"][i]["activation_parameters"] for i in range(2)]
    assert [float(each["negative_slope"]) for each in slopes] == [0.25, 0.25]
    slopes[0]["negative_slope"], slopes[1]["negative_slope"] = (
        jnp.float32(0.0),
        jnp.float32(-1.0),
    )
    outputs, _ = model.apply(params, state, x, key=None, train=True)
    hidden = x
    for i, slope in enumerate((0.0, -1.0)):
        layer = params["layers"][i]
        hidden = hidden @ layer["kernel"] + layer["bias"][None]
        hidden = jnp.where(hidden > 0, hidden, slope * hidden)
    last = params["layers"][2]
    expected = hidden @ last["kernel"] + last["bias"][None]
    np.testing.assert_allclose(outputs, expected, rtol=1e-5, atol=1e-6)


def test_initial_parameters_follow_the_arguments():
    places = params_of("swish_beta(init=1.5)")["places"]
    values = [float(places[i]["activation_parameters"]["beta"]) for i in range(2)]
    assert values == [1.5, 1.5]


@pytest.mark.parametrize(
    ("one", "other"),
    [("relu", "prelu"), ("prelu", "swish_beta"), ("glu", "swiglu"), ("relu", "swiglu")],
)
def test_leaves_of_equal_path_and_shape_are_equal(one, other):
    mine, theirs = leaves(params_of(one)), leaves(params_of(other))
    shared = {
        p for p in mine.keys() & theirs.keys() if mine[p].shape == theirs[p].shape
    }
    assert "['layers'][2]['bias']" in shared
    assert len(shared) == {"swiglu": 1 if one == "relu" else 10}.get(other, 6)
    for path in shared:
        assert mine[path].tobytes() == theirs[path].tobytes()


def test_gate_and_value_start_apart():
    params = params_of("glu")
    for i in range(2):
        gate, value = params["layers"][i], params["places"][i]["value"]
        assert gate["kernel"].shape == value["kernel"].shape
        assert not np.array_equal(gate["kernel"], value["kernel"])


def test_weight_decay_leaves_the_parameters_of_an_activation_alone():
    params = params_of("prelu")
    optimizer = optax.adamw(0.1, weight_decay=0.5, mask=decayed)
    still = jax.tree.map(jnp.zeros_like, params)
    updates, _ = optimizer.update(still, optimizer.init(params), params)
    moved = {path: bool(np.any(leaf)) for path, leaf in leaves(updates).items()}
    assert any(moved.values())
    for path, any_moved in moved.items():
        if "activation_parameters" in path:
            assert not any_moved
        elif "kernel" in path:
            assert any_moved


def test_what_is_learned_is_trained():
    model, x = mlp("prelu", hidden=(8, 8)), jax.random.normal(jax.random.key(1), (9, 2))
    params, state = model.init(prng.stream_key("init", 0))

    def loss(params):
        outputs, _ = model.apply(params, state, x, key=None, train=True)
        return jnp.square(outputs - 1).mean()

    slopes = leaves(jax.grad(loss)(params))
    for i, name in itertools.product(range(2), ["negative_slope"]):
        path = f"['places'][{i}]['activation_parameters']['{name}']"
        assert slopes[path] != 0
