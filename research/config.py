"""Every field of an experiment: its type, default, unit and limits."""

import dataclasses
import difflib
import math
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from research.errors import ConfigError as ConfigError
from research.own_code import FORMS, is_own

VARIATIONS = ("init", "order", "split", "test_split")
SELECTIONS = ("best_validation", "last")
INITIALIZERS = (
    "lecun_normal",
    "lecun_uniform",
    "he_normal",
    "he_uniform",
    "glorot_normal",
    "glorot_uniform",
    "orthogonal",
)
OPTIMIZERS = ("adam",)


# The largest whole number that fits JAX's default integer, in which seed ids are folded
# into keys.
LARGEST = 2**31 - 1

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 60


def near(name: str, known: Iterable[str]) -> str:
    """Returns `; did you mean …?` for the closest known names, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def shown(value: Any) -> str:
    """Returns a value as a message shows it: on one line, and cut where it is long."""
    return " ".join(_REPR.repr(value).split())


@dataclass(frozen=True)
class Check:
    """What a value must satisfy, with the words that a refusal uses."""

    allowed: str
    accepts: Callable[[Any], bool]
    names: tuple[str, ...] = ()


def at_least(least: int) -> Check:
    """Accepts whole numbers that are not below `least`."""
    return Check(
        f"a whole number from {least} to 2**31 - 1",
        lambda value: least <= value <= LARGEST,
    )


def between(low: float, high: float) -> Check:
    """Accepts low < value < high."""
    return Check(
        f"a number above {low:g} and below {high:g}", lambda value: low < value < high
    )


def one_of(names: tuple[str, ...]) -> Check:
    """Accepts the names alone, and lets a refusal propose the nearest."""
    return Check(
        f"one of {', '.join(names)}", lambda value: value in names, names=names
    )


def one_of_or_own(names: tuple[str, ...]) -> Check:
    """Accepts the names, and a user's own function."""
    return Check(
        f"one of {', '.join(names)}, {FORMS}",
        lambda value: value in names or is_own(value),
        names=names,
    )


ANY_NAME = Check("a name", lambda value: value.strip() != "")
POSITIVE = Check(
    "a finite number above 0", lambda value: math.isfinite(value) and value > 0
)


def from_to(low: float, high: float) -> Check:
    """Accepts low <= value <= high."""
    return Check(
        f"a number from {low:g} to {high:g}", lambda value: low <= value <= high
    )


def setting(default: Any, text: str, check: Check) -> Any:
    """A dataclass field with its help text and its limits, which hold per element."""
    return dataclasses.field(default=default, metadata={"help": text, "check": check})


def section(default: Callable[[], Any], text: str) -> Any:
    """A dataclass field that holds a group of fields."""
    return dataclasses.field(default_factory=default, metadata={"help": text})


@dataclass(frozen=True, kw_only=True)
class MoonsConfig:
    """Two interleaved half circles, scikit-learn's make_moons."""

    name: str = setting("moons", "the task", one_of(("moons",)))
    samples: int = setting(2000, "rows generated in all", at_least(20))
    noise: float = setting(
        0.2, "standard deviation of the Gaussian noise", from_to(0.0, 1000.0)
    )
    test_samples: int = setting(400, "rows of the test set", at_least(2))
    validation_samples: int = setting(400, "rows of the validation set", at_least(2))
    data_seed: int = setting(0, "seed of the generator of the rows", at_least(0))


@dataclass(frozen=True, kw_only=True)
class MLPConfig:
    """A multilayer perceptron, or a user's own model, which takes the name alone."""

    name: str = setting("mlp", "the model", one_of_or_own(("mlp",)))
    hidden: tuple[int, ...] = setting(
        (64, 64), "units of each hidden layer", at_least(1)
    )
    initializer: str = setting(
        "lecun_normal",
        "initialiser of the kernels; biases start at 0",
        one_of(INITIALIZERS),
    )


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """How parameters are updated, the same for every arm."""

    name: str = setting("adam", "the optimiser, optax's", one_of(OPTIMIZERS))
    learning_rate: tuple[float, ...] = setting((1e-3,), "learning rate", POSITIVE)


@dataclass(frozen=True, kw_only=True)
class AnalysisConfig:
    """How arms are judged; set before the run."""

    margin: float = setting(
        0.005, "smallest difference on the primary metric that would matter", POSITIVE
    )
    confidence: float = setting(0.95, "confidence of the intervals", between(0.5, 1.0))


@dataclass(frozen=True, kw_only=True)
class ComputeConfig:
    """Where and how lanes are trained; results change by rounding at most."""

    devices: int | None = setting(
        None,
        "devices that share the seeds; empty: all, or one per physical core on a CPU",
        at_least(1),
    )
    lanes_per_chunk: int | None = setting(
        None, "lanes vmapped together; empty: what fits the cache", at_least(1)
    )


@dataclass(frozen=True, kw_only=True)
class TensorBoardConfig:
    """What is written for TensorBoard beside each arm's mean and band."""

    seeds: int = setting(
        8, "seeds of each arm with a run of their own (0: none)", at_least(0)
    )


@dataclass(frozen=True, kw_only=True)
class ExperimentConfig:
    """One experiment: everything but the activation is equal between its arms."""

    task: MoonsConfig = section(MoonsConfig, "what is learned")
    model: MLPConfig = section(MLPConfig, "what the activation lives in")
    activations: tuple[str, ...] = setting(
        ("relu", "gelu"), "the arms, by name, divided by commas", ANY_NAME
    )
    reference: str | None = setting(
        None, "the arm that the others are judged against; empty: the first", ANY_NAME
    )
    seeds: int = setting(64, "seeds of every arm", at_least(1))
    first_seed: int = setting(0, "id of the first seed", at_least(0))
    vary: tuple[str, ...] = setting(
        ("init", "order", "split"), "what changes with the seed", one_of(VARIATIONS)
    )
    epochs: int = setting(100, "passes over the training part", at_least(1))
    batch_size: int = setting(32, "rows of one optimiser step", at_least(1))
    optimizer: OptimizerConfig = section(OptimizerConfig, "how parameters are updated")
    selection: str = setting(
        "best_validation",
        "the parameters whose test score is primary",
        one_of(SELECTIONS),
    )
    analysis: AnalysisConfig = section(AnalysisConfig, "how arms are judged")
    compute: ComputeConfig = section(ComputeConfig, "where lanes are trained")
    tensorboard: TensorBoardConfig = section(TensorBoardConfig, "live curves")
