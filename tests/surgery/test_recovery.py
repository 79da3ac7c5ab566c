"""What tuned arms learn: tasks of a checkpoint's rows, and models that start from it."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_checkpoint

from research import prng
from research.activations.catalog import CATALOG
from research.errors import DataError
from research.experiment.problems import shapes_of
from research.surgery import recovery
from research.surgery.checkpoint import read_checkpoint
from research.surgery.labelled import read_labelled
from research.surgery.material import SEED, read_text_material
from research.surgery.reading import read_pretrained
from research.surgery.trainable import classifier_kind, distilled_kind, language_kind
from research.task_configs import RecoveryConfig
from research.tasks.tokens import NOTHING

LAYERS = (0, 1)
GELU, RELU = CATALOG["gelu"], CATALOG["relu"]
SMALL = RecoveryConfig(
    length=16, train_samples=20, validation_samples=8, test_samples=10
)
# A row of 38 that is measured and not trained on.
TESTED = np.random.default_rng(SEED).permutation(38)[-1]


@pytest.fixture(scope="module")
def pretrained():
    return read_pretrained(read_checkpoint(tiny_checkpoint.FOLDER))


@pytest.fixture(scope="module")
def material(pretrained):
    return read_text_material(pretrained, tiny_checkpoint.FOLDER, SMALL, trains=True)


def outputs(kind, task, activation, rows=slice(0, 4), **given):
    """Returns a model's parameters as it starts, and its outputs for some rows."""
    model = kind.build(None, activation, shapes_of(task))
    params, state = model.init(prng.stream_key("init", 0))
    inputs = task.transform(
        (), jax.tree.map(lambda x: jnp.asarray(x[rows]), task.inputs)
    )
    found, _ = model.apply(
        params, state, inputs, **({"key": None, "train": False} | given)
    )
    return params, found


def test_no_row_is_in_two_parts_and_the_parts_are_as_many_as_asked(material):
    rows = material.rows
    assert rows.test == 10
    assert rows.train + rows.validation + rows.test == len(material.inputs.tokens)
    assert len(np.unique(material.inputs.tokens, axis=0)) == len(material.inputs.tokens)
    np.testing.assert_array_equal(
        material.tested_inputs.tokens, material.inputs.tokens[-10:]
    )


def test_an_untouched_model_has_nothing_to_learn_from_itself(pretrained, material):
    task = recovery.distillation(material, 0.5)
    kind = distilled_kind(pretrained, LAYERS, dropout=0.0)
    _, same = outputs(kind, task, GELU)
    np.testing.assert_allclose(same[:, 0], 0, atol=1e-9)
    np.testing.assert_allclose(same[:, 1], 1, atol=1e-6)
    _, other = outputs(kind, task, RELU)
    assert (other[:, 0] > 1e-4).all()
    assert (other[:, 1] < 1).all()


def test_the_teacher_stays_as_it_was_whatever_the_parameters_become(
    pretrained, material
):
    """The gradient reaches the swapped model alone."""
    task = recovery.distillation(material, 0.5)
    kind = distilled_kind(pretrained, LAYERS, dropout=0.0)
    model = kind.build(None, GELU, shapes_of(task))
    params, state = model.init(prng.stream_key("init", 0))
    inputs = jax.tree.map(lambda x: jnp.asarray(x[:4]), task.inputs)
    moved = jax.tree.map(lambda x: x * 1.1, params)
    given = {"key": None, "train": False}
    found, _ = model.apply(moved, state, inputs, **given)
    assert (found[:, 0] > 1e-3).all()
    assert model.bound is not None
    again, _ = model.bound(moved["checkpoint"]).apply(moved, state, inputs, **given)
    np.testing.assert_allclose(again[:, 0], 0, atol=1e-9)


def test_masks_fall_on_a_sentences_own_tokens_and_are_drawn_anew_in_training(material):
    task = recovery.masked_tokens(material, vocabulary=170)
    own = material.inputs.real & ~material.special
    asked = task.targets != NOTHING
    assert asked.any(axis=1).sum() > 25
    assert not (asked & ~own).any()
    np.testing.assert_array_equal(task.targets[asked], material.inputs.tokens[asked])
    assert 0.08 < asked.sum() / own.sum() < 0.25
    assert task.augment is not None
    rows = jax.tree.map(lambda x: jnp.asarray(x[:15]), task.inputs)
    targets = jnp.asarray(task.targets[:15])
    drawn = [
        task.augment(prng.stream_key("dropout", seed), rows, targets)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0][1], drawn[1][1])
    assert (drawn[0][1] != drawn[2][1]).any()
    assert not ((np.asarray(drawn[0][1]) != NOTHING) & ~own[:15]).any()


def test_the_next_token_is_asked_for_where_there_is_one(material):
    task = recovery.next_tokens(material, vocabulary=170)
    ids, real = material.inputs.tokens, material.inputs.real
    for row in range(len(ids)):
        length = real[row].sum()
        np.testing.assert_array_equal(
            task.targets[row, : length - 1], ids[row, 1:length]
        )
        assert (task.targets[row, length - 1 :] == NOTHING).all()


def test_dropout_is_that_of_the_step_and_alike_under_every_activation(
    pretrained, material
):
    task = recovery.masked_tokens(material, vocabulary=170)
    kind = language_kind(pretrained, LAYERS, dropout=0.5)
    keys = [prng.stream_key("dropout", seed) for seed in (0, 1)]
    first, again, other, off = (
        outputs(kind, task, GELU, **given)[1]
        for given in (
            {"key": keys[0], "train": True},
            {"key": keys[0], "train": True},
            {"key": keys[1], "train": True},
            {"key": keys[1], "train": False},
        )
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert np.abs(first - off).max() > 1e-3


def test_a_new_classifier_is_drawn_by_the_seed_and_alike_under_every_activation(
    pretrained, tmp_path
):
    path = tmp_path / "labels.csv"
    lines = [
        f"object {n} is a {'list' if n % 2 else 'number'},{n % 2}" for n in range(40)
    ]
    path.write_text("\n".join(["text,label", *lines]))
    config = dataclasses.replace(SMALL, labels=str(path))
    material = read_text_material(
        pretrained, tiny_checkpoint.FOLDER, config, trains=True
    )
    assert material.classes == ("0", "1")
    task = recovery.labelled(material)
    kind = classifier_kind(pretrained, LAYERS, new_head=True, dropout=0.0)
    one, logits = outputs(kind, task, GELU)
    two, _ = outputs(kind, task, RELU)
    assert logits.shape == (4, 2)
    np.testing.assert_array_equal(one["head"]["kernel"], two["head"]["kernel"])
    assert one["head"]["kernel"].std() > 0.005


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["text,lable", "a,1"], "has no column label.*did you mean lable"),
        (
            ["text,label", "a,1", "a,2"],
            "row 3, column label: the same text has another",
        ),
        (["text,label", "a,"], "row 2, column label: is empty"),
        (["text,label", "a,1", "b,2"], "has 2 different texts"),
        (["text,label", *(f"text {n},1" for n in range(12))], "has a single label"),
        (["text,label", f"a,{'9' * 61}"], "must be a name of at most 60"),
        (
            ["text,label", *(f"text {n},{int(n == TESTED)}" for n in range(38))],
            "label '1' has no row in the training part",
        ),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(pretrained, tmp_path, lines, told):
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines))
    config = dataclasses.replace(SMALL, labels=str(path))
    with pytest.raises(DataError, match=told):
        read_text_material(pretrained, tiny_checkpoint.FOLDER, config, trains=True)


def test_labels_that_take_turns_all_stay_and_numbers_of_any_script_have_one_order(
    pretrained, tmp_path
):
    path = tmp_path / "labels.csv"
    names = ("neg", "pos", "neu", "mix")
    lines = [f"the value of object {n} is new,{names[n % 4]}" for n in range(152)]
    path.write_text("\n".join(["text,label", *lines]))
    found = read_labelled(path, most=38)
    assert (len(found.texts), found.classes) == (38, tuple(sorted(names)))
    assert found.labels is not None
    assert len(np.unique(found.labels)) == 4
    path.write_text(
        "\n".join(["text,label", *(f"t{n},{'1١'[n % 2]}" for n in range(12))])
    )
    assert read_labelled(path, most=38).classes == ("1", "١")
