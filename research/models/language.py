"""Language models: the causal one, and the masked one that sees both sides."""

from typing import Any

from flax import nnx
from jaxtyping import Array, Float, Int

from research.activations.record import Activation
from research.errors import ConfigError
from research.model_configs import LanguageModelConfig, MaskedLanguageModelConfig
from research.models.attention import causal_mask
from research.models.contract import Model, Shapes, from_nnx
from research.models.dropout import Dropout
from research.models.transformer import (
    TokenEmbedding,
    Transformer,
    check_heads,
    describe_layers,
    leaves_of,
)

LanguageConfig = LanguageModelConfig | MaskedLanguageModelConfig


class LanguageModel(nnx.Module):
    """Embedded tokens, a Transformer, and one dense layer to the classes.

    The head is a plain projection of its own: neither tied to the embedding nor, as
    BERT's, behind another dense layer whose activation would have to be held fixed.
    """

    def __init__(
        self,
        config: LanguageConfig,
        activation: Activation,
        shapes: Shapes,
        *,
        causal: bool,
        rngs: nnx.Rngs,
    ):
        length, classes = shapes.outputs
        assert shapes.vocabulary is not None
        self.causal = causal
        self.embed = TokenEmbedding(shapes.vocabulary, config.width)
        self.transformer = Transformer(config, activation, length=length, rngs=rngs)
        self.head = nnx.Linear(config.width, classes, rngs=rngs)

    def __call__(
        self, tokens: Int[Array, "batch length"], dropout: Dropout
    ) -> Float[Array, "batch length classes"]:
        mask = causal_mask(tokens.shape[1]) if self.causal else None
        return self.head(self.transformer(self.embed(tokens), mask, dropout))


def build_lm(
    config: LanguageModelConfig, activation: Activation, shapes: Shapes
) -> Model:
    """Returns the causal language model: no position sees a later one.

    Raises:
      ConfigError: the task's inputs are no sequences of tokens.
    """
    return _build(config, activation, shapes, causal=True)


def build_masked_lm(
    config: MaskedLanguageModelConfig, activation: Activation, shapes: Shapes
) -> Model:
    """Returns the masked language model: every position sees all.

    Raises:
      ConfigError: the task's inputs are no sequences of tokens.
    """
    return _build(config, activation, shapes, causal=False)


def describe_lm(
    config: LanguageModelConfig, activation: Activation | None, shapes: Shapes
) -> str:
    """Returns the model's one-line name, or that of an arm's."""
    return _describe("causal LM", config, activation, shapes)


def describe_masked_lm(
    config: MaskedLanguageModelConfig, activation: Activation | None, shapes: Shapes
) -> str:
    """Returns the model's one-line name, or that of an arm's."""
    return _describe("masked LM", config, activation, shapes)


def _build(
    config: LanguageConfig, activation: Activation, shapes: Shapes, *, causal: bool
) -> Model:
    check_heads(config)
    _check_tokens(config, shapes)

    def build(rngs: nnx.Rngs) -> nnx.Module:
        return LanguageModel(config, activation, shapes, causal=causal, rngs=rngs)

    return from_nnx(build, leaves_of(config, activation), dropout=config.dropout)


def _describe(
    kind: str, config: LanguageConfig, activation: Activation | None, shapes: Shapes
) -> str:
    _check_tokens(config, shapes)
    told = describe_layers(kind, config, activation)
    return f"{told}, {shapes.outputs[0]} tokens of {shapes.vocabulary}"


def _check_tokens(config: LanguageConfig, shapes: Shapes) -> None:
    shape: Any = getattr(shapes.inputs, "shape", ())
    tokens = shapes.vocabulary is not None and len(shape) == 1
    if not tokens or shapes.outputs[:-1] != shape:
        raise ConfigError(
            f"model.name={config.name}: takes sequences of tokens and gives every token "
            "an output row; this task has other inputs or outputs"
        )
