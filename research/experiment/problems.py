"""Names become functions here, once: tasks, models, arms."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from research.activations.catalog import Activation
from research.config import ExperimentConfig
from research.errors import InvalidComparison
from research.models.contract import Model
from research.models.mlp import build_mlp, describe_mlp
from research.tasks.contract import Task
from research.tasks.moons import load_moons
from research.training.problem import Data, Problem

TASKS: dict[str, Callable[[Any], Task]] = {"moons": load_moons}
MODELS: dict[str, Callable[..., Model]] = {"mlp": build_mlp}
DESCRIPTIONS: dict[str, Callable[..., str]] = {"mlp": describe_mlp}


def load_task(config: ExperimentConfig) -> tuple[Task, Data]:
    """Returns the task, and its arrays as the device holds them."""
    task = TASKS[config.task.name](config.task)
    return task, Data(jnp.asarray(task.inputs), jnp.asarray(task.targets))


def describe_model(config: ExperimentConfig, task: Task) -> str:
    """Returns the model's one-line name."""
    describe = DESCRIPTIONS[config.model.name]
    return describe(config.model, inputs=task.inputs.shape[1], outputs=task.outputs)


def make_problem(
    config: ExperimentConfig, task: Task, activation: Activation
) -> Problem:
    """Returns an arm's training problem.

    Raises:
      InvalidComparison: the model never calls its activation.
    """

    def build(activation: Activation) -> Model:
        return MODELS[config.model.name](
            config.model,
            activation,
            inputs=task.inputs.shape[1],
            outputs=task.outputs,
        )

    def tapped(seen: list[Array]) -> Model:
        def record(x: Array) -> Array:
            seen.append(activation.fn(x))
            return seen[-1]

        return build(dataclasses.replace(activation, fn=record))

    problem = Problem(
        task=task,
        model=build(activation),
        tapped=tapped,
        optimizer=config.optimizer.name,
        batch_size=config.batch_size,
        vary=config.vary,
    )
    _check_wired(problem, activation)
    return problem


def _check_wired(problem: Problem, activation: Activation) -> None:
    seen: list[Array] = []
    model = problem.tapped(seen)
    row = jax.ShapeDtypeStruct((1, *problem.task.inputs.shape[1:]), jnp.float32)

    def forward(inputs: Array) -> Any:
        params, state = model.init(jax.random.key(0))
        return model.apply(params, state, inputs, key=None, train=False)

    jax.eval_shape(forward, row)
    if not seen:
        raise InvalidComparison(
            f"{activation.name}: the model never calls its activation, so the arms "
            "would be compared in nothing"
        )
