"""A checkpoint with another activation in it, as the models that training takes."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax.nn import initializers
from jaxtyping import Array, Float, Key, PyTree

from research import prng
from research.activations.record import Activation
from research.experiment.problems import ModelKind
from research.models.contract import Model, Shapes
from research.models.dropout import Dropout
from research.surgery.encoder import Pretrained, Trace, trace
from research.surgery.readings import embeddings, row_cosines, squared_drift, tokens

# What a new classifier starts from, as BERT's does.
HEAD = initializers.normal(0.02)
LANGUAGE_HEADS = ("masked_lm", "causal_lm")

# (params, constants, inputs, trace) -> outputs. The parameters are {"checkpoint": …,
# "head": …}, the head empty but for a new classifier; the constants are the checkpoint's
# as they were.
Outputs = Callable[[PyTree, PyTree, Any, Trace], Float[Array, "rows ..."]]


def language_head(pretrained: Pretrained) -> str | None:
    """Returns the name of a checkpoint's language head; None where it has none."""
    return next((name for name in LANGUAGE_HEADS if name in pretrained.heads), None)


def language_kind(
    pretrained: Pretrained, layers: tuple[int, ...], *, dropout: float
) -> ModelKind:
    """Returns the model whose outputs are the checkpoint's own logits of each token."""
    head = language_head(pretrained)
    assert head is not None

    def outputs(params: PyTree, constants: PyTree, inputs: Any, found: Trace) -> Array:
        del params, constants, inputs
        return found.outputs[head]

    return _kind(pretrained, layers, outputs, dropout=dropout)


def distilled_kind(
    pretrained: Pretrained, layers: tuple[int, ...], *, dropout: float
) -> ModelKind:
    """Returns the model whose outputs compare it with the untouched one, row by row.

    Output 0 is the loss: ‖h' - h‖²/‖h‖² over a row's tokens, averaged over the layers.
    Output 1 is the cosine of a row's two embeddings.
    """

    def outputs(params: PyTree, constants: PyTree, inputs: Any, found: Trace) -> Array:
        del params
        before = trace(pretrained, constants, inputs, swaps={})
        real = tokens(inputs, found)
        losses = [
            squared_drift(after, base, real)
            for after, base in zip(found.hidden[1:], before.hidden[1:], strict=True)
        ]
        cosine = row_cosines(*(embeddings(inputs, each) for each in (found, before)))
        return jnp.stack([jnp.stack(losses).mean(axis=0), cosine], axis=1)

    return _kind(pretrained, layers, outputs, dropout=dropout)


def classifier_kind(
    pretrained: Pretrained, layers: tuple[int, ...], *, new_head: bool, dropout: float
) -> ModelKind:
    """Returns the model whose outputs are one row of logits for a row of inputs.

    Args:
      new_head: whether a dense layer of its own, on the pooled output where there is
        one, takes the place of the checkpoint's classifier.
    """

    def outputs(params: PyTree, constants: PyTree, inputs: Any, found: Trace) -> Array:
        del constants
        if not new_head:
            return found.outputs["classifier"]
        pooled = found.outputs.get("pooler")
        features = embeddings(inputs, found) if pooled is None else pooled
        return features @ params["head"]["kernel"] + params["head"]["bias"][None]

    return _kind(pretrained, layers, outputs, dropout=dropout, new_head=new_head)


def _kind(
    pretrained: Pretrained,
    layers: tuple[int, ...],
    outputs: Outputs,
    *,
    dropout: float,
    new_head: bool = False,
) -> ModelKind:
    def build(config: Any, activation: Activation, shapes: Shapes) -> Model:
        del config
        swaps = dict.fromkeys(layers, activation)

        def bound(constants: PyTree) -> Model:
            def init(key: Key[Array, ""]) -> tuple[PyTree, PyTree]:
                head = _new_head(pretrained, key, shapes) if new_head else {}
                return {"checkpoint": constants, "head": head}, ()

            def apply(
                params: PyTree,
                state: PyTree,
                inputs: Any,
                *,
                key: Key[Array, ""] | None,
                train: bool,
            ) -> tuple[Any, PyTree]:
                drop = Dropout(dropout if train else 0.0, key)
                found = trace(
                    pretrained, params["checkpoint"], inputs, swaps=swaps, dropout=drop
                )
                return outputs(params, constants, inputs, found), state

            return Model(init, apply, bound)

        return bound(pretrained.params)

    return ModelKind(
        build,
        lambda config, activation, shapes: pretrained.title,
        constants=pretrained.params,
    )


def _new_head(pretrained: Pretrained, key: Key[Array, ""], shapes: Shapes) -> PyTree:
    (classes,) = shapes.outputs
    size = (pretrained.config.width, classes)
    kernel = HEAD(prng.at_path(key, "head/kernel"), size)
    return {"kernel": kernel, "bias": jnp.zeros(classes)}
