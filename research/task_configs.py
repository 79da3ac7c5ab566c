"""The fields of every task.

A class whose splits may not vary says why in `fixed_split`.
"""

from dataclasses import dataclass
from typing import ClassVar

from research.settings import ANY_NAME, Sections, at_least, from_to, setting


@dataclass(frozen=True, kw_only=True)
class MoonsConfig:
    """Two interleaved half circles, scikit-learn's make_moons."""

    fixed_split: ClassVar[str] = ""

    name: str = setting("moons", "the task", ANY_NAME)
    samples: int = setting(2000, "rows generated in all", at_least(20))
    noise: float = setting(
        0.2, "standard deviation of the Gaussian noise", from_to(0.0, 1000.0)
    )
    test_samples: int = setting(400, "rows of the test set", at_least(2))
    validation_samples: int = setting(400, "rows of the validation set", at_least(2))
    data_seed: int = setting(0, "seed of the generator of the rows", at_least(0))


TaskConfig = MoonsConfig
TASKS = Sections({"moons": MoonsConfig}, default="moons")
