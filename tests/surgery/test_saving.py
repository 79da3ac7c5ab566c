"""A saved model is the one that was saved: for our own reader, and for the published code."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_checkpoint
from flax import nnx
from safetensors import safe_open
from safetensors.numpy import load_file

from research.activations.catalog import CATALOG, lookup
from research.errors import ConfigError
from research.surgery import saving
from research.surgery.checkpoint import read_checkpoint
from research.surgery.encoder import trace
from research.surgery.reading import read_pretrained
from research.surgery.saving import PUBLISHED_NAMES, save

RELU = CATALOG["relu"]
# The class of the published code that opens each, and its output beside the states.
NAMES = {
    "tiny_bert": ("BertForPreTraining", "prediction_logits", "masked_lm"),
    "tiny_bert_classifier": ("BertForSequenceClassification", "logits", "classifier"),
    "tiny_roberta": ("RobertaForMaskedLM", "logits", "masked_lm"),
    "tiny_roberta_classifier": (
        "RobertaForSequenceClassification",
        "logits",
        "classifier",
    ),
    "tiny_distilbert": ("DistilBertForMaskedLM", "logits", "masked_lm"),
    "tiny_distilbert_classifier": (
        "DistilBertForSequenceClassification",
        "logits",
        "classifier",
    ),
    "tiny_gpt2": ("GPT2LMHeadModel", "logits", "causal_lm"),
    "tiny_vit": ("ViTForImageClassification", "logits", "classifier"),
    "tiny_vit_pooler": ("ViTModel", "pooler_output", "pooler"),
}


def read(folder):
    return read_pretrained(read_checkpoint(folder))


def tuned(params):
    """Parameters that are other than the source's."""
    return jax.tree.map(lambda leaf: leaf * 1.25 + 0.01, params)


def leaves(params):
    return dict(nnx.to_flat_state(nnx.State(params)))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_is_read_again(tmp_path, name):
    source, out = tiny_checkpoint.ALL / name, tmp_path / "new" / "out"
    before = read(source)
    params = tuned(before.params)
    save(before, params, out, activation=RELU, source=source)
    after = read(out)
    assert after.activation == RELU
    assert after.heads == before.heads
    assert after.classes == before.classes
    assert after.skipped == before.skipped
    found, expected = leaves(after.params), leaves(params)
    assert found.keys() == expected.keys()
    for path, leaf in found.items():
        np.testing.assert_array_equal(leaf, expected[path])
    inputs = tiny_checkpoint.inputs(tiny_checkpoint.published(name))
    swaps = dict.fromkeys(range(before.config.depth), RELU)
    one = trace(before, params, inputs, swaps=swaps)
    other = trace(after, after.params, inputs, swaps={})
    for head in before.heads:
        np.testing.assert_array_equal(one.outputs[head], other.outputs[head])
    with safe_open(out / "model.safetensors", framework="numpy") as file:
        assert file.metadata() == {"format": "pt"}
        # Nothing is left out, and nothing shared is written twice.
        assert set(file.keys()) == set(load_file(source / "model.safetensors"))
    kept = {file.name for file in source.iterdir()} - {"expected.npz"}
    assert {file.name for file in out.iterdir()} == kept
    assert [each.name for each in out.parent.iterdir()] == ["out"]


def test_the_config_is_the_source_s_but_for_the_activation(tmp_path):
    source = tiny_checkpoint.copied(tmp_path / "tiny", "tiny_gpt2")
    tiny_checkpoint.configured(source, dtype="bfloat16", torch_dtype="float16", note=1)
    before, told = read(source), {}
    for name in ("silu", "gelu_tanh"):
        out = tmp_path / name
        save(before, before.params, out, activation=CATALOG[name], source=source)
        told[name] = json.loads((out / "config.json").read_text())
    kept = json.loads((source / "config.json").read_text())
    kept |= {"dtype": "float32", "torch_dtype": "float32"}
    assert told["silu"] == kept | {"activation_function": "silu"}
    # The same function in another rounding keeps the word that it came with.
    assert told["gelu_tanh"] == kept | {"activation_function": "gelu_new"}


def test_shared_tensors_and_buffers(tmp_path):
    """A checkpoint of the first days, with the head's embedding stored twice."""

    def old(tensors):
        words = tensors["transformer.wte.weight"]
        masks = {f"h.{n}.attn.bias": np.ones((1, 1, 4, 4), np.uint8) for n in (0, 1)}
        bare = {k.removeprefix("transformer."): v for k, v in tensors.items()}
        return bare | masks | {"lm_head.weight": words}

    source = tiny_checkpoint.copied(tmp_path / "tiny", "tiny_gpt2")
    tiny_checkpoint.changed(source, old)
    before, out = read(source), tmp_path / "out"
    assert before.skipped == ("h.0.attn.bias", "h.1.attn.bias")
    save(before, before.params, out, activation=RELU, source=source)
    given, found = (load_file(each / "model.safetensors") for each in (source, out))
    assert given.keys() - found.keys() == {"lm_head.weight"}
    for name, array in found.items():
        np.testing.assert_array_equal(array, given[name])
        assert array.dtype == given[name].dtype


def test_old_words_and_half_precision_are_written_as_today(tmp_path):
    def old(tensors):
        return {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): array.astype(np.float16)
            for name, array in tensors.items()
        }

    name = "tiny_bert_classifier"
    source = tiny_checkpoint.copied(tmp_path / "tiny", name)
    tiny_checkpoint.changed(source, old)
    before, out = read(source), tmp_path / "out"
    save(before, before.params, out, activation=RELU, source=source)
    today = load_file(tiny_checkpoint.ALL / name / "model.safetensors")
    found = load_file(out / "model.safetensors")
    assert found.keys() == today.keys()
    for key, array in found.items():
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, today[key].astype(np.float16))


def test_what_has_no_published_name_is_refused_before_anything_is_written(tmp_path):
    source = tiny_checkpoint.FOLDER
    before = read(source)
    for name in ("elu", "leaky_relu(negative_slope=0.3)"):
        with pytest.raises(ConfigError, match=r"cannot be saved.*gelu_tanh"):
            save(
                before,
                before.params,
                tmp_path / "out",
                activation=lookup(name),
                source=source,
            )
    assert not list(tmp_path.iterdir())


def test_only_a_new_or_an_empty_folder_is_written(tmp_path, monkeypatch):
    source, out = tiny_checkpoint.FOLDER, tmp_path / "out"
    before = read(source)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    for name in ("full", "full/file"):
        with pytest.raises(ConfigError, match="must be a new or an empty folder"):
            save(before, before.params, tmp_path / name, activation=RELU, source=source)
    assert (tmp_path / "full/file").read_text() == "mine"
    out.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(saving, "_config", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            save(before, before.params, out, activation=RELU, source=source)
    assert not list(out.iterdir())
    assert {each.name for each in tmp_path.iterdir()} == {"full", "out"}
    save(before, before.params, out, activation=RELU, source=source)
    assert read(out).activation == RELU


@pytest.mark.parametrize("name", NAMES)
def test_the_published_code_opens_what_is_saved(tmp_path, name):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    source, out = tiny_checkpoint.ALL / name, tmp_path / "out"
    before, silu = read(source), CATALOG["silu"]
    params = tuned(before.params)
    save(before, params, out, activation=silu, source=source)
    kind, output, head = NAMES[name]
    model, told = getattr(transformers, kind).from_pretrained(
        out, output_loading_info=True
    )
    assert not any(told.values()), told
    arrays = tiny_checkpoint.published(name)
    inputs = tiny_checkpoint.inputs(arrays)
    given = {
        key.partition("_")[2]: torch.tensor(array)
        for key, array in arrays.items()
        if key.startswith(("sentences_", "images_"))
    }
    with torch.no_grad():
        theirs = np.asarray(model.eval()(**given)[output])
    swaps = dict.fromkeys(range(before.config.depth), silu)
    mine = np.asarray(trace(before, params, inputs, swaps=swaps).outputs[head])
    real = arrays["sentences_attention_mask"] == 1 if theirs.ndim == 3 else slice(None)
    gap = np.abs(mine[real] - theirs[real]).max() / np.abs(theirs[real]).max()
    print(f"{name}: largest gap {gap:.1e} of the largest output")
    assert gap < 1e-5


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_the_published_code_means_the_same_by_a_name(name):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    x = np.linspace(-9, 9, 1001, dtype=np.float32)
    theirs = transformers.activations.ACT2FN[PUBLISHED_NAMES[name]](torch.tensor(x))
    np.testing.assert_allclose(
        CATALOG[name].fn(jnp.asarray(x)), theirs, rtol=1e-5, atol=1e-5
    )
