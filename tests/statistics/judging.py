"""One arm against one reference, with the settings most tests share."""

from typing import Any

import numpy as np

from research.statistics import Comparison, judge


def judge_pair(arm: Any, reference: Any, **settings: Any) -> Comparison:
    defaults = {
        "reference": "reference",
        "higher_is_better": True,
        "margin": 0.005,
        "confidence": 0.95,
        "generator": np.random.default_rng(7),
    }
    scores = {
        "reference": np.asarray(reference, dtype=np.float64),
        "arm": np.asarray(arm, dtype=np.float64),
    }
    (comparison,) = judge(scores, **(defaults | settings))
    return comparison


def judge_differences(differences: Any, **settings: Any) -> Comparison:
    differences = np.asarray(differences, dtype=np.float64)
    return judge_pair(differences, np.zeros_like(differences), **settings)
