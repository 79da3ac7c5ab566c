"""Tiny Transformers of every kind, with inputs, for the tests beside this file."""

import zlib
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from research import prng
from research.activations.catalog import Activation, lookup
from research.model_configs import MODELS
from research.models.contract import Model, Shapes
from research.models.language import build_lm, build_masked_lm
from research.models.tagger import build_tagger
from research.models.vision import build_vit

LENGTH, TOKENS, CLASSES, BATCH = 6, 11, 5, 3
SIZES = {"width": 8, "depth": 2, "heads": 2, "ffn": 12}
BUILD = {
    "vit": build_vit,
    "lm": build_lm,
    "masked_lm": build_masked_lm,
    "tagger": build_tagger,
}
ONE = jax.ShapeDtypeStruct
SHAPES = {
    "vit": Shapes(ONE((6, 4, 3), jnp.float32), (CLASSES,)),
    "lm": Shapes(ONE((LENGTH,), jnp.int32), (LENGTH, TOKENS), TOKENS),
    "masked_lm": Shapes(ONE((LENGTH,), jnp.int32), (LENGTH, TOKENS - 1), TOKENS),
    "tagger": Shapes(
        {"tokens": ONE((LENGTH, 2), jnp.int32), "mask": ONE((LENGTH,), bool)},
        (LENGTH, CLASSES),
        TOKENS,
    ),
}


class Tiny(NamedTuple):
    """A model with parameters and a batch of inputs."""

    model: Model
    params: Any
    inputs: Any

    def outputs(self, inputs: Any = None, *, params: Any = None, key: Any = None):
        """Returns the outputs; with a key those of training."""
        given = self.inputs if inputs is None else inputs
        params = self.params if params is None else params
        train = key is not None
        return self.model.apply(params, {}, given, key=key, train=train)[0]


def config_of(kind: str, **fields: Any) -> Any:
    """Returns a tiny config."""
    return replace(MODELS.by_name[kind](), **(SIZES | fields))


def build(kind: str, activation: str | Activation = "gelu", **fields: Any) -> Model:
    """Returns a tiny model."""
    record = lookup(activation) if isinstance(activation, str) else activation
    return BUILD[kind](config_of(kind, **fields), record, SHAPES[kind])


def tiny(
    kind: str, activation: str | Activation = "gelu", *, seed: int = 0, **fields: Any
) -> Tiny:
    """Returns a tiny model with a batch, and parameters none of which is 0 or 1."""
    model = build(kind, activation, **fields)
    return Tiny(model, drawn(model, seed=seed), inputs_of(kind))


def drawn(model: Model, *, seed: int = 0) -> Any:
    """Returns parameters drawn by NumPy, by path, as init draws them: far sooner.

    JAX would spend seconds on compiling every shape's draw.
    """
    shapes, state = jax.eval_shape(model.init, prng.stream_key("init", 0))
    assert not jax.tree.leaves(state)

    def draw(path: Any, leaf: Any) -> jax.Array:
        words = "/".join(str(part.key) for part in path)
        noise = np.random.default_rng([seed, zlib.crc32(words.encode())])
        spread = leaf.shape[0] ** -0.5 if words.endswith("kernel") else 0.3
        centre = 1.0 if words.endswith("scale") else 0.0
        return jnp.asarray(noise.normal(centre, spread, leaf.shape), jnp.float32)

    return jax.tree_util.tree_map_with_path(draw, shapes)


def inputs_of(kind: str) -> Any:
    """Returns a batch; of the tagger's sentences two end in padding."""
    draw = np.random.default_rng(1)
    if kind == "vit":
        return jnp.asarray(draw.normal(size=(BATCH, 6, 4, 3)).astype(np.float32))
    if kind != "tagger":
        return jnp.asarray(draw.integers(TOKENS, size=(BATCH, LENGTH)).astype(np.int32))
    mask = np.arange(LENGTH)[None] < np.array([LENGTH, 4, 1])[:, None]
    tokens = draw.integers(1, TOKENS, size=(BATCH, LENGTH, 2)) * mask[..., None]
    return {"tokens": jnp.asarray(tokens.astype(np.int32)), "mask": jnp.asarray(mask)}


def leaves(tree: Any) -> dict[str, np.ndarray]:
    """Returns a tree's leaves by path."""
    return {
        "/".join(str(part.key) for part in path): np.asarray(leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(tree)
    }
