"""The images that a ViT reads: where they are from, how they are scaled, what is refused."""

import json

import numpy as np
import pytest
import tiny_checkpoint

from research.errors import DataError
from research.surgery.images import read_images

VIT = tiny_checkpoint.ALL / "tiny_vit"
SIZE = (8, 8, 3)
GENERATOR = np.random.default_rng(0)
BYTES = GENERATOR.integers(0, 256, (5, 8, 8, 3), dtype=np.uint8)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "images.npz"


def test_the_photographs_are_cut_alike_each_time():
    found = read_images(None, VIT, image=SIZE)
    again = read_images(None, VIT, image=SIZE)
    np.testing.assert_array_equal(found.pixels, again.pixels)
    assert found.pixels.shape == (100, *SIZE)
    assert found.labels is None
    assert len(np.unique(found.pixels.reshape(100, -1), axis=0)) == 100
    assert "100 crops of scikit-learn's china.jpg and flower.jpg" in found.remarks[0]
    # Bytes from 0 to 255 can become no other numbers than these.
    low, high = (np.array([0.5, 0.4, 0.3]) * -1, 1 - np.array([0.5, 0.4, 0.3]))
    std = np.array([0.5, 0.25, 0.2])
    assert (found.pixels >= low / std - 1e-5).all()
    assert (found.pixels <= high / std + 1e-5).all()
    grey = read_images(None, tiny_checkpoint.FOLDER, image=(8, 8, 1))
    assert grey.pixels.shape == (100, 8, 8, 1)
    with pytest.raises(DataError, match="reads 4 channels and the photographs have 3"):
        read_images(None, tiny_checkpoint.FOLDER, image=(8, 8, 4))


def test_bytes_and_numbers_are_scaled_as_the_checkpoint_says(path):
    expected = (BYTES / 255 - [0.5, 0.4, 0.3]) / [0.5, 0.25, 0.2]
    labels = np.arange(5)
    np.savez(path, images=BYTES, labels=labels)
    found = read_images(path, VIT, image=SIZE)
    np.testing.assert_allclose(found.pixels, expected, atol=1e-5)
    np.testing.assert_array_equal(found.labels, labels)
    np.savez(path, images=BYTES / 255)
    found = read_images(path, VIT, image=SIZE)
    np.testing.assert_allclose(found.pixels, expected, atol=1e-5)
    # Without a file, as ViT's own: from -1 to 1.
    found = read_images(path, path.parent, image=SIZE)
    np.testing.assert_allclose(found.pixels, BYTES / 127.5 - 1, atol=1e-5)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"do_rescale": False, "do_normalize": False}, BYTES),
        ({"do_normalize": False}, BYTES / 255),
        ({"do_normalize": False, "rescale_factor": 0.5}, BYTES / 2),
        ({"image_mean": [0.5] * 3, "image_std": 0.25}, (BYTES / 255 - 0.5) * 4),
    ],
)
def test_every_field_of_the_scaling_counts(path, fields, expected):
    np.savez(path, images=BYTES)
    (path.parent / "preprocessor_config.json").write_text(json.dumps(fields))
    found = read_images(path, path.parent, image=SIZE)
    np.testing.assert_allclose(found.pixels, expected, rtol=1e-5, atol=1e-5)


def test_another_size_is_resized_and_said(path):
    flat = np.full((2, 16, 12), 51, np.uint8)
    np.savez(path, images=flat)
    found = read_images(path, path.parent, image=(8, 8, 1))
    np.testing.assert_allclose(found.pixels, 0.2 * 2 - 1, atol=1e-5)
    assert "resized from 16×12 to 8×8 pixels" in found.remarks[1]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"pictures": BYTES}, "has no array images"),
        ({"images": BYTES[0, 0]}, r"\[images, height, width\].*not uint8 \(8, 3\)"),
        ({"images": BYTES[:0]}, r"not uint8 \(0, 8, 8, 3\)"),
        ({"images": BYTES[..., 0]}, "have 1 channels.*reads 3"),
        ({"images": BYTES[..., :2]}, "have 2 channels.*reads 3"),
        ({"images": BYTES.astype(np.float32)}, "from 0 to 255; they must be bytes"),
        ({"images": BYTES * np.nan}, "from nan to nan; they must be"),
        ({"images": BYTES.astype(np.uint16)}, "uint16 from 0 to 255"),
        ({"images": BYTES.astype(str)}, "must be bytes or numbers"),
        ({"images": BYTES, "labels": np.arange(4)}, "labels must be 5 whole numbers"),
        ({"images": BYTES, "labels": np.ones(5)}, r"not float64 \(5,\)"),
    ],
)
def test_arrays_that_are_no_images_are_refused(path, arrays, words):
    np.savez(path, **arrays)
    with pytest.raises(DataError, match=words) as caught:
        read_images(path, VIT, image=SIZE)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_refused(path):
    with pytest.raises(DataError, match=r"is no \.npz file"):
        read_images(path, VIT, image=SIZE)
    np.savez(path, images=BYTES)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match=r"npz"):
        read_images(path, VIT, image=SIZE)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"image_mean": [0.5, 0.5]}, r"image_mean=\[0.5, 0.5\]: .*or 3 of them"),
        ({"image_std": [0.5, 0, 0.5]}, "image_std=.*: must be a number above 0"),
        ({"rescale_factor": "1/255"}, "rescale_factor='1/255': must be a number above"),
    ],
)
def test_a_scaling_that_cannot_be_used_is_refused(tmp_path, fields, words):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(fields))
    with pytest.raises(DataError, match=words):
        read_images(None, tmp_path, image=SIZE)
