"""A checkpoint's folder: what is read, in which types, and what is refused in one line."""

import json

import ml_dtypes
import numpy as np
import pytest
import tiny_checkpoint
from safetensors.numpy import load_file, save_file

from research.errors import ConfigError, DataError
from research.surgery.checkpoint import load, read_checkpoint

NAME = "bert.encoder.layer.1.output.dense.weight"


@pytest.fixture
def folder(tmp_path):
    return tiny_checkpoint.copied(tmp_path / "tiny")


def refusal(folder) -> str:
    with pytest.raises(DataError) as caught:
        read_checkpoint(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_precision_becomes_float32_without_rounding_again(folder, dtype):
    whole = load_file(folder / "model.safetensors")[NAME]
    tiny_checkpoint.changed(
        folder, lambda tensors: {k: v.astype(dtype) for k, v in tensors.items()}
    )
    read = load(read_checkpoint(folder), [NAME])[NAME]
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, whole.astype(dtype).astype(np.float32))
    assert not np.array_equal(read, whole)


def shards(folder) -> dict[str, str]:
    """Writes the tensors as two shards and returns the index's map."""
    path = folder / "model.safetensors"
    tensors = load_file(path)
    path.unlink()
    names, places = sorted(tensors), {}
    for part, some in enumerate((names[::2], names[1::2])):
        file = f"model-0000{part + 1}-of-00002.safetensors"
        save_file({name: tensors[name] for name in some}, folder / file)
        places |= dict.fromkeys(some, file)
    return places


def index(folder, places) -> None:
    text = json.dumps({"metadata": {}, "weight_map": places})
    (folder / "model.safetensors.index.json").write_text(text)


def test_shards_hold_what_the_one_file_holds(folder):
    whole = read_checkpoint(tiny_checkpoint.FOLDER)
    index(folder, shards(folder))
    sharded = read_checkpoint(folder)
    assert len(sharded.files) == 2
    assert sharded.tensors.keys() == whole.tensors.keys()
    for name, array in load(sharded, sharded.tensors).items():
        np.testing.assert_array_equal(array, load(whole, [name])[name])


def test_an_index_and_its_shards_must_agree(folder):
    places = shards(folder)
    last = sorted(places)[-1]
    file = places[last]
    index(folder, places | {"new": file})
    assert "00002.safetensors: lacks tensor new" in refusal(folder)
    index(folder, {k: v for k, v in places.items() if k != last})
    assert f"weight_map lacks tensor {last} of {file}" in refusal(folder)
    index(folder, places | {last: "../x.safetensors"})
    assert "must be a file beside it" in refusal(folder)
    index(folder, places)
    (folder / file).unlink()
    assert f"{file}: cannot be read, No such file" in refusal(folder)
    index(folder, {})
    assert "weight_map must name" in refusal(folder)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model_type": None}, ["config.json: model_type is missing"]),
        ({"model_type": 3}, ["model_type=3: must be a name"]),
        ({"model_type": "bret"}, ["model_type='bret'", "did you mean bert?"]),
        ({"hidden_act": None}, ["hidden_act is missing"]),
        ({"hidden_act": "gleu"}, ["hidden_act='gleu'", "did you mean gelu?"]),
        ({"hidden_act": "laplace"}, ["hidden_act='laplace'", "is not in the table"]),
        (
            {"hidden_act": "evil.py:run"},
            ["hidden_act='evil.py:run'", "must be the name"],
        ),
    ],
)
def test_a_config_that_names_nothing_known(folder, fields, words):
    told = refusal(tiny_checkpoint.configured(folder, **fields))
    for word in words:
        assert word in told


@pytest.mark.parametrize(
    ("alias", "name"), [("gelu_new", "gelu_tanh"), ("swish", "silu"), ("gelu", "gelu")]
)
def test_the_activation_is_read_through_the_aliases(folder, alias, name):
    read = read_checkpoint(tiny_checkpoint.configured(folder, hidden_act=alias))
    assert (read.hidden_act, read.activation) == (alias, name)


def test_the_activation_as_trained_may_be_given(folder):
    tiny_checkpoint.configured(folder, hidden_act="gleu")
    read = read_checkpoint(folder, trained="gelu_new")
    assert (read.hidden_act, read.activation) == ("gleu", "gelu_tanh")
    for word, told in (("gelu_nwe", "did you mean gelu_new"), ("a.py:f", "must be")):
        with pytest.raises(ConfigError, match=f"^trained='{word}'.*{told}"):
            read_checkpoint(folder, trained=word)


@pytest.mark.parametrize(
    ("name", "field"),
    [("tiny_gpt2", "activation_function"), ("tiny_distilbert", "activation")],
)
def test_each_family_has_its_own_field(tmp_path, name, field):
    folder = tiny_checkpoint.copied(tmp_path / name, name)
    tiny_checkpoint.configured(folder, **{field: "swish"})
    assert read_checkpoint(folder).activation == "silu"
    assert f"{field} is missing" in refusal(
        tiny_checkpoint.configured(folder, **{field: None})
    )


def test_damaged_and_missing_files(folder):
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:100], b"", b"\xff" * 64):
        path.write_bytes(damaged)
        assert f"{path}: is damaged" in refusal(folder)
    path.unlink()
    assert "holds neither model.safetensors nor" in refusal(folder)
    (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    told = refusal(folder)
    assert "pytorch_model.bin: is not read" in told
    assert "save_pretrained" in told
    (folder / "config.json").write_text("{")
    assert "config.json: is damaged" in refusal(folder)
    (folder / "config.json").unlink()
    assert "config.json: cannot be read, No such file" in refusal(folder)
    assert "nowhere: no such folder" in refusal(folder / "nowhere")


@pytest.mark.parametrize(
    ("value", "words"),
    [(np.float32(np.nan), "holds NaN"), (np.int8(1), "is of type I8")],
)
def test_numbers_that_are_no_weights(folder, value, words):
    def put(tensors):
        return tensors | {NAME: np.full((16, 32), value)}

    checkpoint = read_checkpoint(tiny_checkpoint.changed(folder, put))
    with pytest.raises(DataError, match=f"{NAME} {words}"):
        load(checkpoint, [NAME])
