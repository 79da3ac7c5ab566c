"""Right answers computed apart from this project, with SciPy and by enumeration."""

import json
from pathlib import Path

import pytest
from judging import judge_pair

SHARED = Path(__file__).parents[2] / "../shared/statistics/golden.json"
SETTINGS = ("higher_is_better", "margin", "confidence")

INLINE = [
    {
        "name": "loss metric, clearly worse, 10 seeds",
        "higher_is_better": False,
        "margin": 0.005,
        "confidence": 0.95,
        "arm": [
            *(0.2657, 0.2778, 0.3517, 0.3059, 0.3596),
            *(0.3843, 0.2632, 0.3975, 0.3066, 0.4329),
        ],
        "reference": [
            *(0.2285, 0.2532, 0.3197, 0.2738, 0.3263),
            *(0.3404, 0.2278, 0.3509, 0.2702, 0.4047),
        ],
        "expected": {
            "n": 10,
            "nonzero": 10,
            "mean_difference": 0.03497,
            "std_difference": 0.006628398499386308,
            "ci_low": 0.030228329357938417,
            "ci_high": 0.03971167064206159,
            "p_value": 0.001953125,
            "smallest_p": 0.001953125,
            "effect_size_dz": 5.275784188780699,
            "probability_better": 0.0,
            "hodges_lehmann": 0.034600000000000006,
            "wilcoxon_p": 0.001953125,
            "verdict": "worse",
            "seeds_needed": None,
        },
    },
    {
        "name": "steps of 1/400 with ties at zero, 12 seeds",
        "higher_is_better": True,
        "margin": 0.005,
        "confidence": 0.95,
        "arm": [
            *(0.9825, 0.9575, 0.96, 0.97, 0.9875, 0.955),
            *(0.96, 0.97, 0.9575, 0.965, 0.9625, 0.95),
        ],
        "reference": [
            *(0.985, 0.96, 0.96, 0.9675, 0.985, 0.9525),
            *(0.9575, 0.97, 0.9575, 0.965, 0.9625, 0.9525),
        ],
        "expected": {
            "n": 12,
            "nonzero": 7,
            "mean_difference": 0.0002083333333333289,
            "std_difference": 0.0019824036527468806,
            "ci_low": -0.0010512258556755747,
            "ci_high": 0.0014678925223422323,
            "p_value": 1.0,
            "smallest_p": 0.015625,
            "effect_size_dz": 0.10509127797694263,
            "probability_better": 0.5416666666666666,
            "hodges_lehmann": 0.0,
            "wilcoxon_p": 1.0,
            "verdict": "equivalent",
            "seeds_needed": None,
        },
    },
    {
        "name": "constant difference, 10 seeds",
        "higher_is_better": True,
        "margin": 0.005,
        "confidence": 0.95,
        "arm": [
            *(0.966, 0.962, 0.959, 0.937, 0.964),
            *(0.9390000000000001, 0.969, 0.966, 0.968, 0.968),
        ],
        "reference": [
            *(0.956, 0.952, 0.949, 0.927, 0.954),
            *(0.929, 0.959, 0.956, 0.958, 0.958),
        ],
        "expected": {
            "n": 10,
            "nonzero": 10,
            "mean_difference": 0.010000000000000009,
            "std_difference": 0.0,
            "ci_low": 0.010000000000000009,
            "ci_high": 0.010000000000000009,
            "p_value": 0.001953125,
            "smallest_p": 0.001953125,
            "effect_size_dz": None,
            "probability_better": 1.0,
            "hodges_lehmann": 0.010000000000000009,
            "wilcoxon_p": 0.001953125,
            "verdict": "undecided",
            "seeds_needed": None,
        },
    },
    {
        "name": "sign-flip says yes, t interval says no, 7 seeds",
        "higher_is_better": True,
        "margin": 0.0005,
        "confidence": 0.95,
        "arm": [0.957, 0.953, 0.954, 0.928, 0.96, 0.929, 0.96],
        "reference": [0.956, 0.952, 0.949, 0.927, 0.954, 0.929, 0.959],
        "expected": {
            "n": 7,
            "nonzero": 6,
            "mean_difference": 0.0021428571428571447,
            "std_difference": 0.0023401261667248814,
            "ci_low": -2.1398592966165048e-05,
            "ci_high": 0.004307112878680455,
            "p_value": 0.03125,
            "smallest_p": 0.03125,
            "effect_size_dz": 0.9157015435010395,
            "probability_better": 0.9285714285714285,
            "hodges_lehmann": 0.0010000000000000009,
            "wilcoxon_p": 0.03125,
            "verdict": "undecided",
            "seeds_needed": 174,
        },
    },
]


def check(case):
    settings = {name: case[name] for name in SETTINGS}
    found = judge_pair(case["arm"], case["reference"], **settings)
    expected = dict(case["expected"])
    assert sum(d != 0 for d in found.differences) == expected.pop("nonzero")
    for name, right in expected.items():
        value = getattr(found, name)
        if isinstance(right, float):
            assert value == pytest.approx(right, rel=1e-9, abs=0), name
        else:
            assert value == right, name


@pytest.mark.parametrize("case", INLINE, ids=lambda case: case["name"])
def test_inline_golden_cases(case):
    check(case)


def test_shared_golden_cases():
    if not SHARED.exists():
        pytest.skip(f"the full set of golden cases is not at {SHARED}")
    cases = json.loads(SHARED.read_text(encoding="utf-8"))
    assert len(cases) >= 11
    for case in cases:
        check(case)
