"""Names become functions here, once: tasks, models, arms."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from research import prng
from research.activations.catalog import Activation
from research.config import ExperimentConfig
from research.errors import ConfigError, InvalidComparison
from research.models.contract import Model
from research.models.mlp import build_mlp, describe_mlp
from research.models.own import build_own, describe_own
from research.own_code import is_own, reason
from research.tasks.contract import Task
from research.tasks.moons import load_moons
from research.training.problem import Data, Problem

TASKS: dict[str, Callable[[Any], Task]] = {"moons": load_moons}


@dataclass(frozen=True)
class ModelKind:
    """How a model is built from its config, and how it is called in reports."""

    build: Callable[..., Model]
    describe: Callable[..., str]


MODELS = {"mlp": ModelKind(build_mlp, describe_mlp)}
OWN = ModelKind(build_own, describe_own)


def load_task(config: ExperimentConfig) -> tuple[Task, Data]:
    """Returns the task, and its arrays as the device holds them."""
    task = TASKS[config.task.name](config.task)
    return task, Data(jnp.asarray(task.inputs), jnp.asarray(task.targets))


def describe_model(
    config: ExperimentConfig, task: Task, activation: Activation | None = None
) -> str:
    """Returns the model's one-line name, or what it is in the arm of an activation."""
    return model_kind(config).describe(
        config.model,
        activation,
        inputs=task.inputs.shape[1],
        outputs=task.outputs,
    )


def model_kind(config: ExperimentConfig) -> ModelKind:
    """Returns the kind that the config names; a name with a colon is a user's own."""
    return MODELS.get(config.model.name, OWN)


def make_problem(
    config: ExperimentConfig, task: Task, activation: Activation
) -> Problem:
    """Returns an arm's training problem.

    Raises:
      InvalidComparison: the model never calls its activation.
    """

    def build(activation: Activation) -> Model:
        return model_kind(config).build(
            config.model,
            activation,
            inputs=task.inputs.shape[1],
            outputs=task.outputs,
        )

    def tapped(seen: list[Array]) -> Model:
        def record(*given: Any) -> Array:
            seen.append(activation.fn(*given))
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
    _check_model(config, problem, activation)
    return problem


def _check_model(
    config: ExperimentConfig, problem: Problem, activation: Activation
) -> None:
    """Traces the model once: it must run, fit the task and call its activation."""
    seen: list[Array] = []
    row = jax.ShapeDtypeStruct((1, *problem.task.inputs.shape[1:]), jnp.float32)

    def forward(inputs: Array) -> Any:
        model = problem.tapped(seen)
        params, state = model.init(prng.stream_key("init", 0))
        return model.apply(params, state, inputs, key=None, train=False)[0]

    try:
        shape = jax.eval_shape(forward, row).shape
    except Exception as error:
        if not is_own(config.model.name) or isinstance(error, ConfigError):
            raise
        raise ConfigError(
            f"model.name={config.model.name}: it cannot be traced, {reason(error)}"
        ) from error
    if shape != (1, problem.task.outputs):
        raise ConfigError(
            f"model.name={config.model.name}: must give outputs of shape "
            f"{(1, problem.task.outputs)} for one row, not {shape}"
        )
    if not seen:
        raise InvalidComparison(
            f"{activation.name}: the model never calls its activation, so the arms "
            "would differ in nothing"
        )
