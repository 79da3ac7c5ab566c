"""Names become functions here, once: tasks, models, arms."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from research.activations.catalog import Activation
from research.activations.switch import switched
from research.config import ExperimentConfig
from research.errors import ConfigError, InvalidComparison
from research.models.contract import Model, Shapes
from research.models.language import (
    build_lm,
    build_masked_lm,
    describe_lm,
    describe_masked_lm,
)
from research.models.mlp import build_mlp, describe_mlp
from research.models.own import build_own, describe_own
from research.models.tagger import build_tagger, describe_tagger
from research.models.vision import build_vit, describe_vit
from research.own_code import is_own, reason
from research.tasks.char_lm import load_char_lm
from research.tasks.contract import Task
from research.tasks.digits import load_digits
from research.tasks.images import load_images
from research.tasks.masked_lm import load_masked_lm
from research.tasks.mnist1d import load_mnist1d
from research.tasks.moons import load_moons
from research.tasks.spoken_digits import load_spoken_digits
from research.tasks.tagging import load_tagging
from research.training.problem import (
    ANY_LANE,
    Data,
    Problem,
    forward,
    make_lane,
    start,
    take,
)
from research.training.step import train_step

TASKS: dict[str, Callable[[Any], Task]] = {
    "moons": load_moons,
    "digits": load_digits,
    "mnist1d": load_mnist1d,
    "images": load_images,
    "char_lm": load_char_lm,
    "masked_lm": load_masked_lm,
    "tagging": load_tagging,
    "spoken_digits": load_spoken_digits,
}


@dataclass(frozen=True)
class ModelKind:
    """How a model is built from its config, and how it is called in reports.

    sees_ahead: whether an output may depend on inputs of later positions.
    constants: the arrays of models that are `bound` to some.
    """

    build: Callable[[Any, Activation, Shapes], Model]
    describe: Callable[[Any, Activation | None, Shapes], str]
    sees_ahead: bool = True
    constants: PyTree = ()


MODELS = {
    "mlp": ModelKind(build_mlp, describe_mlp),
    "vit": ModelKind(build_vit, describe_vit),
    "lm": ModelKind(build_lm, describe_lm, sees_ahead=False),
    "masked_lm": ModelKind(build_masked_lm, describe_masked_lm),
    "tagger": ModelKind(build_tagger, describe_tagger),
}
OWN = ModelKind(build_own, describe_own)


def load_task(config: ExperimentConfig) -> Task:
    """Returns the task that the config names.

    Raises:
      ConfigError: a task that another command loads.
    """
    name = config.task.name
    if name not in TASKS:
        raise ConfigError(
            f"task.name={name}: is that of `launch.py surgery`; the others are "
            f"{', '.join(TASKS)}"
        )
    return TASKS[name](config.task)


def data_of(task: Task, kind: ModelKind) -> Data:
    """Returns the arrays of task and model as the device holds them."""
    data = Data(task.inputs, task.targets, kind.constants)
    return jax.tree.map(jnp.asarray, data)


def shapes_of(task: Task) -> Shapes:
    """Returns what a model is built for: the task's inputs as `transform` leaves them."""

    def first_row() -> Any:
        inputs = jax.tree.map(lambda array: jnp.asarray(array[:1]), task.inputs)
        return task.transform(task.fit(inputs), inputs)

    row = jax.eval_shape(first_row)
    one = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), row)
    return Shapes(one, task.outputs, task.vocabulary)


def model_kind(config: ExperimentConfig) -> ModelKind:
    """Returns the kind that the config names; a name with a colon is a user's own.

    Raises:
      ConfigError: a model that another command builds.
    """
    name = config.model.name
    if name not in MODELS and not is_own(name):
        raise ConfigError(
            f"model.name={name}: is that of `launch.py surgery`; the others are "
            f"{', '.join(MODELS)}"
        )
    return MODELS.get(name, OWN)


def make_problem(
    config: ExperimentConfig,
    task: Task,
    data: Data,
    activation: Activation,
    *,
    kind: ModelKind,
) -> Problem:
    """Returns an arm's training problem.

    Raises:
      ConfigError: a model that cannot be built, or trained on this task.
      InvalidComparison: the model never calls its activation.
    """
    if task.causal and kind.sees_ahead and kind is not OWN:
        raise ConfigError(
            f"model.name={config.model.name}: sees the characters that "
            f"task.name={config.task.name} asks for; use model.name=lm"
        )

    problem = _problem_of(config, task, activation, kind=kind)
    _check_model(config, problem, data, activation)
    if task.causal and kind is OWN and _sees_ahead(problem, data):
        raise ConfigError(
            f"model.name={config.model.name}: its outputs depend on later tokens, which "
            f"task.name={config.task.name} asks for"
        )
    return problem


def _problem_of(
    config: ExperimentConfig, task: Task, activation: Activation, *, kind: ModelKind
) -> Problem:
    shapes = shapes_of(task)

    def build(activation: Activation) -> Model:
        return kind.build(config.model, activation, shapes)

    def tapped(tap: Callable[[Array], Array]) -> Model:
        built = False

        def applied(*given: Any) -> Array:
            hidden = activation.fn(*given)
            return tap(hidden) if built else hidden

        model = build(dataclasses.replace(activation, fn=applied))
        built = True
        return model

    return Problem(
        task=task,
        model=build(activation),
        tapped=tapped,
        optimizer=config.optimizer.name,
        batch_size=config.batch_size,
        redraws_test="test_split" in config.vary,
        dtype=config.compute.dtype,
        remat=config.compute.remat,
    )


def problem_of_several(
    config: ExperimentConfig,
    task: Task,
    activations: Sequence[Activation],
    *,
    kind: ModelKind,
) -> Problem:
    """Returns one problem of several elementwise activations, of which the data choose."""
    first = activations[0]
    functions = tuple(activation.fn for activation in activations)

    def choose(index: Array) -> Problem:
        chosen = dataclasses.replace(first, fn=partial(switched, functions, index))
        return _problem_of(config, task, chosen, kind=kind)

    problem = _problem_of(config, task, first, kind=kind)
    return dataclasses.replace(problem, choose=choose)


def _sees_ahead(problem: Problem, data: Data) -> bool:
    """Tells whether another last token changes the outputs of earlier positions."""

    def change() -> Array:
        lane = make_lane(problem, data, ANY_LANE, jnp.float32(1))
        state = start(problem, lane)
        row = take(data.inputs, lane.split.train[:1])
        other = row.at[:, -1].set((row[:, -1] + 1) % problem.task.vocabulary)
        outputs = [
            forward(
                problem,
                state.params,
                state.model_state,
                inputs,
                key=None,
                train=False,
            )[0][:, :-1]
            for inputs in (row, other)
        ]
        return (outputs[0] != outputs[1]).any()

    return bool(jax.jit(change)())


def _check_model(
    config: ExperimentConfig, problem: Problem, data: Data, activation: Activation
) -> None:
    """Traces the model: it must run, fit the task, call its activation.

    A user's own is traced through a training step, too: it must be trainable.
    """
    field, seen = f"model.name={config.model.name}", []

    def see(hidden: Array) -> Array:
        seen.append(hidden.shape)
        return hidden

    def start_and_step() -> Any:
        lane = make_lane(problem, data, ANY_LANE, jnp.float32(1))
        state = start(problem, lane)
        if not jax.tree.leaves(state.params):
            raise ConfigError(f"{field}: it has no parameters to train")
        rows = lane.split.train[: problem.batch_size]
        inputs = problem.task.transform(lane.fitted, take(data.inputs, rows))
        outputs, _ = forward(
            problem,
            state.params,
            state.model_state,
            inputs,
            key=None,
            train=False,
            model=problem.tapped(see),
        )
        shape = (len(rows), *problem.task.outputs)
        if getattr(outputs, "shape", None) != shape:
            raise ConfigError(
                f"{field}: must give one array of shape {shape} for {len(rows)} rows, "
                f"not {getattr(outputs, 'shape', type(outputs).__name__)}"
            )
        if not is_own(config.model.name):
            return state, state
        after, _ = train_step(problem, data, lane, state, rows, lane.dropout_key)
        return state, after

    try:
        before, after = jax.eval_shape(start_and_step)
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        if not is_own(config.model.name):
            raise
        raise ConfigError(f"{field}: it cannot be trained, {reason(error)}") from error
    if before != after:
        raise ConfigError(
            f"{field}: a training step changes the shapes or types of its state"
        )
    if not seen:
        raise InvalidComparison(
            f"{activation.name}: the model never calls its activation, so the arms "
            "would differ in nothing"
        )
