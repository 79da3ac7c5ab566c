"""This engine beside a plain vmapped scan of the bare step, alternating in one run.

Command: python benchmarks/population.py

Both train the main job's ReLU network: make_moons, MLP 2-64-64-1, Adam 0.001, batch 32,
64 seeds. The plain one is what most JAX code does: one device, one vmap over all seeds,
a scan over epochs of a scan over steps, validation once an epoch, and no bookkeeping.
The engine keeps best parameters, freezes diverged lanes, checks the rows drawn, and
shares the seeds over one host device a physical core.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import optax
from absl import app, flags

from research.config import ExperimentConfig
from research.experiment.prepare import Experiment, prepare
from research.training.population import compile_programs
from research.training.problem import make_lane, stream_ids, take

SEEDS = flags.DEFINE_integer("seeds", 64, "seeds trained at once", lower_bound=1)
EPOCHS = flags.DEFINE_integer("epochs", 20, "epochs of a trial", lower_bound=1)
TRIALS = flags.DEFINE_integer("trials", 5, "trials of each, alternating", lower_bound=1)
ACTIVATION = flags.DEFINE_string("activation", "relu", "the activation")


def engine(experiment: Experiment) -> Callable[[], object]:
    """Returns a trial of this project's engine, compiled and started."""
    problem = experiment.problems[experiment.reference]
    programs, data = compile_programs(problem, experiment.plan, experiment.data)
    block = experiment.plan.lanes_per_block
    ids = stream_ids(range(block), vary=experiment.config.vary)
    lanes, states, _, _ = programs.start((ids, jnp.full(block, 1e-3)), data)

    def trial() -> object:
        nonlocal states
        states, curves = programs.train(
            lanes, states, data, jnp.int32(0), jnp.int32(EPOCHS.value)
        )
        return curves

    return trial


def plain(experiment: Experiment) -> Callable[[], object]:
    """Returns a trial of the plain vmapped scan on one device, compiled and started."""
    problem, data = experiment.problems[experiment.reference], experiment.data
    task, model, optimizer = problem.task, problem.model, optax.adam(1e-3)
    steps, batch = problem.steps_per_epoch, problem.batch_size

    def loss(params, inputs, targets):
        outputs, _ = model.apply(params, {}, inputs, key=None, train=True)
        return task.loss(outputs, targets).mean()

    def step(carry, batch, *, lane):
        params, state = carry
        inputs = task.transform(lane.fitted, take(data.inputs, batch))
        value, gradient = jax.value_and_grad(loss)(
            params, inputs, take(data.targets, batch)
        )
        updates, state = optimizer.update(gradient, state)
        return (optax.apply_updates(params, updates), state), value

    def epoch(carry, number, *, lane):
        key = jax.random.fold_in(lane.order_key, number)
        order = jax.random.permutation(key, lane.split.train)
        batches = order[: steps * batch].reshape(steps, batch)
        carry, losses = jax.lax.scan(partial(step, lane=lane), carry, batches)
        held_out = lane.split.validation
        inputs = task.transform(lane.fitted, take(data.inputs, held_out))
        outputs, _ = model.apply(carry[0], {}, inputs, key=None, train=False)
        targets = take(data.targets, held_out)
        metrics = (task.loss(outputs, targets).mean(), losses.mean())
        return carry, metrics

    def train(lane, carry):
        body = partial(epoch, lane=lane)
        return jax.lax.scan(body, carry, jnp.arange(EPOCHS.value))

    ids = stream_ids(range(SEEDS.value), vary=("init", "order", "split"))
    make = jax.vmap(lambda ids: make_lane(problem, data, ids, jnp.float32(1e-3)))
    lanes = jax.jit(make)(ids)
    params = jax.jit(jax.vmap(lambda lane: model.init(lane.init_key)[0]))(lanes)
    carry = (params, jax.vmap(optimizer.init)(params))
    run = jax.jit(jax.vmap(train), donate_argnums=1)

    def trial() -> object:
        nonlocal carry
        carry, metrics = run(lanes, carry)
        return metrics

    return trial


def microseconds(trial: Callable[[], object], steps: int) -> float:
    """Returns the time of one optimiser step of one seed in a trial."""
    began = time.perf_counter()
    jax.block_until_ready(trial())
    return (time.perf_counter() - began) / (steps * SEEDS.value) * 1e6


def main(argv: list[str]) -> None:
    """Alternates both and prints the medians and their ratio."""
    del argv
    experiment = prepare(
        ExperimentConfig(activations=(ACTIVATION.value, "identity"), seeds=SEEDS.value)
    )
    steps = EPOCHS.value * experiment.steps_per_epoch
    trials = {"engine": engine(experiment), "plain": plain(experiment)}
    for trial in trials.values():
        jax.block_until_ready(trial())
    times: dict[str, list[float]] = {name: [] for name in trials}
    for _ in range(TRIALS.value):
        for name, trial in trials.items():
            times[name].append(microseconds(trial, steps))
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{ACTIVATION.value}, {SEEDS.value} seeds, {experiment.plan}")
    print("microseconds of one optimiser step of one seed, everything included")
    for name, values in times.items():
        every = " ".join(f"{value:.1f}" for value in values)
        print(f"  {name:<7} median {medians[name]:6.2f}   trials {every}")
    print(f"engine / plain = {medians['engine'] / medians['plain']:.3f}")


if __name__ == "__main__":
    app.run(main)
