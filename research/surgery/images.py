"""Images, scaled as a checkpoint's own were: from a file, or crops of two photographs."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float32, Int
from sklearn.datasets import load_sample_images

from research.errors import DataError
from research.surgery.scaling import read_scaling, scaled
from research.tasks.npz import read_npz

# Squares cut from a photograph: their side as a part of its shorter one, and how many
# lie below and beside each other.
CROPS = ((1, 1, 3), (2, 3, 5), (4, 4, 8))
RGB = 3


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """Images as a model reads them; labels: of each, where there are any.

    source: what they are of. remarks: what a reader must know of them.
    """

    pixels: Float32[np.ndarray, "images height width channels"]
    labels: Int[np.ndarray, " images"] | None
    source: str
    remarks: tuple[str, ...]


def read_images(
    path: Path | None, folder: Path, *, image: tuple[int, int, int]
) -> Pictures:
    """Returns the images of an .npz file, or crops of scikit-learn's photographs.

    Args:
      path: holds `images`, bytes or numbers from 0 to 1, [images, height, width] or
        [images, height, width, channels], and may hold `labels`, whole numbers.
      folder: the checkpoint's; its preprocessor_config.json says how to scale.
      image: the height, width and channels that the model reads.

    Raises:
      DataError: a file that cannot be read, or holds something else.
    """
    scaling = read_scaling(folder, channels=image[-1])
    if path is None:
        source = "scikit-learn's china.jpg and flower.jpg"
        crops, labels = _crops(image), None
        remarks = [f"the images are {len(crops)} crops of {source}"]
    else:
        source = str(path)
        found, labels = _read_file(path, image[-1])
        crops = _resized(found, image)
        remarks = [f"the images are the {len(crops)} of {source}"]
        if found.shape[1:3] != image[:2]:
            sizes = ("×".join(map(str, each)) for each in (found.shape[1:3], image[:2]))
            remarks.append("the images are resized from {} to {} pixels".format(*sizes))
    pixels = scaled(crops, scaling)
    remarks[0] += f", sha256 {hashlib.sha256(pixels.tobytes()).hexdigest()}"
    return Pictures(pixels=pixels, labels=labels, source=source, remarks=tuple(remarks))


def _read_file(
    path: Path, channels: int
) -> tuple[Float32[np.ndarray, "n h w c"], Int[np.ndarray, " n"] | None]:
    arrays = read_npz(path, ("images",), optional=("labels",))
    images, labels = arrays["images"], arrays.get("labels")
    told = f"{images.dtype} {images.shape}"
    if images.ndim not in (3, 4) or images.dtype.kind not in "fu" or not images.size:
        raise DataError(
            f"{path}: images must be bytes or numbers from 0 to 1, [images, height, "
            f"width] or [images, height, width, channels], not {told}"
        )
    images = images if images.ndim == 4 else images[..., None]
    if images.shape[-1] != channels:
        raise DataError(
            f"{path}: images have {images.shape[-1]} channels, {told}; the checkpoint "
            f"reads {channels}"
        )
    if labels is not None and (
        labels.shape != images.shape[:1] or labels.dtype.kind not in "iu"
    ):
        raise DataError(
            f"{path}: labels must be {len(images)} whole numbers, one an image, not "
            f"{labels.dtype} {labels.shape}"
        )
    return _bytes(path, images), labels


def _bytes(path: Path, images: np.ndarray) -> Float32[np.ndarray, "n h w c"]:
    """Returns images as numbers from 0 to 255."""
    if images.dtype == np.uint8:
        return images.astype(np.float32)
    low, high = float(images.min()), float(images.max())
    if images.dtype.kind != "f" or not 0 <= low <= high <= 1:
        raise DataError(
            f"{path}: images are {images.dtype} from {low:g} to {high:g}; they must be "
            "bytes, or numbers from 0 to 1"
        )
    return images.astype(np.float32) * 255


def _crops(image: tuple[int, int, int]) -> Float32[np.ndarray, "n h w c"]:
    """Returns squares of several sizes, spread evenly over both photographs."""
    if image[-1] not in (1, RGB):
        raise DataError(
            f"the checkpoint reads {image[-1]} channels and the photographs have {RGB}: "
            "give images of your own"
        )
    photographs = np.stack(load_sample_images().images).astype(np.float32)
    if image[-1] == 1:
        photographs = photographs.mean(axis=-1, keepdims=True)
    found = []
    for part, rows, columns in CROPS:
        height, width = photographs.shape[1:3]
        side = min(height, width) // part
        cut = [
            photographs[:, top : top + side, left : left + side]
            for top in np.linspace(0, height - side, rows).astype(int)
            for left in np.linspace(0, width - side, columns).astype(int)
        ]
        found.append(_resized(np.concatenate(cut), image))
    return np.concatenate(found)


def _resized(
    images: Float32[np.ndarray, "n h w c"], image: tuple[int, int, int]
) -> Float32[np.ndarray, "n height width c"]:
    if images.shape[1:3] == image[:2]:
        return images
    shape = (len(images), *image[:2], images.shape[-1])
    return np.asarray(jax.image.resize(jnp.asarray(images), shape, "linear"))
