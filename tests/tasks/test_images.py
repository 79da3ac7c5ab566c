"""Images from IDX files and .npz: read as they are, or refused in one line."""

import gzip
import struct

import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny_experiment

from research import prng
from research.errors import ConfigError, DataError
from research.task_configs import ImagesConfig
from research.tasks.images import load_images

GENERATOR = np.random.default_rng(0)
CLASSES = np.tile(np.arange(3, dtype=np.uint8), 20)
# Each image says its class by how bright it is.
IMAGES = (CLASSES[:, None, None] * 80 + GENERATOR.integers(0, 9, (60, 6, 5))).astype(
    "u1"
)
ARRAYS = {
    "x_train": IMAGES[:45],
    "y_train": CLASSES[:45],
    "x_test": IMAGES[45:],
    "y_test": CLASSES[45:],
}
PUBLISHED = {
    "x_train": "train-images-idx3-ubyte",
    "y_train": "train-labels-idx1-ubyte",
    "x_test": "t10k-images-idx3-ubyte",
    "y_test": "t10k-labels-idx1-ubyte",
}


def idx(array) -> bytes:
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return head + array.tobytes()


def write_idx(folder, **changes):
    for name, array in {**ARRAYS, **changes}.items():
        (folder / PUBLISHED[name]).write_bytes(idx(array))
    return folder


def load(path, **fields):
    config = {"validation_samples": 5, **fields}
    return load_images(ImagesConfig(path=str(path), **config))


def refusal(path, **fields) -> str:
    with pytest.raises(DataError) as refused:
        load(path, **fields)
    line = str(refused.value)
    assert "\n" not in line
    return line


def same(task) -> bool:
    return np.array_equal(task.inputs[..., 0], IMAGES) and np.array_equal(
        task.targets, CLASSES
    )


def test_idx_files_plain_dotted_and_gzipped_are_one(tmp_path):
    assert same(load(write_idx(tmp_path)))
    images = tmp_path / "train-images-idx3-ubyte"
    images.rename(tmp_path / "train-images.idx3-ubyte")
    labels = tmp_path / "t10k-labels-idx1-ubyte"
    labels.with_name(labels.name + ".gz").write_bytes(
        gzip.compress(labels.read_bytes())
    )
    labels.unlink()
    assert same(load(tmp_path))


def test_npz_with_and_without_channels_are_one(tmp_path):
    np.savez(tmp_path / "a.npz", **ARRAYS)
    assert same(load(tmp_path / "a.npz"))
    columns = {name: array[..., None] for name, array in ARRAYS.items()}
    np.savez_compressed(tmp_path / "b.npz", **columns)
    assert same(load(tmp_path / "b.npz"))


def test_the_published_test_set_stays_and_pixels_are_held_as_bytes(tmp_path):
    task = load(write_idx(tmp_path))
    assert task.inputs.dtype == np.uint8
    assert task.inputs.shape == (60, 6, 5, 1)
    for seed in range(3):
        split = task.split(prng.stream_key("split", seed), None)
        assert [len(part) for part in split] == [40, 5, 15]
        assert sorted(np.asarray(split.test).tolist()) == list(range(45, 60))
    inputs = jnp.asarray(task.inputs)
    scaled = task.transform(task.fit(inputs), inputs)
    assert scaled.dtype == np.float32
    assert float(scaled.std()) == pytest.approx(1, abs=1e-5)


def test_fewer_images_are_the_first_ones(tmp_path):
    task = load(write_idx(tmp_path), train_samples=12, test_samples=6)
    assert np.array_equal(task.targets, [*CLASSES[:12], *CLASSES[45:51]])
    assert "12 and 6" in task.remarks[0]


def test_the_constant_predictor_by_direct_count(tmp_path):
    train_classes = np.array([0] * 20 + [1] * 15 + [2] * 10, np.uint8)
    task = load(write_idx(tmp_path, y_train=train_classes))
    assert task.metrics["accuracy"].constant_predictor == pytest.approx(1 / 3)
    wanted = -np.log(np.array([20, 15, 10]) / 45).mean()
    assert task.metrics["loss"].constant_predictor == pytest.approx(wanted)


def test_a_missing_path_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"task\.path=''.*IDX files"):
        load_images(ImagesConfig())
    (tmp_path / "mnist").mkdir()
    line = refusal(tmp_path / "mnits")
    assert "mnits: does not exist; did you mean mnist?" in line
    assert "no file train-images-idx3-ubyte or" in refusal(tmp_path / "mnist")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x_train", b"", "starts with nothing"),
        ("x_train", b"\0\0\x0d\3" + bytes(12), "starts with 00 00 0d 03"),
        ("x_train", b"<html>", "starts with 3c 68 74 6d"),
        ("x_train", idx(IMAGES[:45])[:-1], "has 1,365 bytes, but its head says 1,366"),
        ("x_train", idx(IMAGES[:45])[:9], "has 9 bytes"),
        ("x_train", idx(IMAGES[:44]), "44 train images, but 45 labels"),
        ("x_train", idx(IMAGES[:0]), "holds no train image"),
        ("x_train", idx(CLASSES[:45]), r"the train images must be bytes"),
        ("y_train", idx(IMAGES[:45]), r"the train labels must be whole numbers"),
        ("x_test", idx(IMAGES[45:, :5]), "6 x 5 x 1, test images 5 x 5 x 1"),
        ("y_train", idx(CLASSES[:45] % 2), "class 2 is in the test part"),
        ("y_train", idx(np.where(CLASSES[:45] == 1, 7, CLASSES[:45])), "class 1"),
    ],
)
def test_wrong_idx_files_are_refused(tmp_path, name, content, words):
    (write_idx(tmp_path) / PUBLISHED[name]).write_bytes(content)
    line = refusal(tmp_path)
    assert words in line
    assert str(tmp_path) in line


def test_an_empty_class_is_refused(tmp_path):
    gap = {"y_train": CLASSES[:45] * 2, "y_test": CLASSES[45:] * 2}
    assert "class 1 has no training row" in refusal(write_idx(tmp_path, **gap))


@pytest.mark.parametrize(
    "content", [gzip.compress(idx(IMAGES[:45]))[:-20], b"no gzip", b""]
)
def test_a_damaged_gzip_is_refused(tmp_path, content):
    file = write_idx(tmp_path) / PUBLISHED["x_train"]
    file.unlink()
    file.with_name(file.name + ".gz").write_bytes(content)
    line = refusal(tmp_path)
    assert "idx3-ubyte.gz: " in line
    assert "cannot be unpacked" in line or "starts with nothing" in line


def test_wrong_npz_files_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"not a zip")
    assert "is no .npz file" in refusal(path)
    np.savez(path, **{**ARRAYS, "x_train": np.array([{}], object)})
    assert "cannot be read as .npz" in refusal(path)
    np.savez(path, x_train=IMAGES, y=CLASSES)
    assert "has no array y_train" in refusal(path)
    np.savez(path, **{**ARRAYS, "x_train": IMAGES[:45] / 255})
    assert "not float64 (45, 6, 5)" in refusal(path)
    np.savez(path, **{**ARRAYS, "y_test": CLASSES[45:].astype(int) - 1})
    assert "labels go from -1 to" in refusal(path)
    np.savez(path, **{**ARRAYS, "y_test": CLASSES[45:].astype(np.int64) + 2**40})
    assert "must be classes from 0 to 1,000,000" in refusal(path)
    np.savez(path, **{**ARRAYS, "y_train": np.int64(3)})
    assert "labels must be whole numbers [rows], not int64 ()" in refusal(path)
    alone = {name: 0 * array for name, array in ARRAYS.items() if name[0] == "y"}
    np.savez(path, **{**ARRAYS, **alone})
    assert "has one class alone" in refusal(path)
    np.savez(path, **ARRAYS)
    content = bytearray(path.read_bytes())
    content[150:400] = bytes(250)
    path.write_bytes(content)
    assert "cannot be read as .npz" in refusal(path)


def test_an_mlp_can_be_trained_on_them(tmp_path):
    path = str(write_idx(tmp_path))
    task = {"name": "images", "path": path, "validation_samples": 9}
    experiment = tiny_experiment(task=task)
    assert experiment.steps_per_epoch == 36 // 16
    assert experiment.data.inputs.dtype == np.uint8
