"""How arms are judged: paired by seed, with NumPy and SciPy only."""

from research.statistics.comparison import Comparison, judge
from research.statistics.divergence import divergence_upper_bound, mcnemar_p
from research.statistics.luck import (
    FalseWinners,
    Shares,
    false_winners,
    one_seed,
    seed_counts,
    three_seeds,
)
from research.statistics.paired import (
    Description,
    DifferenceInterval,
    describe,
    difference_interval,
)
from research.statistics.power import paired_t_power, seeds_needed
from research.statistics.speed import LearningSpeed, learning_speed
from research.statistics.verdict import Verdict
from research.statistics.wording import cautions, seeds_sentence

__all__ = [
    "Comparison",
    "Description",
    "DifferenceInterval",
    "FalseWinners",
    "LearningSpeed",
    "Shares",
    "Verdict",
    "cautions",
    "describe",
    "difference_interval",
    "divergence_upper_bound",
    "false_winners",
    "judge",
    "learning_speed",
    "mcnemar_p",
    "one_seed",
    "paired_t_power",
    "seed_counts",
    "seeds_needed",
    "seeds_sentence",
    "three_seeds",
]
