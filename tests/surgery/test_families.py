"""Each family beside the published code's numbers, as trained and with another activation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_checkpoint

from research.activations.catalog import CATALOG
from research.surgery.checkpoint import read_checkpoint
from research.surgery.encoder import trace
from research.surgery.families import FAMILIES, known_difference
from research.surgery.reading import read_pretrained

RELU = CATALOG["relu"]
HEADS = {
    "tiny_bert": ("pooler", "masked_lm"),
    "tiny_bert_classifier": ("pooler", "classifier"),
    "tiny_roberta": ("masked_lm",),
    "tiny_roberta_classifier": ("classifier",),
    "tiny_distilbert": ("masked_lm",),
    "tiny_distilbert_classifier": ("classifier",),
    "tiny_gpt2": ("causal_lm",),
    "tiny_vit": ("classifier",),
    "tiny_vit_pooler": ("pooler",),
}
SWAPS = {"trained": {}, "last": {1: RELU}, "all": {0: RELU, 1: RELU}}


def read(name, **fields):
    return read_pretrained(read_checkpoint(tiny_checkpoint.ALL / name, **fields))


@pytest.fixture(scope="module", params=HEADS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def pretrained(name):
    return read(name)


def test_every_family_has_a_checkpoint():
    families = {read_checkpoint(tiny_checkpoint.ALL / name).family for name in HEADS}
    assert families == FAMILIES.keys()


@pytest.mark.parametrize("variant", SWAPS)
def test_every_output_is_the_published_code_s(name, pretrained, variant):
    arrays = tiny_checkpoint.published(name)
    inputs = tiny_checkpoint.inputs(arrays)
    found = trace(pretrained, pretrained.params, inputs, swaps=SWAPS[variant])
    assert pretrained.heads == HEADS[name]
    assert set(found.outputs) == set(pretrained.heads)
    expected = {key: arrays[f"{variant}_{key}"] for key in ("hidden", *HEADS[name])}
    real = getattr(inputs, "real", np.ones(found.hidden[0].shape[:2], bool))
    for key, theirs in expected.items():
        mine = np.stack(found.hidden) if key == "hidden" else found.outputs[key]
        assert mine.shape == theirs.shape
        rows = {"hidden": (slice(None), real), "masked_lm": real, "causal_lm": real}
        at = rows.get(key, slice(None))
        np.testing.assert_allclose(mine[at], theirs[at], rtol=0, atol=1e-5)


def test_a_swap_shows_in_every_output(name):
    arrays = tiny_checkpoint.published(name)
    for key in ("hidden", *HEADS[name]):
        for one, other in (("trained", "last"), ("last", "all")):
            gap = np.abs(arrays[f"{one}_{key}"] - arrays[f"{other}_{key}"]).max()
            assert gap > 1e-3


def test_a_head_keeps_its_activation_until_all_layers_have_another():
    # Zeroed layers let the heads alone see the activation.
    bert, roberta = read("tiny_bert"), read("tiny_roberta")
    for pretrained, follows in ((bert, True), (roberta, False)):
        inputs = tiny_checkpoint.inputs(
            tiny_checkpoint.published(f"tiny_{pretrained.family}")
        )
        params = jax.tree.map(jnp.asarray, pretrained.params)
        for layer in params["transformer"]["layers"].values():
            layer["ffn"]["down"] = jax.tree.map(jnp.zeros_like, layer["ffn"]["down"])

        def logits(swaps, pretrained=pretrained, inputs=inputs, params=params):
            return trace(pretrained, params, inputs, swaps=swaps).outputs["masked_lm"]

        silu = CATALOG["silu"]
        trained, one, both, mixed = map(
            logits, ({}, {1: RELU}, {0: RELU, 1: RELU}, {0: RELU, 1: silu})
        )
        np.testing.assert_array_equal(trained, one)
        np.testing.assert_array_equal(trained, mixed)
        assert np.allclose(trained, both, atol=1e-4) is not follows


def test_gpt2_sees_no_later_token():
    pretrained = read("tiny_gpt2")
    inputs = tiny_checkpoint.inputs(tiny_checkpoint.published("tiny_gpt2"))
    changed = inputs._replace(tokens=inputs.tokens.at[:, 5:].set(7))
    one, other = (
        trace(pretrained, pretrained.params, each, swaps={}).outputs["causal_lm"]
        for each in (inputs, changed)
    )
    np.testing.assert_array_equal(one[:, :5], other[:, :5])
    assert not np.allclose(one[:, 5:], other[:, 5:])


@pytest.mark.parametrize(
    ("name", "title", "classes", "size", "dropout"),
    [
        ("tiny_roberta", "RoBERTa 2×16", (), (290, 46, None), 0.1),
        ("tiny_roberta_classifier", "RoBERTa 2×16", ("LABEL_0", "LABEL_1"), None, 0.1),
        ("tiny_distilbert", "DistilBERT 2×16", (), (170, 48, None), 0.1),
        ("tiny_bert_classifier", "BERT", ("bad", "good", "neither"), None, 0.1),
        ("tiny_gpt2", "GPT-2 2×16, 2 heads, FFN 64, pre", (), (290, 48, None), 0.1),
        ("tiny_vit", "ViT 2×16", ("bad", "good", "neither"), (0, 5, (8, 8, 3)), 0.0),
    ],
)
def test_what_config_json_says_of_each(name, title, classes, size, dropout):
    found = read(name)
    assert found.title.startswith(title)
    assert (found.classes, found.dropout) == (classes, dropout)
    if size:
        assert (found.vocabulary, found.length, found.image) == size


def test_only_google_s_vit_is_known_to_differ_from_its_config():
    vit = tiny_checkpoint.ALL / "tiny_vit"
    known = known_difference(read_checkpoint(vit))
    assert known is not None
    assert known[0] == "gelu_tanh"
    assert known_difference(read_checkpoint(vit, trained="gelu_new")) is None
    for name in HEADS:
        if "vit" not in name:
            found = read_checkpoint(tiny_checkpoint.ALL / name)
            assert known_difference(found) is None
