"""A user's own model: an NNX module, a Linen module, or a pair of pure functions."""

import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from flax import linen, nnx
from jaxtyping import Array, Key, PyTree

from research.activations.catalog import Activation
from research.config import MLPConfig
from research.errors import ConfigError
from research.models.contract import Model
from research.own_code import load_function, reason, short_name


def build_own(
    config: MLPConfig, activation: Activation, *, inputs: int, outputs: int
) -> Model:
    """Returns the model that the user's function builds.

    It is called as build(activation=, inputs=, outputs=), and with rngs= where it takes
    them: those of NNX, from the lane's key. The activation is its record: called as
    activation(x), activation(gate, value) or activation(x, parameters) by its `kind`,
    and it is for the model to own the second projection or the parameters.

    Raises:
      ConfigError: it cannot be loaded or called, or gives none of the three.
    """
    function: Any = load_function(config.name, field="model.name")
    shapes = {"activation": activation, "inputs": inputs, "outputs": outputs}
    try:
        if _takes_rngs(function):
            return _from_nnx(lambda rngs: function(**shapes, rngs=rngs))
        built = function(**shapes)
    except Exception as error:
        raise ConfigError(
            f"model.name={config.name}: building it failed, {reason(error)}"
        ) from error
    if isinstance(built, linen.Module):
        return _from_linen(built, inputs)
    if isinstance(built, tuple) and len(built) == 2 and all(map(callable, built)):
        return Model(*built)
    raise ConfigError(
        f"model.name={config.name}: must return an nnx.Module (and take rngs), a linen "
        f"Module or a pair (init, apply), not a {type(built).__name__}"
    )


def describe_own(
    config: MLPConfig,
    activation: Activation | None = None,
    *,
    inputs: int,
    outputs: int,
) -> str:
    """Returns the model's one-line name, the same for every activation."""
    del activation
    return f"{short_name(config.name)}, {inputs} in and {outputs} out"


def _takes_rngs(function: Any) -> bool:
    # The metaclass of NNX modules hides what a class takes; its __init__ says it.
    called = function.__init__ if inspect.isclass(function) else function
    return "rngs" in inspect.signature(called).parameters


def _from_nnx(build: Callable[[nnx.Rngs], nnx.Module]) -> Model:
    module = nnx.eval_shape(lambda: build(nnx.Rngs(0)))
    graph, _, _ = nnx.split(module, nnx.Param, ...)

    def init(key: Key[Array, ""]) -> tuple[PyTree, PyTree]:
        _, params, rest = nnx.split(build(nnx.Rngs(key)), nnx.Param, ...)
        return nnx.to_pure_dict(params), nnx.to_pure_dict(rest)

    def apply(
        params: PyTree,
        state: PyTree,
        inputs: PyTree,
        *,
        key: Key[Array, ""] | None,
        train: bool,
    ) -> tuple[Any, PyTree]:
        del key, train
        return nnx.merge(graph, params, state)(inputs), state

    return Model(init, apply)


def _from_linen(module: linen.Module, inputs: int) -> Model:
    def init(key: Key[Array, ""]) -> tuple[PyTree, PyTree]:
        variables = dict(module.init(key, jnp.zeros((1, inputs), jnp.float32)))
        return variables.pop("params", {}), variables

    def apply(
        params: PyTree,
        state: PyTree,
        inputs: PyTree,
        *,
        key: Key[Array, ""] | None,
        train: bool,
    ) -> tuple[Any, PyTree]:
        del train
        rngs = {} if key is None else {"dropout": key}
        return module.apply({"params": params, **state}, inputs, rngs=rngs), state

    return Model(init, apply)
