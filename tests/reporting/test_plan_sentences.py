"""What is said of a plan: enough seeds or too few, at the sd and at its upper end."""

import dataclasses
from typing import Any

import pytest

from research.reporting.plan_sentences import findings, memory_text
from research.statistics.planning import Design, plan_seeds


def told(
    std: float, *, seeds: int, pilot: int | None, **changes: Any
) -> dict[str, Any]:
    """The parts of plan.json that the sentences read, for arms of one sd."""
    design = Design(
        seeds=seeds,
        margin=0.005,
        confidence=0.95,
        power=0.8,
        **{"compared": 1, **changes},
    )
    found = dataclasses.asdict(plan_seeds(std, design, pilot_seeds=pilot))
    return {
        "primary_metric": "test_accuracy",
        "margin": 0.005,
        "confidence": 0.95,
        "seeds": seeds,
        "first_seed": 0,
        "pilot": pilot and {"seeds": pilot, "first_seed": 0},
        "statistics": {
            "power": 0.8,
            "compared": design.compared,
            "level": design.level,
            "decisive_seeds": 6,
            "arms": {f"arm {k}": found for k in range(design.compared)},
        },
    }


@pytest.mark.parametrize(
    ("seeds", "pilot", "ending"),
    [
        # d_z = 0.5: 34 seeds see the margin, 36 call equal arms equivalent.
        (36, None, "are enough to see a difference of 0.5 points, and to call equi"),
        (40, None, "what is equal; 36 would be too."),
        (35, None, "are too few to see"),
        (35, None, "what is equal: 36 would be enough."),
        (40, 30, "if the sd is as found; at the upper end of the sd 64 would be."),
        (35, 30, "36 would be enough, at the upper end of the sd 64."),
        (64, 30, "what is equal, even at the upper end of the sd."),
        (65, 30, "even at the upper end of the sd; 64 would be too."),
    ],
)
def test_whether_the_seeds_are_enough(seeds, pilot, ending):
    first = next(findings(told(0.01, seeds=seeds, pilot=pilot)))
    assert first.startswith(f"{seeds} seeds are ")
    assert ending in first


def test_no_number_of_seeds_may_be_enough():
    first = next(findings(told(0.01, seeds=64, pilot=None, test_train_ratio=0.5)))
    assert first.endswith("what is equal: no number would be enough.")


def test_several_arms_are_held_to_holms_level():
    said = " ".join(findings(told(0.01, seeds=64, pilot=None, compared=2)))
    assert "in 80 % of runs, with 2 arms held to p ≤ 0.025 each (Holm)." in said


@pytest.mark.parametrize(("first", "advised"), [(0, True), (7, True), (8, False)])
def test_the_pilots_seeds_are_not_to_be_used_twice(first, advised):
    plan = {**told(0.01, seeds=64, pilot=8), "first_seed": first}
    assert ("--config.first_seed=8" in " ".join(findings(plan))) == advised


def test_a_backend_that_does_not_say_its_programs_memory_is_passed_over():
    memory = {
        "lane_state_bytes": 999,
        "block_state_bytes": 4_524_000,
        "data_bytes": 24_000,
        "program_peak_bytes": None,
        "free_bytes": 150_000_000_000,
    }
    text = memory_text({"memory": memory, "lanes": {"platform": "gpu", "devices": 2}})
    assert text.replace("\u00a0", " ") == (
        "999 B a lane, 4.5 MB a block, 24.0 kB of data, on each device; 150 GB are free"
    )
