"""What training needs of a model: a pair of pure functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
from flax import nnx
from jax.nn import initializers
from jaxtyping import Array, Key, PyTree

from research import prng
from research.models.dropout import Dropout

Initializer = Callable[..., Array]

# The kernel initialisers that a config may name; all scale by the fans alone and do not
# know the activation, so that every arm starts from the same weights.
KERNEL_INITIALIZERS: dict[str, Initializer] = {
    "lecun_normal": initializers.lecun_normal(),
    "lecun_uniform": initializers.lecun_uniform(),
    "he_normal": initializers.he_normal(),
    "he_uniform": initializers.he_uniform(),
    "glorot_normal": initializers.glorot_normal(),
    "glorot_uniform": initializers.glorot_uniform(),
    "orthogonal": initializers.orthogonal(),
}


# The name in a leaf's path below which the parameters of an activation stand.
ACTIVATION_PARAMETERS = "activation_parameters"


class Model(NamedTuple):
    """A model as a pair of pure functions, as an optax transformation is.

    init: key -> (params, state).
    apply: (params, state, inputs, *, key, train) -> (outputs, state).
    bound: constants -> the same model on these arrays, for one that starts from arrays
      or reads them: as arguments of a program they are held once, as literals in every
      program. None of a model without.
    """

    init: Callable[..., tuple[PyTree, PyTree]]
    apply: Callable[..., tuple[Any, PyTree]]
    bound: Callable[[PyTree], "Model"] | None = None


@dataclass(frozen=True)
class Shapes:
    """What a model is built for, of one example.

    inputs: a jax.ShapeDtypeStruct, or a pytree of them.
    outputs: the shape of its outputs: (classes,), or (positions, classes).
    vocabulary: how many token ids the inputs have; None where they are no tokens.
    """

    inputs: PyTree
    outputs: tuple[int, ...]
    vocabulary: int | None = None


def from_nnx(
    build: Callable[[nnx.Rngs], nnx.Module],
    leaves: Mapping[str, Initializer],
    *,
    dropout: float | None = None,
) -> Model:
    """Splits an NNX module once and draws each parameter by its path.

    NNX's own rngs count, so a layer more in one arm would change every later layer's
    weights; here a parameter's key is a hash of its path and of nothing else.

    Args:
      build: makes the module; called for its structure only.
      leaves: the initialiser of each parameter, by the last name of its path.
      dropout: the rate of a module that is called as module(inputs, dropout); None of
        one that is called as module(inputs).
    """
    module = nnx.eval_shape(lambda: build(nnx.Rngs(0)))
    graph, shapes, rest = nnx.split(module, nnx.Param, ...)

    def init(key: Key[Array, ""]) -> tuple[PyTree, PyTree]:
        def draw(path: tuple, leaf: Any) -> Array:
            words = [str(getattr(part, "key", part)) for part in path]
            initializer = leaves[words[-1]]
            return initializer(
                prng.at_path(key, "/".join(words)), leaf.shape, leaf.dtype
            )

        params = jax.tree_util.tree_map_with_path(draw, nnx.to_pure_dict(shapes))
        return params, nnx.to_pure_dict(rest)

    return Model(init, apply_nnx(graph, dropout=dropout))


def apply_nnx(
    graph: nnx.GraphDef, *, dropout: float | None = None
) -> Callable[..., tuple[Any, PyTree]]:
    """Returns the apply function of an NNX module without running state.

    Args:
      dropout: the rate, as `from_nnx` takes it.
    """

    def apply(
        params: PyTree,
        state: PyTree,
        inputs: PyTree,
        *,
        key: Key[Array, ""] | None,
        train: bool,
    ) -> tuple[Any, PyTree]:
        module = nnx.merge(graph, params, state)
        if dropout is None:
            return module(inputs), state
        return module(inputs, Dropout(dropout if train else 0.0, key)), state

    return apply


def decayed(params: PyTree) -> PyTree:
    """Tells for every leaf whether weight decay may act on it: an optax mask.

    It may not on the parameters of an activation, which it would pull towards another
    function (towards ReLU, for a PReLU's slope).
    """

    def may(path: tuple, leaf: Any) -> bool:
        del leaf
        return all(getattr(p, "key", None) != ACTIVATION_PARAMETERS for p in path)

    return jax.tree_util.tree_map_with_path(may, params)
