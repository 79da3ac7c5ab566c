"""A user's own model: an NNX module, a Linen module, or a pair of pure functions."""

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen, nnx
from jaxtyping import Array, Key, PyTree

from research import prng
from research.activations.catalog import Activation
from research.errors import ConfigError
from research.model_configs import OwnModelConfig
from research.models.contract import Model, Shapes, apply_nnx
from research.own_code import load_function, reason, short_name

STATELESS = (
    "it keeps state beside its parameters (dropout, batch norm); of one's own models, "
    "a pair of pure functions alone may"
)


def build_own(config: OwnModelConfig, activation: Activation, shapes: Shapes) -> Model:
    """Returns the model that the user's function builds.

    It is called as build(activation=, inputs=, outputs=), and with rngs= where it takes
    them: those of NNX, from the lane's key. Inputs and outputs are numbers where an
    example is a row of them, else shapes, and `vocabulary=` comes with tokens. The
    activation is its record: called as activation(x), activation(gate, value) or
    activation(x, parameters) by its `kind`, and it is for the model to own the second
    projection or the parameters.

    Raises:
      ConfigError: it cannot be loaded or called, or gives none of the three.
    """
    function: Any = load_function(config.name, field="model.name")
    given = {"activation": activation, **_sizes(shapes)}
    try:
        if _takes_rngs(function):
            return _from_nnx(lambda rngs: function(**given, rngs=rngs))
        built = function(**given)
        if isinstance(built, linen.Module):
            return _from_linen(built, shapes)
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"model.name={config.name}: building it failed, {reason(error)}"
        ) from error
    if isinstance(built, tuple) and len(built) == 2 and all(map(callable, built)):
        return Model(*built)
    raise ConfigError(
        f"model.name={config.name}: must return an nnx.Module (and take rngs), a linen "
        f"Module or a pair (init, apply), not a {type(built).__name__}"
    )


def describe_own(
    config: OwnModelConfig, activation: Activation | None, shapes: Shapes
) -> str:
    """Returns the model's one-line name, the same for every activation."""
    del activation
    sizes = _sizes(shapes)
    return f"{short_name(config.name)}, {sizes['inputs']} in and {sizes['outputs']} out"


def _sizes(shapes: Shapes) -> dict[str, Any]:
    """Returns what a user's function is told: sizes of rows, shapes of all else."""
    inputs = jax.tree.map(lambda x: x.shape, shapes.inputs)
    outputs = shapes.outputs
    told = {
        "inputs": inputs[0]
        if isinstance(inputs, tuple) and len(inputs) == 1
        else inputs,
        "outputs": outputs[0] if len(outputs) == 1 else outputs,
    }
    tokens = shapes.vocabulary is not None
    return told | ({"vocabulary": shapes.vocabulary} if tokens else {})


def _takes_rngs(function: Any) -> bool:
    # The metaclass of NNX modules hides what a class takes; its __init__ says it.
    called = function.__init__ if inspect.isclass(function) else function
    return "rngs" in inspect.signature(called).parameters


def _from_nnx(build: Callable[[nnx.Rngs], nnx.Module]) -> Model:
    module = nnx.eval_shape(lambda: build(nnx.Rngs(0)))
    graph, _, rest = nnx.split(module, nnx.Param, ...)
    if jax.tree.leaves(rest):
        raise TypeError(STATELESS)

    def init(key: Key[Array, ""]) -> tuple[PyTree, PyTree]:
        params = nnx.split(build(nnx.Rngs(key)), nnx.Param, ...)[1]
        return nnx.to_pure_dict(params), {}

    return Model(init, apply_nnx(graph))


def _from_linen(module: linen.Module, shapes: Shapes) -> Model:
    row = jax.tree.map(lambda x: jnp.zeros((1, *x.shape), x.dtype), shapes.inputs)
    if set(jax.eval_shape(module.init, prng.stream_key("init", 0), row)) - {"params"}:
        raise TypeError(STATELESS)

    def init(key: Key[Array, ""]) -> tuple[PyTree, PyTree]:
        return module.init(key, row).get("params", {}), {}

    def apply(
        params: PyTree,
        state: PyTree,
        inputs: PyTree,
        *,
        key: Key[Array, ""] | None,
        train: bool,
    ) -> tuple[Any, PyTree]:
        del key, train
        return module.apply({"params": params}, inputs), state

    return Model(init, apply)
