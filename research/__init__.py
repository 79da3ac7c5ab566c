"""Is it the activation, or the seed? Honest comparisons of activation functions."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research.config import ExperimentConfig as ExperimentConfig
    from research.experiment import compare as compare


def __getattr__(name: str) -> Any:
    """Imports what is asked for on first use, so that `import research` stays light."""
    if name == "compare":
        from research.experiment import compare

        return compare
    if name == "ExperimentConfig":
        from research.config import ExperimentConfig

        return ExperimentConfig
    raise AttributeError(f"module 'research' has no attribute {name!r}")
