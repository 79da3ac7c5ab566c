"""The MLP: its shapes, its parameters by path, its initialisers, its linear case."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import prng
from research.activations.catalog import CATALOG
from research.model_configs import INITIALIZERS, MLPConfig
from research.models.contract import KERNEL_INITIALIZERS, Shapes
from research.models.mlp import build_mlp, describe_mlp

ROW = Shapes(jax.ShapeDtypeStruct((2,), jnp.float32), (1,))
RELU = CATALOG["relu"]


def mlp(hidden=(64, 64), activation=RELU, initializer="lecun_normal"):
    config = MLPConfig(hidden=hidden, initializer=initializer)
    return build_mlp(config, activation, ROW)


def params_of(seed=0, **options):
    return mlp(**options).init(prng.stream_key("init", seed))[0]


def leaves(params) -> dict[str, np.ndarray]:
    return {
        jax.tree_util.keystr(path): np.asarray(leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(params)
    }


def test_shapes_and_parameter_count():
    params = params_of()
    shapes = [leaf.shape for leaf in jax.tree.leaves(params)]
    assert sorted(shapes) == sorted([(2, 64), (64,), (64, 64), (64,), (64, 1), (1,)])
    assert sum(math.prod(shape) for shape in shapes) == 4417
    assert describe_mlp(MLPConfig(), None, ROW) == "MLP 2-64-64-1"


def test_outputs_are_those_of_the_formula():
    model, x = mlp(), jax.random.normal(jax.random.key(1), (7, 2))
    params, state = model.init(prng.stream_key("init", 0))
    outputs, after = model.apply(params, state, x, key=None, train=True)
    hidden = x
    layers = params["layers"]
    for i in range(3):
        layer = layers[i]
        hidden = hidden @ layer["kernel"] + layer["bias"][None]
        hidden = jnp.maximum(hidden, 0) if i < 2 else hidden
    np.testing.assert_allclose(outputs, hidden, rtol=1e-5, atol=1e-6)
    assert jax.tree.leaves(after) == jax.tree.leaves(state) == []


def test_the_activation_does_not_enter_the_weights():
    relu, gelu = (leaves(params_of(activation=CATALOG[n])) for n in ("relu", "gelu"))
    assert relu.keys() == gelu.keys()
    for path, leaf in relu.items():
        assert leaf.tobytes() == gelu[path].tobytes()


@pytest.mark.parametrize(
    ("other", "same"),
    [((64, 64, 64), "01"), ((64, 32), "0"), ((64,), "0"), ((64, 64, 8), "01")],
)
def test_a_layer_keeps_its_weights_when_others_change(other, same):
    mine, theirs = params_of(), params_of(hidden=other)
    for i in map(int, same):
        assert np.array_equal(
            mine["layers"][i]["kernel"], theirs["layers"][i]["kernel"]
        )


def test_layers_and_seeds_have_weights_of_their_own():
    square = params_of(hidden=(8, 8, 8))["layers"]
    assert not np.array_equal(square[1]["kernel"], square[2]["kernel"])
    for path, leaf in leaves(params_of(seed=1)).items():
        differs = not np.array_equal(leaf, leaves(params_of())[path])
        assert differs == ("kernel" in path)


def test_every_name_has_its_initialiser():
    assert tuple(KERNEL_INITIALIZERS) == INITIALIZERS


@pytest.mark.parametrize("name", INITIALIZERS)
def test_initialisers_have_their_scale(name):
    rows, columns = 600, 300
    params = params_of(hidden=(rows, columns), initializer=name)
    kernel = np.asarray(params["layers"][1]["kernel"], np.float64)
    variance = {
        "lecun": 1 / rows,
        "he": 2 / rows,
        "glorot": 2 / (rows + columns),
        "orthogonal": 1 / rows,
    }[name.split("_")[0]]
    assert kernel.mean() == pytest.approx(0, abs=4 * math.sqrt(variance / kernel.size))
    assert kernel.var() == pytest.approx(variance, rel=0.02)
    if name.endswith("uniform"):
        assert np.abs(kernel).max() == pytest.approx(math.sqrt(3 * variance), rel=1e-3)
    elif name.endswith("normal"):
        assert np.abs(kernel).max() > 2.2 * math.sqrt(variance)
    else:
        np.testing.assert_allclose(kernel.T @ kernel, np.eye(columns), atol=1e-5)
    assert not np.any(params["layers"][1]["bias"])


def test_the_identity_network_is_one_affine_map():
    model = mlp(activation=CATALOG["identity"])
    params, state = model.init(prng.stream_key("init", 0))
    key = jax.random.key(2)
    params = jax.tree.map(  # biases of 0 would hide a bias left out
        lambda p: p + 0.1 * jax.random.normal(key, p.shape), params
    )
    weight, bias = np.eye(2), np.zeros((1, 2))
    for i in range(3):
        layer = params["layers"][i]
        kernel = np.asarray(layer["kernel"], np.float64)
        weight, bias = weight @ kernel, bias @ kernel + np.asarray(layer["bias"])
    x = jax.random.normal(key, (50, 2))
    outputs, _ = model.apply(params, state, x, key=None, train=False)
    np.testing.assert_allclose(outputs, np.asarray(x) @ weight + bias, 1e-5, 1e-5)
    relu, _ = mlp().apply(params, state, x, key=None, train=False)
    assert np.abs(np.asarray(relu) - np.asarray(outputs)).max() > 0.1
