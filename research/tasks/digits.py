"""scikit-learn's digits: 1797 handwritten digits of 8 x 8 pixels, from 0 to 9.

E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
Repository, 1998; scikit-learn holds its test set.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Array, Float, Int, Key
from sklearn.datasets import load_digits as read_digits

from research.errors import ConfigError
from research.task_configs import DigitsConfig
from research.tasks.classes import class_metrics, constant_predictor, cross_entropy
from research.tasks.contract import Task
from research.tasks.scaling import fit_scaling, scale
from research.tasks.shifts import shifted
from research.tasks.splits import redrawn, stratified

CLASSES = 10
BRIGHTEST = 16
# Of the fixed test set, the same in every run.
TEST_SEED = 0


def load_digits(config: DigitsConfig) -> Task:
    """Returns the task: inputs from 0 to 1, its test set fixed and stratified.

    Raises:
      ConfigError: the test and validation sets leave nothing to train on.
    """
    images, classes = read_digits(return_X_y=True)
    images = (images / BRIGHTEST).astype(np.float32).reshape(-1, 8, 8, 1)
    if config.test_samples > len(images) - CLASSES:
        raise ConfigError(
            f"task.test_samples={config.test_samples}: must be at most "
            f"{len(images) - CLASSES} of the {len(images)} images"
        )
    test, rest = stratified(classes, test=config.test_samples, seed=TEST_SEED)
    division = redrawn(test, rest, validation=config.validation_samples)
    constant = constant_predictor(classes[rest], classes[test], classes=CLASSES)
    return Task(
        name="digits",
        inputs=images,
        targets=classes.astype(np.int32),
        outputs=(CLASSES,),
        rows=division.rows,
        split=division.split,
        augment=_shift_images(config.shift),
        fit=fit_scaling,
        transform=scale,
        loss=cross_entropy,
        metrics=class_metrics(constant),
        primary="accuracy",
        remarks=_remarks(config.shift),
    )


def _shift_images(most: int) -> Callable | None:
    if most == 0:
        return None
    move = partial(shifted, axes=(0, 1), most=most, fill=0.0)

    def augment(
        key: Key[Array, ""],
        inputs: Float[Array, "batch 8 8 1"],
        targets: Int[Array, " batch"],
    ) -> tuple[Float[Array, "batch 8 8 1"], Int[Array, " batch"]]:
        return move(key, inputs), targets

    return augment


def _remarks(shift: int) -> tuple[str, ...]:
    if shift == 0:
        return ()
    pixels = "one pixel" if shift == 1 else f"{shift} pixels"
    return (
        f"training images are shifted by up to {pixels} along each axis, the same "
        "shifts under every arm",
    )
