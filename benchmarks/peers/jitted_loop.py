"""Flax and optax as their tutorials write it: a jitted step, called in a Python loop."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax import Array

from benchmarks import job


class MLP(nn.Module):
    """Dense layers with ReLU between them; LeCun normal kernels, biases 0."""

    @nn.compact
    def __call__(self, x: Array) -> Array:
        """Returns one logit a row."""
        for width in job.WIDTHS[1:-1]:
            x = nn.relu(nn.Dense(width)(x))
        return nn.Dense(job.WIDTHS[-1])(x)[:, 0]


MODEL, OPTIMIZER = MLP(), optax.adam(job.LEARNING_RATE)


@jax.jit
def start(seed: int) -> tuple[Any, Any]:
    """Returns a seed's first parameters and optimiser state."""
    params = MODEL.init(jax.random.key(seed), jnp.zeros((1, job.WIDTHS[0])))
    return params, OPTIMIZER.init(params)


@partial(jax.jit, donate_argnums=(0, 1))
def step(params: Any, state: Any, inputs: Array, targets: Array) -> tuple[Any, Any]:
    """Returns parameters and optimiser state after one batch."""

    def loss(params: Any) -> Array:
        logits = MODEL.apply(params, inputs)
        return optax.sigmoid_binary_cross_entropy(logits, targets).mean()

    updates, state = OPTIMIZER.update(jax.grad(loss)(params), state)
    return optax.apply_updates(params, updates), state


@jax.jit
def evaluate(params: Any, inputs: Array, targets: Array) -> tuple[Array, Array]:
    """Returns loss and accuracy."""
    logits: Any = MODEL.apply(params, inputs)
    loss = optax.sigmoid_binary_cross_entropy(logits, targets).mean()
    return loss, jnp.mean((logits > 0) == (targets > 0.5))


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains one seed after another."""
    return job.one_by_one(train, seeds, job.parts(seeds), epochs)


def train(
    seed: int,
    inputs: np.ndarray,
    targets: np.ndarray,
    held_inputs: np.ndarray,
    held_targets: np.ndarray,
    epochs: int,
) -> job.Curves:
    """Returns one seed's curves."""
    params, state = start(seed)
    random = np.random.default_rng(seed)
    held = jax.device_put((held_inputs, held_targets))
    validation = []
    for _ in range(epochs):
        order = random.permutation(len(targets))[: job.STEPS * job.BATCH]
        for rows in order.reshape(job.STEPS, job.BATCH):
            params, state = step(params, state, inputs[rows], targets[rows])
        validation.append(evaluate(params, *held))
    loss, accuracy = np.asarray(validation).T[:, :, None]
    return job.Curves(loss, accuracy, np.asarray(state[0].count)[None])
