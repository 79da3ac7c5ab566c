"""What is measured of a swap, beside NumPy's own account of the same hidden states."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
import tiny_checkpoint

from research.activations.catalog import CATALOG
from research.activations.record import Activation
from research.errors import ConfigError, DataError
from research.surgery import measure as measuring
from research.surgery.arms import Arm, planned, swapped_in
from research.surgery.checkpoint import read_checkpoint
from research.surgery.encoder import Batch, trace
from research.surgery.measure import Subject, measure, steps
from research.surgery.reading import read_pretrained
from research.surgery.text import read_sentences, read_tokenizer, tokenize

GELU, RELU, SILU = (CATALOG[name] for name in ("gelu", "relu", "silu"))


@pytest.fixture(scope="module")
def pretrained():
    return read_pretrained(read_checkpoint(tiny_checkpoint.FOLDER))


@pytest.fixture(scope="module")
def tokens():
    texts = read_sentences(None, most=13).texts
    tokenizer = read_tokenizer(tiny_checkpoint.FOLDER)
    return tokenize(texts, tokenizer, vocabulary=170, most=24)


def run(pretrained, arms, tokens, **rest):
    """Measures the arms without training, and without a head."""
    subjects = [
        Subject(slug=arm.slug, arm=arm, params=pretrained.params) for arm in arms
    ]
    batch = Batch(tokens.ids, tokens.segments, tokens.real)
    return measure(pretrained, subjects, batch, None, **rest)


@pytest.fixture(autouse=True)
def _few_at_once(monkeypatch):
    monkeypatch.setattr(measuring, "ROWS", 5)


def arms(*others, layers=(0, 1)):
    return planned(GELU, others, layers=layers, depth=2)


def test_what_is_reduced_is_what_the_hidden_states_say(pretrained, tokens):
    told = []
    found = run(pretrained, arms(RELU, layers=(1,)), tokens, tell=told.append)
    batch = Batch(*map(jnp.asarray, (tokens.ids, tokens.segments, tokens.real)))
    before, after = (
        trace(pretrained, pretrained.params, batch, swaps=swaps)
        for swaps in ({}, {1: RELU})
    )
    relu, real = found["relu"], tokens.real
    for row in range(13):
        kept = np.asarray(after.hidden[2][row])[real[row]]
        base = np.asarray(before.hidden[2][row])[real[row]]
        np.testing.assert_allclose(relu.pooled[row], kept.mean(0), atol=1e-5)
        drift = np.linalg.norm(kept - base) / np.linalg.norm(base)
        np.testing.assert_allclose(relu.drift[row], [0, drift], rtol=1e-4)
        units = np.asarray(after.units[1][row])[real[row]]
        np.testing.assert_allclose(relu.zeros[row], [0, np.mean(units == 0)], atol=1e-6)
    units = np.asarray(after.units[1])[real]
    assert relu.dead.tolist() == [0, pytest.approx((units == 0).all(0).mean())]
    assert len(told) == steps(tokens.ids, None) == 3


def test_the_reference_drifts_nowhere_and_swaps_are_apart(pretrained, tokens):
    found = run(pretrained, arms(RELU, SILU), tokens)
    assert not found["gelu"].drift.any()
    assert not found["gelu"].zeros.any()
    assert (found["relu"].drift > 0.01).all()
    assert not np.allclose(found["relu"].pooled, found["silu"].pooled, atol=1e-3)


def test_each_layer_alone_touches_no_earlier_one(pretrained, tokens):
    found = run(pretrained, arms(RELU, layers="each"), tokens)
    assert list(found) == ["gelu", "relu-layer0", "relu-layer1"]
    assert (found["relu-layer0"].drift > 0.001).all()
    assert not found["relu-layer1"].drift[:, 0].any()
    assert found["relu-layer1"].drift[:, 1].all()


def test_an_activation_that_gives_nan_is_refused(pretrained, tokens):
    root = Activation(name="mine.root", fn=jnp.sqrt, formula="√x", source="a test")
    with pytest.raises(ConfigError, match=r"mine\.root: .* not finite .* layer 0"):
        run(pretrained, arms(root), tokens)


def test_arms_are_what_the_words_name_beside_the_trained_one():
    names = [record.name for record in swapped_in(("swish", "GELU", "relu"), "gelu")]
    assert names == ["silu", "relu"]
    assert arms(RELU, layers="all") == (
        Arm(slug="gelu", activation=GELU, layers=()),
        Arm(slug="relu", activation=RELU, layers=(0, 1)),
    )
    assert arms(RELU, layers=(1,))[1].swaps == {1: RELU}


@pytest.mark.parametrize(
    ("words", "trained", "told"),
    [
        (("gelu", "gelu_erf"), "gelu", "names nothing to swap in beside gelu"),
        (("relu", "silu", "swish"), "gelu", "silu and swish are the same function"),
        (("elu",), "celu", "celu and elu are the same function"),
    ],
)
def test_names_that_leave_nothing_to_compare_are_refused(words, trained, told):
    with pytest.raises(ConfigError, match=told):
        swapped_in(words, trained)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("swiglu", "swiglu: is gated: needs a second projection"),
        ("prelu", "prelu: is parametric: has parameters"),
    ],
)
def test_what_the_checkpoint_has_no_place_for_is_refused(word, told):
    with pytest.raises(DataError, match=told):
        swapped_in((word,), "gelu")


def test_a_layer_beyond_the_last_is_refused():
    with pytest.raises(ConfigError, match=r"--layers=0,2: .* layers 0 to 1"):
        arms(RELU, layers=(0, 2))


def test_a_sentence_is_measured_alike_in_any_batch(pretrained, tokens):
    alone = dataclasses.replace(
        tokens,
        **{
            name: getattr(tokens, name)[3:4]
            for name in ("ids", "segments", "real", "special")
        },
    )
    one = run(pretrained, arms(RELU), alone)["relu"]
    many = run(pretrained, arms(RELU), tokens)["relu"]
    np.testing.assert_allclose(one.pooled[0], many.pooled[3], atol=1e-6)
    np.testing.assert_allclose(one.drift[0], many.drift[3], rtol=1e-4)
