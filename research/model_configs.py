"""The fields of every model."""

from dataclasses import dataclass

from research.settings import (
    ANY_NAME,
    ANY_PATH,
    POSITIVE_FLOAT32,
    Check,
    Sections,
    at_least,
    from_to,
    one_of,
    setting,
    whole,
)

# Layers count from 0, as a checkpoint's tensors do.
LAYERS = Check(
    "all, each, or different whole numbers from 0 with commas between them",
    lambda text: text in ("all", "each") or _are_layers(text.split(",")),
    names=("all", "each"),
)
INITIALIZERS = (
    "lecun_normal",
    "lecun_uniform",
    "he_normal",
    "he_uniform",
    "glorot_normal",
    "glorot_uniform",
    "orthogonal",
)


@dataclass(frozen=True, kw_only=True)
class MLPConfig:
    """A multilayer perceptron; an image is read as one row of numbers."""

    name: str = setting("mlp", "the model", ANY_NAME)
    hidden: tuple[int, ...] = setting(
        (64, 64), "units of each hidden layer", whole(1, 1_000_000)
    )
    initializer: str = setting(
        "lecun_normal",
        "initialiser of the kernels; biases start at 0",
        one_of(INITIALIZERS),
    )


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """What every Transformer has: layers of attention and a feed-forward block (FFN)."""

    name: str = setting("", "the model", ANY_NAME)
    width: int = setting(64, "numbers that each position carries", whole(1, 65_536))
    depth: int = setting(2, "layers", whole(1, 1000))
    heads: int = setting(4, "attention heads; they share the width", whole(1, 65_536))
    ffn: int = setting(
        256,
        "hidden units of each layer's FFN; a gated arm's are matched to it",
        whole(1, 1_000_000),
    )
    match: str = setting(
        "parameters",
        "a gated arm's FFN: parameters (two thirds of the units, so that the arms are "
        "of one size) or none (as many units, half as many parameters again)",
        one_of(("parameters", "none")),
    )
    norm: str = setting(
        "pre",
        "layer norm before each block (pre: GPT-2, ViT) or after its sum (post: BERT)",
        one_of(("pre", "post")),
    )
    positions: str = setting(
        "learned",
        "how a position is told: a learned vector or sines of its index",
        one_of(("learned", "sinusoidal")),
    )
    dropout: float = setting(
        0.0,
        "share dropped, in training, of attention weights, of each block's outputs and "
        "of the embeddings",
        from_to(0.0, 0.9),
    )
    epsilon: float = setting(
        1e-5,
        "added to the variance in every layer norm (BERT's: 1e-12)",
        POSITIVE_FLOAT32,
    )
    initializer: str = setting(
        "lecun_normal",
        "initialiser of the kernels; biases start at 0",
        one_of(INITIALIZERS),
    )


@dataclass(frozen=True, kw_only=True)
class VisionTransformerConfig(TransformerConfig):
    """A Transformer on patches of an image, or on frames of a sequence, to one class."""

    name: str = setting("vit", "the model", ANY_NAME)
    patch: int = setting(
        2,
        "side of a square patch in pixels; of a sequence, frames that make one patch",
        at_least(1),
    )
    pool: str = setting(
        "mean",
        "what the head reads: the mean of all positions or a class token of its own",
        one_of(("mean", "class")),
    )


@dataclass(frozen=True, kw_only=True)
class LanguageModelConfig(TransformerConfig):
    """A causal Transformer that predicts each next token, as GPT does."""

    name: str = setting("lm", "the model", ANY_NAME)


@dataclass(frozen=True, kw_only=True)
class MaskedLanguageModelConfig(TransformerConfig):
    """A Transformer that predicts masked tokens from both sides, as BERT does."""

    name: str = setting("masked_lm", "the model", ANY_NAME)


@dataclass(frozen=True, kw_only=True)
class TaggerConfig(TransformerConfig):
    """A Transformer that gives every word of a sentence a tag."""

    name: str = setting("tagger", "the model", ANY_NAME)


@dataclass(frozen=True, kw_only=True)
class CheckpointConfig:
    """A published checkpoint in a local folder; for `launch.py surgery` alone."""

    name: str = setting("checkpoint", "the model", ANY_NAME)
    path: str | None = setting(
        None, "the folder: config.json, safetensors, a tokenizer", ANY_PATH
    )
    trained: str | None = setting(
        None,
        "the activation that it was trained with; empty: what its config.json says",
        ANY_NAME,
    )
    layers: str = setting(
        "all",
        "where the activation is swapped: in all layers, in each alone, or in these, "
        "counted from 0: 0,3",
        LAYERS,
    )
    dropout: float | None = setting(
        None,
        "share dropped in training; empty: config.json's, and none in distillation",
        from_to(0.0, 0.9),
    )


@dataclass(frozen=True, kw_only=True)
class OwnModelConfig:
    """A user's own model: a function that builds it, by file or module."""

    name: str = setting("", "the function that builds the model", ANY_NAME)


ModelConfig = MLPConfig | TransformerConfig | CheckpointConfig | OwnModelConfig
MODELS = Sections(
    {
        "mlp": MLPConfig,
        "vit": VisionTransformerConfig,
        "lm": LanguageModelConfig,
        "masked_lm": MaskedLanguageModelConfig,
        "tagger": TaggerConfig,
        "checkpoint": CheckpointConfig,
    },
    default="mlp",
    own=OwnModelConfig,
)


def _are_layers(words: list[str]) -> bool:
    numbers = all(each.isascii() and each.isdigit() and len(each) < 6 for each in words)
    return numbers and len({int(each) for each in words}) == len(words)
