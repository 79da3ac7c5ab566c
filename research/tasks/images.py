"""Images of the user's own: the four IDX files of MNIST's form, or one .npz."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from research.errors import DataError
from research.task_configs import ImagesConfig
from research.tasks.classes import (
    class_metrics,
    constant_predictor,
    count_classes,
    cross_entropy,
)
from research.tasks.contract import Task
from research.tasks.files import given_path
from research.tasks.idx import find_idx, read_idx
from research.tasks.npz import read_npz
from research.tasks.scaling import fit_scaling, scale
from research.tasks.splits import redrawn

# More classes than any set of images has; a label beyond is another number.
LARGEST_CLASS = 1_000_000
NAMES = ("x_train", "y_train", "x_test", "y_test")
IDX_NAMES = {
    "x_train": "train-images-idx3-ubyte",
    "y_train": "train-labels-idx1-ubyte",
    "x_test": "t10k-images-idx3-ubyte",
    "y_test": "t10k-labels-idx1-ubyte",
}


class Part(NamedTuple):
    """Images [rows, height, width, channels], bytes, and the class of each."""

    images: np.ndarray
    classes: np.ndarray


def load_images(config: ImagesConfig) -> Task:
    """Returns the task: pixels held as bytes, the test set the published one.

    Raises:
      ConfigError: no path, or nothing left to train on.
      DataError: files that are not there or do not hold what they should.
    """
    path = given_path(
        config.path, task="images", what="a folder of IDX files, or an .npz file"
    )
    train, test = _read_parts(path)
    if train.images.shape[1:] != test.images.shape[1:]:
        raise DataError(
            f"{path}: training images are {_size(train)}, test images {_size(test)}"
        )
    train, test = _first(train, config.train_samples), _first(test, config.test_samples)
    classes = count_classes(train.classes, test.classes, name=str(path))
    if classes < 2:
        raise DataError(f"{path}: has one class alone; there is nothing to tell apart")
    count = len(train.images)
    division = redrawn(
        np.arange(count, count + len(test.images)),
        np.arange(count),
        validation=config.validation_samples,
    )
    constant = constant_predictor(train.classes, test.classes, classes=classes)
    return Task(
        name="images",
        inputs=np.concatenate([train.images, test.images]),
        targets=np.concatenate([train.classes, test.classes]),
        outputs=(classes,),
        rows=division.rows,
        split=division.split,
        fit=fit_scaling,
        transform=scale,
        loss=cross_entropy,
        metrics=class_metrics(constant),
        primary="accuracy",
        remarks=(
            f"the images are {count:,} and {len(test.images):,} of {path.name}, the "
            "test set the published one",
        ),
    )


def _read_parts(path: Path) -> tuple[Part, Part]:
    if path.is_dir():
        arrays = {
            name: read_idx(find_idx(path, published))
            for name, published in IDX_NAMES.items()
        }
    else:
        arrays = read_npz(path, NAMES)
    return (
        _part(path, arrays["x_train"], arrays["y_train"], "train"),
        _part(path, arrays["x_test"], arrays["y_test"], "test"),
    )


def _part(path: Path, images: np.ndarray, classes: np.ndarray, name: str) -> Part:
    """Returns a part in one form: [rows, height, width, channels] and int32.

    Raises:
      DataError: other shapes or types, no image, or unequal counts.
    """
    if images.ndim not in (3, 4) or images.dtype != np.uint8:
        raise DataError(
            f"{path}: the {name} images must be bytes [rows, height, width] or "
            f"[rows, height, width, channels], not {images.dtype} {images.shape}"
        )
    flat = classes.ndim == 1 or (classes.ndim == 2 and classes.shape[1] == 1)
    if not flat or classes.dtype.kind not in "iu":
        raise DataError(
            f"{path}: the {name} labels must be whole numbers [rows], not "
            f"{classes.dtype} {classes.shape}"
        )
    if classes.size and not 0 <= classes.min() <= classes.max() <= LARGEST_CLASS:
        raise DataError(
            f"{path}: the {name} labels go from {classes.min()} to {classes.max()}; they "
            f"must be classes from 0 to {LARGEST_CLASS:,}"
        )
    if images.size == 0:
        raise DataError(f"{path}: holds no {name} image")
    if len(images) != len(classes):
        raise DataError(
            f"{path}: has {len(images)} {name} images, but {len(classes)} labels"
        )
    channels = images if images.ndim == 4 else images[..., None]
    return Part(channels, classes.reshape(-1).astype(np.int32))


def _first(part: Part, count: int | None) -> Part:
    return Part(part.images[:count], part.classes[:count])


def _size(part: Part) -> str:
    return " x ".join(map(str, part.images.shape[1:]))
