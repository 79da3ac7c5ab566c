"""The encoder classifier on patches of images, or on frames of sequences."""

import math
from typing import Any

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from research.activations.record import Activation
from research.errors import ConfigError
from research.model_configs import VisionTransformerConfig
from research.models.contract import Model, Shapes, from_nnx
from research.models.dropout import Dropout
from research.models.transformer import (
    Transformer,
    check_heads,
    describe_layers,
    leaves_of,
)


class VisionTransformer(nnx.Module):
    """Patches, embedded by one dense layer, a Transformer, and a head on their mean.

    Dosovitskiy et al. 2020, arXiv 2010.11929.
    """

    def __init__(
        self,
        config: VisionTransformerConfig,
        activation: Activation,
        *,
        patches: tuple[int, int],
        classes: int,
        rngs: nnx.Rngs,
    ):
        count, numbers = patches
        self.config = config
        self.embed = nnx.Linear(numbers, config.width, rngs=rngs)
        if config.pool == "class":
            self.class_token = nnx.Param(jnp.zeros(config.width))
            count += 1
        self.transformer = Transformer(config, activation, length=count, rngs=rngs)
        self.head = nnx.Linear(config.width, classes, rngs=rngs)

    def __call__(
        self, x: Float[Array, "batch *inputs"], dropout: Dropout
    ) -> Float[Array, "batch classes"]:
        x = self.embed(cut(x, self.config.patch))
        if self.config.pool == "class":
            token = self.class_token[...].astype(x.dtype)
            first = jnp.broadcast_to(token, (len(x), 1, len(token)))
            x = jnp.concatenate([first, x], axis=1)
        x = self.transformer(x, None, dropout)
        return self.head(x[:, 0] if self.config.pool == "class" else x.mean(axis=1))


def cut(
    x: Float[Array, "batch *inputs"], patch: int
) -> Float[Array, "batch patches numbers"]:
    """Returns the patches of images [height, width, channels], row by row.

    Of sequences, [time, features] or [time], each patch is so many whole frames.
    """
    if x.ndim < 4:
        return x.reshape(len(x), x.shape[1] // patch, -1)
    batch, height, width, channels = x.shape
    rows, columns = height // patch, width // patch
    x = x.reshape(batch, rows, patch, columns, patch, channels)
    return x.swapaxes(2, 3).reshape(batch, rows * columns, -1)


def build_vit(
    config: VisionTransformerConfig, activation: Activation, shapes: Shapes
) -> Model:
    """Returns the encoder classifier: images or frames of numbers to one row of outputs.

    Inputs of three axes are images, height × width × channels; those of two are a
    sequence of frames, time × features, and of one a sequence of numbers.

    Raises:
      ConfigError: the task's inputs are neither, or are no whole number of patches.
    """
    check_heads(config)
    patches, classes = _patches(config, shapes), shapes.outputs[0]

    def build(rngs: nnx.Rngs) -> nnx.Module:
        return VisionTransformer(
            config, activation, patches=patches, classes=classes, rngs=rngs
        )

    return from_nnx(build, leaves_of(config, activation), dropout=config.dropout)


def describe_vit(
    config: VisionTransformerConfig, activation: Activation | None, shapes: Shapes
) -> str:
    """Returns the model's one-line name, or that of an arm's."""
    count, _ = _patches(config, shapes)
    image = len(shapes.inputs.shape) == 3
    size = f"{config.patch}×{config.patch}" if image else f"{config.patch} frames"
    patches = f"{count} patch{'es' * (count > 1)} of {size}"
    return f"{describe_layers('ViT', config, activation)}, {patches}"


def _patches(config: VisionTransformerConfig, shapes: Shapes) -> tuple[int, int]:
    """Returns how many patches an example has, and how many numbers a patch."""
    shape: Any = getattr(shapes.inputs, "shape", ())
    whole = shapes.vocabulary is None and len(shapes.outputs) == 1
    if not whole or not 1 <= len(shape) <= 3:
        raise ConfigError(
            "model.name=vit: takes images or sequences of frames and gives one output "
            "row each; this task has other inputs or outputs"
        )
    sides = shape[:2] if len(shape) == 3 else shape[:1]
    if any(side % config.patch for side in sides):
        cut_up = "×".join(map(str, sides))
        unit = "pixels" if len(shape) == 3 else "frames"
        raise ConfigError(
            f"model.patch={config.patch}: must divide the inputs' {cut_up} {unit}"
        )
    count = math.prod(side // config.patch for side in sides)
    return count, math.prod(shape) // count
