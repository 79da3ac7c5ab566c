"""A plain vmapped scan of the bare step, as most JAX code trains many seeds.

One vmap over all seeds, a scan over epochs of a scan over steps, validation once an
epoch, and no bookkeeping. Where JAX has several devices, the seeds are laid over them.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from jax.sharding import NamedSharding, PartitionSpec

from benchmarks import job
from research.config import ComputeConfig, ExperimentConfig
from research.experiment.prepare import Experiment, prepare
from research.training.devices import AXIS, seed_mesh
from research.training.problem import Lane, make_lane, stream_ids, take

OPTIMIZER = optax.adam(job.LEARNING_RATE)


def run(seeds: Sequence[int], epochs: int, *, devices: int | None = None) -> job.Curves:
    """Trains every seed in the same steps, on all of JAX's devices or on so many."""
    devices = devices or jax.device_count()
    start, train = programs(devices, epochs)
    over_devices = NamedSharding(seed_mesh(devices), PartitionSpec(AXIS))
    ids = stream_ids(seeds, vary=("init", "order", "split"))
    (_, state), (loss, accuracy) = train(*start(jax.device_put(ids, over_devices)))
    return job.Curves(
        np.asarray(loss).T, np.asarray(accuracy).T, np.asarray(state[0].count)
    )


@functools.cache
def programs(
    devices: int, epochs: int
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns both parts of a training, jitted and vmapped over the seeds.

    The default experiment's data, network and draws are used.
    """
    experiment = prepare(ExperimentConfig(compute=ComputeConfig(devices=devices)))
    start = functools.partial(start_seed, experiment)
    train = functools.partial(train_seed, experiment, epochs)
    return jax.jit(jax.vmap(start)), jax.jit(jax.vmap(train), donate_argnums=1)


def start_seed(experiment: Experiment, ids: Any) -> tuple[Lane, Any]:
    """Returns a seed's constants, and its first parameters and optimiser state."""
    problem = experiment.problems["relu"]
    lane = make_lane(problem, experiment.data, ids, jnp.float32(job.LEARNING_RATE))
    params, _ = problem.model.init(lane.init_key)
    return lane, (params, OPTIMIZER.init(params))


def train_seed(experiment: Experiment, epochs: int, lane: Lane, carry: Any) -> Any:
    """Returns a seed's last parameters and optimiser state, and its curves."""
    problem, data = experiment.problems["relu"], experiment.data
    task, model = problem.task, problem.model

    def scores(params: Any, rows: Array) -> tuple[Array, Array]:
        inputs = task.transform(lane.fitted, take(data.inputs, rows))
        logits, _ = model.apply(params, {}, inputs, key=None, train=True)
        targets = take(data.targets, rows)
        correct = (logits[:, 0] > 0) == (targets > 0.5)
        return task.loss(logits, targets).mean(), correct.mean()

    def step(carry: Any, rows: Array) -> tuple[Any, None]:
        params, state = carry
        gradient, _ = jax.grad(scores, has_aux=True)(params, rows)
        updates, state = OPTIMIZER.update(gradient, state)
        return (optax.apply_updates(params, updates), state), None

    def epoch(carry: Any, number: Array) -> tuple[Any, tuple[Array, Array]]:
        key = jax.random.fold_in(lane.order_key, number)
        order = jax.random.permutation(key, lane.split.train)[: job.STEPS * job.BATCH]
        carry, _ = jax.lax.scan(step, carry, order.reshape(job.STEPS, job.BATCH))
        return carry, scores(carry[0], lane.split.validation)

    return jax.lax.scan(epoch, carry, jnp.arange(epochs))
