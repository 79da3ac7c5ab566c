"""How arms are judged: paired by seed, with NumPy and SciPy only."""

from research.statistics.comparison import Comparison, judge
from research.statistics.components import (
    Component,
    Components,
    variance_components,
)
from research.statistics.confidence_sequence import (
    ConfidenceSequence,
    Looks,
    sequence,
)
from research.statistics.crossed import CrossedNoise, Spread, crossed_noise
from research.statistics.divergence import divergence_upper_bound, mcnemar_p
from research.statistics.halves import Drift, LuckScale, luck_scale
from research.statistics.luck import (
    FalseWinners,
    Shares,
    false_winners,
    one_seed,
    seed_counts,
    three_seeds,
)
from research.statistics.noise_wording import (
    components_sentence,
    luck_sentence,
    noise_sentence,
)
from research.statistics.paired import (
    Description,
    DifferenceInterval,
    describe,
    difference_interval,
)
from research.statistics.permutation import permutation_test
from research.statistics.power import paired_t_power, seeds_needed
from research.statistics.runs import FEWEST_RUNS, Runs, is_paired, judge_runs
from research.statistics.score_summary import summarise_scores
from research.statistics.sequential import (
    Decision,
    decide_sequential,
    judge_sequential,
)
from research.statistics.speed import LearningSpeed, learning_speed
from research.statistics.suite import (
    Against,
    Friedman,
    Iqm,
    against_reference,
    friedman,
    interquartile_mean,
    iqm_intervals,
    task_ranks,
)
from research.statistics.suite_summary import Task, summarise_suite
from research.statistics.table import Claim, Row, judge_table
from research.statistics.table_summary import summarise_table
from research.statistics.unpaired_power import runs_needed, two_sample_t_power
from research.statistics.verdict import Verdict
from research.statistics.welch import Moments, student_t, welch_t
from research.statistics.wording import cautions, seeds_sentence

__all__ = [
    "FEWEST_RUNS",
    "Against",
    "Claim",
    "Comparison",
    "Component",
    "Components",
    "ConfidenceSequence",
    "CrossedNoise",
    "Decision",
    "Description",
    "DifferenceInterval",
    "Drift",
    "FalseWinners",
    "Friedman",
    "Iqm",
    "LearningSpeed",
    "Looks",
    "LuckScale",
    "Moments",
    "Row",
    "Runs",
    "Shares",
    "Spread",
    "Task",
    "Verdict",
    "against_reference",
    "cautions",
    "components_sentence",
    "crossed_noise",
    "decide_sequential",
    "describe",
    "difference_interval",
    "divergence_upper_bound",
    "false_winners",
    "friedman",
    "interquartile_mean",
    "iqm_intervals",
    "is_paired",
    "judge",
    "judge_runs",
    "judge_sequential",
    "judge_table",
    "learning_speed",
    "luck_scale",
    "luck_sentence",
    "mcnemar_p",
    "noise_sentence",
    "one_seed",
    "paired_t_power",
    "permutation_test",
    "runs_needed",
    "seed_counts",
    "seeds_needed",
    "seeds_sentence",
    "sequence",
    "student_t",
    "summarise_scores",
    "summarise_suite",
    "summarise_table",
    "task_ranks",
    "three_seeds",
    "two_sample_t_power",
    "variance_components",
    "welch_t",
]
