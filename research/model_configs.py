"""The fields of every model."""

from dataclasses import dataclass

from research.settings import ANY_NAME, Sections, at_least, one_of, setting

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
        (64, 64), "units of each hidden layer", at_least(1)
    )
    initializer: str = setting(
        "lecun_normal",
        "initialiser of the kernels; biases start at 0",
        one_of(INITIALIZERS),
    )


@dataclass(frozen=True, kw_only=True)
class OwnModelConfig:
    """A user's own model: a function that builds it, by file or module."""

    name: str = setting("", "the function that builds the model", ANY_NAME)


ModelConfig = MLPConfig | OwnModelConfig
MODELS = Sections({"mlp": MLPConfig}, default="mlp", own=OwnModelConfig)
