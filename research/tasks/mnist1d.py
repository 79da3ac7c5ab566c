"""MNIST-1D: curves of 40 samples, each a digit's shape moved, stretched and blurred.

S. Greydanus, D. Kobak, Scaling Down Deep Learning with MNIST-1D, 2024; arXiv:2011.14439.
"""

import contextlib
import io
from collections.abc import Mapping

import numpy as np

from research.errors import DataError
from research.task_configs import Mnist1dConfig
from research.tasks.classes import (
    class_metrics,
    constant_predictor,
    count_classes,
    cross_entropy,
)
from research.tasks.contract import Task
from research.tasks.scaling import fit_scaling, scale
from research.tasks.splits import redrawn


def load_mnist1d(config: Mnist1dConfig) -> Task:
    """Returns the task: the curves that the authors' package makes by its own settings.

    Raises:
      DataError: the package is not there, or makes something else.
    """
    made = _generate()
    inputs = np.concatenate([made["x"], made["x_test"]]).astype(np.float32)
    targets = np.concatenate([made["y"], made["y_test"]]).astype(np.int32)
    count = len(made["x"])
    train, test = targets[:count], targets[count:]
    division = redrawn(
        np.arange(count, len(inputs)),
        np.arange(count),
        validation=config.validation_samples,
    )
    classes = count_classes(train, test, name="mnist1d")
    constant = constant_predictor(train, test, classes=classes)
    return Task(
        name="mnist1d",
        inputs=inputs,
        targets=targets,
        outputs=(classes,),
        rows=division.rows,
        split=division.split,
        fit=fit_scaling,
        transform=scale,
        loss=cross_entropy,
        metrics=class_metrics(constant),
        primary="accuracy",
        remarks=("the test set is the published one of MNIST-1D",),
    )


def _generate() -> Mapping[str, np.ndarray]:
    """Makes the published data set anew; nothing is downloaded or written."""
    # The package prints as it works.
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            from mnist1d.data import (  # pyright: ignore[reportMissingImports]
                get_dataset_args,
                make_dataset,
            )
        except ImportError as error:
            raise DataError(
                "task.name=mnist1d: needs the package mnist1d (pip install mnist1d); "
                f"{error}"
            ) from None
        return make_dataset(get_dataset_args())
