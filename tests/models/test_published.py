"""The published implementations of BERT, GPT-2 and ViT, whose numbers make_fixtures wrote."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax import ShapeDtypeStruct

from research.activations.catalog import CATALOG
from research.model_configs import (
    LanguageModelConfig,
    MaskedLanguageModelConfig,
    VisionTransformerConfig,
)
from research.models.attention import causal_mask, padding_mask
from research.models.contract import Shapes
from research.models.dropout import Dropout
from research.models.transformer import Transformer
from research.models.vision import build_vit

SIZES = {"width": 16, "depth": 2, "heads": 2, "ffn": 32}
BERT = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "ffn.up": "intermediate.dense",
    "ffn.down": "output.dense",
    "norm2": "output.LayerNorm",
}
VIT = {
    "attention.query": "attention.q_proj",
    "attention.key": "attention.k_proj",
    "attention.value": "attention.v_proj",
    "attention.output": "attention.o_proj",
    "norm1": "layernorm_before",
    "ffn.up": "mlp.fc1",
    "ffn.down": "mlp.fc2",
    "norm2": "layernorm_after",
}
GPT2 = {
    "attention.query": "query",
    "attention.key": "key",
    "attention.value": "value",
    "attention.output": "attn.c_proj",
    "norm1": "ln_1",
    "ffn.up": "mlp.c_fc",
    "ffn.down": "mlp.c_proj",
    "norm2": "ln_2",
}


def published(name):
    """Returns a fixture's arrays by name; a model's parameters without `model.`."""
    with np.load(Path(__file__).parent / f"{name}.npz") as arrays:
        return {k.removeprefix("model."): jnp.asarray(arrays[k]) for k in arrays.files}


def norm(arrays, path):
    return {"scale": arrays[f"{path}.weight"], "bias": arrays[f"{path}.bias"]}


def dense(arrays, path):
    # torch's kernels are outputs × inputs.
    return {"kernel": arrays[f"{path}.weight"].T, "bias": arrays[f"{path}.bias"]}


def layers(arrays, prefix, names, *, read=dense):
    """Returns both layers' parameters as this code names them."""
    found = {}
    for index in range(2):
        layer = found.setdefault(index, {"ffn": {}, "attention": {}})
        for mine, theirs in names.items():
            path = f"{prefix}.{index}.{theirs}"
            part, _, leaf = mine.partition(".")
            if leaf:
                layer[part][leaf] = read(arrays, path)
            else:
                layer[part] = norm(arrays, path)
    return found


def run(config, activation, params, inputs, mask):
    def build():
        return Transformer(config, CATALOG[activation], length=6, rngs=nnx.Rngs(0))

    graph, shapes, _ = nnx.split(nnx.eval_shape(build), nnx.Param, ...)
    names = {path for path, _ in nnx.to_flat_state(shapes)}
    assert names == {path for path, _ in nnx.to_flat_state(nnx.State(params))}
    return nnx.merge(graph, params, {})(inputs, mask, Dropout(0.0))


def test_bert():
    arrays = published("bert")
    table = "embeddings.position_embeddings.weight"
    params = {
        # Every token is of BERT's first segment.
        "positions": arrays[table]
        + arrays["embeddings.token_type_embeddings.weight"][:1],
        "norm": norm(arrays, "embeddings.LayerNorm"),
        "layers": layers(arrays, "encoder.layer", BERT),
    }
    config = MaskedLanguageModelConfig(**SIZES, norm="post", epsilon=1e-12)
    mask = padding_mask(arrays["mask"] == 1)
    outputs = run(config, "gelu", params, arrays["inputs"], mask)
    np.testing.assert_allclose(outputs, arrays["outputs"], rtol=0, atol=1e-5)
    other = run(config, "gelu_tanh", params, arrays["inputs"], mask)
    assert jnp.abs(other - arrays["outputs"]).max() > 1e-4


def test_gpt2():
    arrays = published("gpt2")
    for index in range(2):
        # GPT-2 keeps the three projections in one array.
        for kind in ("weight", "bias"):
            whole = arrays[f"h.{index}.attn.c_attn.{kind}"]
            for name, part in zip(
                ("query", "key", "value"), jnp.split(whole, 3, axis=-1), strict=True
            ):
                arrays[f"h.{index}.{name}.{kind}"] = part

    def read(arrays, path):
        return {"kernel": arrays[f"{path}.weight"], "bias": arrays[f"{path}.bias"]}

    params = {
        "positions": arrays["wpe.weight"],
        "norm": norm(arrays, "ln_f"),
        "layers": layers(arrays, "h", GPT2, read=read),
    }
    config = LanguageModelConfig(**SIZES)
    outputs = run(config, "gelu_tanh", params, arrays["inputs"], causal_mask(6))
    np.testing.assert_allclose(outputs, arrays["outputs"], rtol=0, atol=1e-5)


def test_vit():
    arrays = published("vit")
    kernel = arrays["vit.embeddings.patch_embeddings.projection.weight"]
    params = {
        "embed": {
            "kernel": kernel.transpose(2, 3, 1, 0).reshape(12, 16),
            "bias": arrays["vit.embeddings.patch_embeddings.projection.bias"],
        },
        "class_token": arrays["vit.embeddings.cls_token"].reshape(16),
        "transformer": {
            "positions": arrays["vit.embeddings.position_embeddings"][0],
            "norm": norm(arrays, "vit.layernorm"),
            "layers": layers(arrays, "vit.layers", VIT),
        },
        "head": dense(arrays, "classifier"),
    }
    config = VisionTransformerConfig(**SIZES, patch=2, pool="class", epsilon=1e-12)
    shapes = Shapes(ShapeDtypeStruct((6, 6, 3), jnp.float32), (5,))
    model = build_vit(config, CATALOG["gelu"], shapes)
    images = arrays["inputs"].transpose(0, 2, 3, 1)
    outputs, _ = model.apply(params, {}, images, key=None, train=False)
    np.testing.assert_allclose(outputs, arrays["outputs"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["bert", "gpt2", "vit"])
def test_the_fixtures_are_small_and_draw_every_parameter(name):
    assert (Path(__file__).parent / f"{name}.npz").stat().st_size < 100_000
    for path, array in published(name).items():
        assert path == "mask" or np.unique(array).size == array.size
