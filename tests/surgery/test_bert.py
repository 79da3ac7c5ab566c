"""BERT's encoder beside the published code's numbers, and tensors that do not fit."""

import jax.numpy as jnp
import numpy as np
import pytest
import tiny_checkpoint
from flax import nnx

from research.errors import DataError
from research.models.attention import padding_mask
from research.surgery.checkpoint import read_checkpoint
from research.surgery.encoder import NO_DROPOUT, through, trace
from research.surgery.reading import read_pretrained

LAST = "bert.encoder.layer.1.output.dense.weight"


@pytest.fixture(scope="module")
def pretrained():
    return read_pretrained(read_checkpoint(tiny_checkpoint.FOLDER))


@pytest.fixture
def folder(tmp_path):
    return tiny_checkpoint.copied(tmp_path / "tiny")


def test_a_pair_gives_the_published_numbers(pretrained):
    arrays = tiny_checkpoint.published()
    batch = tiny_checkpoint.batch(arrays, "pair")
    assert batch.segments.any()
    found = trace(pretrained, pretrained.params, batch, swaps={})
    np.testing.assert_allclose(found.hidden, arrays["pair_hidden"], rtol=0, atol=1e-5)


def test_a_layer_and_what_it_gives_on_the_way_are_those_of_the_models(pretrained):
    batch = tiny_checkpoint.batch(tiny_checkpoint.published(), "sentences")
    encoder = nnx.merge(pretrained.graph, pretrained.params, {})
    x, mask = encoder(batch, NO_DROPOUT).hidden[0], padding_mask(batch.real)
    layer = encoder.transformer.layers[0]
    output, units = through(layer, x, mask, NO_DROPOUT)
    np.testing.assert_array_equal(output, layer(x, mask, NO_DROPOUT))
    assert units.shape == (*batch.tokens.shape, 32)


def test_what_is_read_and_what_is_named_as_skipped(pretrained):
    assert pretrained.heads == ("pooler", "masked_lm")
    assert pretrained.skipped == (
        "cls.seq_relationship.bias",
        "cls.seq_relationship.weight",
    )
    assert (pretrained.family, pretrained.classes) == ("bert", ())
    assert pretrained.dropout == 0.1
    assert pretrained.title == "BERT 2×16, 2 heads, FFN 32, post-norm"


def renamed(tensors):
    """As the first checkpoints are: TensorFlow's names, and a buffer of positions."""
    names = {
        name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        )
        for name in tensors
    }
    positions = {"bert.embeddings.position_ids": np.arange(48)[None]}
    return {names[name]: array for name, array in tensors.items()} | positions


def bare(tensors):
    """As BertModel's own checkpoints are: without prefix and heads."""
    return {
        name.removeprefix("bert."): array
        for name, array in tensors.items()
        if name.startswith("bert.")
    }


@pytest.mark.parametrize("change", [renamed, bare])
def test_other_names_of_the_same_tensors(folder, pretrained, change):
    other = read_pretrained(read_checkpoint(tiny_checkpoint.changed(folder, change)))
    whole = dict(nnx.to_flat_state(nnx.State(pretrained.params)))
    found = dict(nnx.to_flat_state(nnx.State(other.params)))
    left = {path for path in whole if "masked_lm" in path and change is bare}
    assert found.keys() == whole.keys() - left
    for path, leaf in found.items():
        assert jnp.array_equal(leaf, whole[path])


def without(tensors):
    return {name: array for name, array in tensors.items() if name != LAST}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            without,
            ["tensor encoder.layer.1.output.dense.weight", "(16, 32) is missing"],
        ),
        (
            lambda tensors: tensors | {LAST: tensors[LAST].T.copy()},
            [LAST, "has shape (32, 16)", "must be (16, 32)"],
        ),
        (
            lambda tensors: tensors | {"bert.encoder.layer.2.x": np.zeros((3, 1))},
            ["tensor bert.encoder.layer.2.x of shape (3, 1) belongs to no part"],
        ),
        (
            lambda tensors: tensors | {LAST.removeprefix("bert."): tensors[LAST]},
            ["one and the same"],
        ),
    ],
)
def test_a_tensor_that_does_not_fit_is_named(folder, change, words):
    with pytest.raises(DataError) as caught:
        read_pretrained(read_checkpoint(tiny_checkpoint.changed(folder, change)))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"hidden_size": None}, "hidden_size is missing; it must be a whole number"),
        ({"num_hidden_layers": True}, "num_hidden_layers=True"),
        ({"num_hidden_layers": 10**12}, "num_hidden_layers=1000.*at most the 46"),
        ({"num_hidden_layers": 1}, "encoder.layer.1.* belongs to no part"),
        ({"num_attention_heads": 3}, "num_attention_heads=3.*hidden_size=16"),
        ({"layer_norm_eps": "1e-12"}, "layer_norm_eps='1e-12'"),
        ({"position_embedding_type": "relative_key"}, "must be absolute"),
        ({"is_decoder": True}, "is_decoder=True: must be false"),
        ({"hidden_act": "prelu"}, "hidden_act='prelu'.*without parameters"),
        ({"vocab_size": 99}, r"word_embeddings.*\(170, 16\).*\(99, 16\)"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(folder, fields, words):
    checkpoint = read_checkpoint(tiny_checkpoint.configured(folder, **fields))
    with pytest.raises(DataError, match=words):
        read_pretrained(checkpoint)
