"""Every field of an experiment: its type, default, unit and limits."""

from dataclasses import dataclass

from research.model_configs import MODELS, ModelConfig
from research.settings import (
    ANY_NAME,
    ANY_PATH,
    POSITIVE,
    POSITIVE_FLOAT32,
    at_least,
    between,
    one_of,
    one_section_of,
    or_all,
    section,
    setting,
    whole,
)
from research.task_configs import TASKS, TaskConfig

VARIATIONS = ("init", "order", "split", "test_split")
SELECTIONS = ("best_validation", "last")
OPTIMIZERS = ("adam",)
MODES = ("compare", "null", "variance")
SEEDS_PLANS = ("fixed", "sequential")
# The seed ids of a sub-run of mode=variance, or of the other group of mode=null, begin
# so many after those of the one before.
SUB_RUN_IDS = 10_000
REMATS = ("none", "full")
DTYPES = ("float32", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """How parameters are updated, the same for every arm."""

    name: str = setting("adam", "the optimiser, optax's", one_of(OPTIMIZERS))
    learning_rate: tuple[float, ...] = setting(
        (1e-3,), "learning rate", POSITIVE_FLOAT32
    )


@dataclass(frozen=True, kw_only=True)
class AnalysisConfig:
    """How arms are judged; set before the run."""

    margin: float = setting(
        0.005, "smallest difference on the primary metric that would matter", POSITIVE
    )
    confidence: float = setting(
        0.95, "confidence of the intervals", between(0.5, 0.99999)
    )


@dataclass(frozen=True, kw_only=True)
class ComputeConfig:
    """Where and how lanes are trained; results change by rounding at most."""

    devices: int | None = setting(
        None,
        "devices that share the seeds; empty or all: all, or one per physical core on "
        "a CPU",
        or_all(whole(1, 256)),
    )
    lanes_per_chunk: int | None = setting(
        None, "lanes vmapped together; empty: what fits the cache", at_least(1)
    )
    remat: str = setting(
        "none",
        "none: a step keeps what the model computes for the gradient; full: it is "
        "computed again, which takes less memory and more time",
        one_of(REMATS),
    )
    dtype: str = setting(
        "float32",
        "in which models compute; parameters and losses stay float32",
        one_of(DTYPES),
    )
    cache: str | None = setting(
        None, "folder for compiled programs, kept for later runs; empty: none", ANY_PATH
    )


@dataclass(frozen=True, kw_only=True)
class TensorBoardConfig:
    """What is written for TensorBoard beside each arm's mean and band."""

    seeds: int = setting(
        8, "seeds of each arm with a run of their own (0: none)", at_least(0)
    )


@dataclass(frozen=True, kw_only=True)
class CheckpointConfig:
    """When lanes that are not finished yet are saved, beside when a signal stops them."""

    every_epochs: int | None = setting(
        None,
        "epochs between checkpoints of the lanes being trained; empty: about a minute; "
        "a signal that stops the run saves them too",
        at_least(1),
    )


@dataclass(frozen=True, kw_only=True)
class ExperimentConfig:
    """One experiment: everything but the activation is equal between its arms."""

    task: TaskConfig = one_section_of(TASKS, "what is learned")
    model: ModelConfig = one_section_of(MODELS, "what the activation lives in")
    activations: tuple[str, ...] = setting(
        ("relu", "gelu"), "the arms, by name, divided by commas", ANY_NAME
    )
    reference: str | None = setting(
        None, "the arm that the others are judged against; empty: the first", ANY_NAME
    )
    mode: str = setting(
        "compare",
        "compare: every arm against the reference; null: the reference against itself "
        "with other seeds; variance: how much each source in vary adds",
        one_of(MODES),
    )
    seeds: int = setting(
        64, "seeds of every arm; under a sequential plan the most", whole(1, 1_000_000)
    )
    first_seed: int = setting(0, "id of the first seed", at_least(0))
    seeds_plan: str = setting(
        "fixed",
        "fixed: all seeds; sequential: batch after batch, until every arm is decided",
        one_of(SEEDS_PLANS),
    )
    vary: tuple[str, ...] = setting(
        ("init", "order", "split"), "what changes with the seed", one_of(VARIATIONS)
    )
    background: int = setting(
        0, "id that all which does not vary is drawn from", at_least(0)
    )
    backgrounds: int = setting(
        8, "backgrounds of each source of variation, for mode=variance", whole(8, 1000)
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
    checkpoint: CheckpointConfig = section(CheckpointConfig, "saving lanes on the way")
