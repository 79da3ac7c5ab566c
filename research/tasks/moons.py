"""make_moons: two interleaved half circles with Gaussian noise, and how well one can do."""

import math

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float
from sklearn.datasets import make_moons

from research.task_configs import MoonsConfig
from research.tasks.contract import Metric, Task
from research.tasks.scaling import fit_scaling, scale
from research.tasks.splits import redrawn, stratified


def log_loss(
    logits: Float[Array, "batch 1"], targets: Float[Array, " batch"]
) -> Float[Array, " batch"]:
    """Returns -log p(target), in nats."""
    return optax.sigmoid_binary_cross_entropy(logits[:, 0], targets)


def correct(
    logits: Float[Array, "batch 1"], targets: Float[Array, " batch"]
) -> Float[Array, " batch"]:
    """Returns 1 where the likelier class is the target, else 0."""
    return ((logits[:, 0] > 0) == (targets > 0.5)).astype(jnp.float32)


def bayes_rates(noise: float) -> tuple[float, float]:
    """Returns the accuracy and log-loss (nats) of the best classifier of make_moons.

    A class's density is the mean over its half circle of a Gaussian of standard
    deviation `noise`. Both rates are integrals over the plane, on a grid much finer
    than the noise. The half circles are 0.5 apart: below 0.03 nothing overlaps.
    """
    if noise < 0.03:
        return 1.0, 0.0
    angle = (np.arange(1000) + 0.5) * math.pi / 1000  # uniform on the half circle
    reach, step = 6 * noise, noise / 8
    x = np.arange(-1 - reach, 2 + reach, step)
    y = np.arange(-0.5 - reach, 1 + reach, step)

    def density(center_x: np.ndarray, center_y: np.ndarray) -> np.ndarray:
        along_x = np.exp(-np.square((x[:, None] - center_x) / noise) / 2)
        along_y = np.exp(-np.square((y[:, None] - center_y) / noise) / 2)
        return along_x @ along_y.T / (len(angle) * 2 * math.pi * noise**2)

    outer = density(np.cos(angle), np.sin(angle))
    inner = density(1 - np.cos(angle), 0.5 - np.sin(angle))
    total = outer + inner
    accuracy = np.maximum(outer, inner).sum() / 2 * step**2
    tiny = np.finfo(float).tiny
    entropy = -(
        outer * np.log(np.maximum(outer, tiny) / np.maximum(total, tiny))
        + inner * np.log(np.maximum(inner, tiny) / np.maximum(total, tiny))
    )
    return float(accuracy), float(entropy.sum() / 2 * step**2)


def load_moons(config: MoonsConfig) -> Task:
    """Returns the task, its test set fixed and stratified by `data_seed`."""
    inputs, classes = make_moons(
        config.samples, noise=config.noise, random_state=config.data_seed
    )
    classes = np.asarray(classes)
    test, rest = stratified(classes, test=config.test_samples, seed=config.data_seed)
    division = redrawn(test, rest, validation=config.validation_samples)
    accuracy, loss = bayes_rates(config.noise)
    return Task(
        name="moons",
        inputs=np.asarray(inputs, np.float32),
        targets=classes.astype(np.float32),
        outputs=(1,),
        rows=division.rows,
        split=division.split,
        fit=fit_scaling,
        transform=scale,
        loss=log_loss,
        metrics={
            "accuracy": Metric(
                fn=correct,
                higher_is_better=True,
                constant_predictor=0.5,
                ceiling=accuracy,
            ),
            "loss": Metric(
                fn=log_loss,
                higher_is_better=False,
                constant_predictor=math.log(2),
                ceiling=loss,
            ),
        },
        primary="accuracy",
    )
