"""The numbers behind the figures that only a trained model or an activation can give."""

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from research.activations.catalog import Activation
from research.tasks.contract import Task
from research.training.lanes import TrainedArm
from research.training.problem import Problem

REACH = 6.0
POINTS = 601
GRID = 160


def same_function(activations: Sequence[Activation]) -> bool:
    """Tells whether activations give equal bits on [-6, 6]."""
    x = jnp.linspace(-REACH, REACH, POINTS, dtype=jnp.float32)
    values = [np.asarray(activation.curve(x)).tobytes() for activation in activations]
    return len(set(values)) == 1


def activation_pictures(activations: Mapping[str, Activation]) -> dict[str, np.ndarray]:
    """Returns every activation and its derivative on [-6, 6].

    A gated one as a function of its gate with value 1, a parametric one at its initial
    parameters.
    """
    x = jnp.linspace(-REACH, REACH, POINTS, dtype=jnp.float32)
    pictures = {"activation/x": np.asarray(x)}
    for slug, activation in activations.items():
        slope = jax.vmap(jax.grad(activation.curve))
        pictures[f"activation/{slug}/value"] = np.asarray(activation.curve(x))
        pictures[f"activation/{slug}/derivative"] = np.asarray(slope(x))
    return pictures


def boundary_pictures(
    task: Task, problems: Mapping[str, Problem], trained: Mapping[str, TrainedArm]
) -> dict[str, np.ndarray]:
    """Returns the first seed's probability of class 1 over the plane, for each arm.

    Empty for a task that is not two classes in the plane.
    """
    if np.shape(task.inputs)[1:] != (2,) or task.outputs != (1,):
        return {}
    low, high = task.inputs.min(axis=0) - 0.2, task.inputs.max(axis=0) + 0.2
    x, y = (np.linspace(low[i], high[i], GRID, dtype=np.float32) for i in (0, 1))
    plane = jnp.asarray(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))
    first = next(iter(trained.values()))
    pictures = {
        "boundary/x": x,
        "boundary/y": y,
        "boundary/points": task.inputs,
        "boundary/labels": task.targets,
        "boundary/seed": first.seeds[0],
    }
    for slug, problem in problems.items():
        held = (trained[slug].fitted, trained[slug].params)
        fitted, (params, state) = jax.tree.map(jnp.asarray, held)
        inputs = task.transform(fitted, plane)
        logits, _ = problem.model.apply(params, state, inputs, key=None, train=False)
        chance = jax.nn.sigmoid(logits[:, 0])
        pictures[f"boundary/{slug}"] = np.asarray(chance).reshape(GRID, GRID)
    return pictures
