"""Every tensor of a checkpoint is used once or named as skipped; all else is refused."""

import jax
import numpy as np
import pytest
import tiny_checkpoint
from flax import nnx
from safetensors.numpy import load_file

from research.errors import DataError
from research.models.attention import causal_mask, padding_mask
from research.models.dropout import Dropout
from research.surgery.checkpoint import read_checkpoint
from research.surgery.encoder import NO_DROPOUT, trace
from research.surgery.families import FAMILIES
from research.surgery.reading import read_pretrained
from research.surgery.text import read_tokenizer, tokenize

# A checkpoint, and tensors of it of different kinds.
TENSORS = {
    "tiny_bert": (
        "cls.predictions.transform.LayerNorm.bias",
        "bert.pooler.dense.weight",
    ),
    "tiny_bert_classifier": ("classifier.weight", "bert.pooler.dense.bias"),
    "tiny_roberta": ("lm_head.bias", "roberta.embeddings.position_embeddings.weight"),
    "tiny_roberta_classifier": ("classifier.out_proj.weight", "classifier.dense.bias"),
    "tiny_distilbert": (
        "vocab_transform.weight",
        "distilbert.transformer.layer.1.ffn.lin2.weight",
    ),
    "tiny_distilbert_classifier": ("pre_classifier.bias", "classifier.weight"),
    "tiny_gpt2": ("transformer.h.1.attn.c_attn.weight", "transformer.ln_f.bias"),
    "tiny_vit": (
        "vit.embeddings.patch_embeddings.projection.weight",
        "vit.embeddings.cls_token",
    ),
    "tiny_vit_pooler": ("pooler.dense.weight", "embeddings.position_embeddings"),
}
CASES = [(name, tensor) for name, tensors in TENSORS.items() for tensor in tensors]


def read(folder):
    return read_pretrained(read_checkpoint(folder))


def refusal(folder) -> str:
    with pytest.raises(DataError) as caught:
        read(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def copied(tmp_path):
    return lambda name: tiny_checkpoint.copied(tmp_path / name, name)


@pytest.mark.parametrize("name", TENSORS)
def test_every_number_of_a_checkpoint_is_read_once(name):
    pretrained = read(tiny_checkpoint.ALL / name)
    stored = load_file(tiny_checkpoint.ALL / name / "model.safetensors")
    kept = [array for key, array in stored.items() if key not in pretrained.skipped]
    given = np.sort(np.concatenate([array.ravel() for array in kept]))
    leaves = [np.ravel(leaf) for leaf in jax.tree.leaves(pretrained.params)]
    np.testing.assert_array_equal(np.sort(np.concatenate(leaves)), given)


@pytest.mark.parametrize(("name", "tensor"), CASES)
def test_a_tensor_that_is_missing_or_of_another_shape_is_named(copied, name, tensor):
    folder = copied(name)
    array = load_file(folder / "model.safetensors")[tensor]
    shape = array.shape
    wrong = np.zeros((*shape, 2), np.float32)
    tiny_checkpoint.changed(folder, lambda tensors: tensors | {tensor: wrong})
    told = refusal(folder)
    assert f"tensor {tensor} has shape {(*shape, 2)}" in told
    assert f"must be {shape}" in told

    def without(tensors):
        return {key: each for key, each in tensors.items() if key != tensor}

    tiny_checkpoint.changed(folder, without)
    plain = FAMILIES[read_checkpoint(folder).family].plain(tensor)
    assert f"tensor {plain} of shape {shape} is missing" in refusal(folder)


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_too_many_is_named(copied, name):
    folder, extra = copied(name), {"layers.2.more": np.zeros(3, np.float32)}
    tiny_checkpoint.changed(folder, lambda tensors: tensors | extra)
    assert "tensor layers.2.more of shape (3,) belongs to no part" in refusal(folder)


@pytest.mark.parametrize(
    ("name", "second", "first"),
    [
        (
            "tiny_bert",
            "cls.predictions.decoder.weight",
            "bert.embeddings.word_embeddings.weight",
        ),
        ("tiny_bert", "cls.predictions.decoder.bias", "cls.predictions.bias"),
        ("tiny_roberta", "lm_head.decoder.bias", "lm_head.bias"),
        (
            "tiny_distilbert",
            "vocab_projector.weight",
            "distilbert.embeddings.word_embeddings.weight",
        ),
        ("tiny_gpt2", "lm_head.weight", "transformer.wte.weight"),
    ],
)
def test_what_is_shared_may_be_stored_twice_if_it_is_equal(copied, name, second, first):
    folder = copied(name)
    tiny_checkpoint.changed(folder, lambda all_: all_ | {second: all_[first]})
    assert read(folder).heads == read(tiny_checkpoint.ALL / name).heads
    tiny_checkpoint.changed(folder, lambda all_: all_ | {second: all_[first] + 1})
    assert f"tensor {second} differs from {first}" in refusal(folder)


@pytest.mark.parametrize(
    ("name", "architecture", "heads", "skipped"),
    [
        (
            "tiny_bert_classifier",
            "BertForMultipleChoice",
            ("pooler",),
            ("classifier.bias", "classifier.weight"),
        ),
        ("tiny_vit", "ViTModel", (), ("classifier.bias", "classifier.weight")),
        ("tiny_gpt2", "GPT2Model", (), ()),
        ("tiny_gpt2", None, ("causal_lm",), ()),
    ],
)
def test_a_head_is_read_as_what_it_was_trained_as(
    copied, name, architecture, heads, skipped
):
    named = [architecture] if architecture else None
    found = read(tiny_checkpoint.configured(copied(name), architectures=named))
    assert (found.heads, found.skipped, found.classes) == (heads, skipped, ())


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        (
            "tiny_bert_classifier",
            {"id2label": 3},
            "id2label=3: must be a name for each",
        ),
        ("tiny_bert_classifier", {"id2label": {"1": "a"}}, "id2label="),
        (
            "tiny_bert_classifier",
            {"id2label": None},
            "classifier.bias has shape (3,)",
        ),
        ("tiny_bert", {"hidden_dropout_prob": "0.1"}, "hidden_dropout_prob='0.1'"),
        ("tiny_roberta", {"pad_token_id": 47}, "pad_token_id=47"),
        ("tiny_roberta", {"pad_token_id": -1}, "pad_token_id=-1"),
        ("tiny_distilbert", {"n_heads": 5}, "n_heads=5: must be a divisor of dim=16"),
        ("tiny_distilbert", {"hidden_dim": None}, "hidden_dim is missing"),
        ("tiny_gpt2", {"n_inner": 0}, "n_inner=0"),
        ("tiny_gpt2", {"scale_attn_by_inverse_layer_idx": True}, "must be false"),
        ("tiny_gpt2", {"layer_norm_epsilon": None}, "layer_norm_epsilon is missing"),
        (
            "tiny_vit",
            {"patch_size": 3},
            "patch_size=3: must be a divisor of image_size=8",
        ),
        (
            "tiny_vit",
            {"image_size": [8, 8]},
            "image_size=[8, 8]: must be a whole number",
        ),
        ("tiny_vit", {"qkv_bias": False}, "qkv_bias=False: must be true"),
        ("tiny_vit", {"image_size": 16}, "position_embeddings has shape (1, 5, 16)"),
        ("tiny_vit", {"image_size": 4 * 10**9}, "position_embeddings has shape"),
        ("tiny_gpt2", {"vocab_size": 10**15}, "wte.weight has shape (290, 16)"),
    ],
)
def test_a_field_that_does_not_fit_is_named(copied, name, fields, words):
    assert words in refusal(tiny_checkpoint.configured(copied(name), **fields))


@pytest.mark.parametrize("name", ["tiny_roberta", "tiny_gpt2"])
def test_the_tokenizer_s_file_gives_the_published_ids(name):
    sentences = (
        "The cat sat on a mat.",
        "It returns the value of this object, and 3 others!",
        "Is naïve text UNREAD?",
    )
    arrays = tiny_checkpoint.published(name)
    made = read_tokenizer(tiny_checkpoint.ALL / name)
    tokens = tokenize(sentences, made, vocabulary=290, most=46)
    real = arrays["sentences_attention_mask"] == 1
    np.testing.assert_array_equal(tokens.real, real)
    np.testing.assert_array_equal(tokens.ids[real], arrays["sentences_input_ids"][real])


@pytest.mark.parametrize("name", ["tiny_bert", "tiny_gpt2"])
@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_the_layers_and_what_they_drop_are_those_of_the_models(name, rate):
    pretrained = read(tiny_checkpoint.ALL / name)
    batch = tiny_checkpoint.inputs(tiny_checkpoint.published(name))
    encoder = nnx.merge(pretrained.graph, pretrained.params, {})
    dropout = Dropout(rate, jax.random.key(3)) if rate else NO_DROPOUT
    mask = padding_mask(batch.real)
    if encoder.causal:
        mask = mask & causal_mask(batch.tokens.shape[1])
    found = trace(pretrained, pretrained.params, batch, swaps={}, dropout=dropout)
    whole = encoder.transformer(encoder.embedding(batch), mask, dropout)
    np.testing.assert_array_equal(found.hidden[-1], whole)
    plain = trace(pretrained, pretrained.params, batch, swaps={})
    for head, output in found.outputs.items():
        assert np.array_equal(output, plain.outputs[head]) == (rate == 0)
