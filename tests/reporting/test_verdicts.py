"""The verdict in words: what each says, and that none says more than its interval."""

import fake_run
import pytest

from research.reporting import verdicts

# What a comparison says apart from its verdict, and what must and must not be read.
CASES = {
    "real but small": (
        {"ci_low": 0.0002, "ci_high": 0.0014, "p_adjusted": 0.02},
        "equivalent",
        "GELU and ReLU are equivalent here: the difference over 64 paired seeds is real "
        "but smaller than the margin of 0.5 points set before the run.",
    ),
    "none shown": (
        {"ci_low": -0.0004, "ci_high": 0.0009, "p_adjusted": 0.4},
        "equivalent",
        "GELU and ReLU are equivalent here: 64 paired seeds rule out a difference as "
        "large as the margin of 0.5 points set before the run, and show none of either "
        "sign.",
    ),
    "identical": (
        {"differences": [0.0] * 64, "mean_difference": 0.0, "p_adjusted": 1.0},
        "equivalent",
        "GELU and ReLU are equivalent here: the test accuracy is identical on each of "
        "the 64 paired seeds.",
    ),
    "beyond the margin": (
        {
            "mean_difference": 0.0399,
            "ci_low": 0.0371,
            "ci_high": 0.0427,
            "p_adjusted": 1e-5,
        },
        "better",
        "GELU is better than ReLU here: by 3.99 points of test accuracy [3.71, 4.27] "
        "over 64 paired seeds, more than the margin of 0.5 points set before the run.",
    ),
    "maybe within the margin": (
        {
            "mean_difference": 0.006,
            "ci_low": 0.004,
            "ci_high": 0.008,
            "p_adjusted": 1e-5,
        },
        "better",
        "GELU is better than ReLU here: by 0.60 points of test accuracy [0.40, 0.80] "
        "over 64 paired seeds, an amount not yet shown to exceed the margin of 0.5 "
        "points set before the run.",
    ),
    "worse": (
        {
            "mean_difference": -0.09,
            "ci_low": -0.092,
            "ci_high": -0.088,
            "p_adjusted": 1e-5,
        },
        "worse",
        "GELU is worse than ReLU here: by 9.00 points of test accuracy [8.80, 9.20] "
        "over 64 paired seeds, more than the margin of 0.5 points set before the run.",
    ),
    "wide": (
        {
            "mean_difference": 0.001,
            "ci_low": -0.004,
            "ci_high": 0.006,
            "p_adjusted": 0.6,
        },
        "undecided",
        "GELU against ReLU is undecided here: the 95 % interval of the difference over "
        "64 paired seeds, [−0.40, +0.60] points, includes 0 and reaches beyond the "
        "margin of 0.5 points.",
    ),
    "interval alone": (
        {
            "mean_difference": 0.004,
            "ci_low": 0.001,
            "ci_high": 0.007,
            "p_adjusted": 0.06,
        },
        "undecided",
        "GELU against ReLU is undecided here: the 95 % interval of the difference over "
        "64 paired seeds, [+0.10, +0.70] points, leaves 0 out, but the sign-flip test "
        "does not agree (p = 0.06, above 0.05).",
    ),
    "p alone": (
        {
            "mean_difference": 0.004,
            "ci_low": -0.001,
            "ci_high": 0.009,
            "p_adjusted": 0.04,
        },
        "undecided",
        "GELU against ReLU is undecided here: the sign-flip test finds a difference "
        "(p = 0.04), but the 95 % interval of the difference over 64 paired seeds, "
        "[−0.10, +0.90] points, includes 0.",
    ),
    "diverged": (
        {
            "mean_difference": 0.0003,
            "ci_low": -0.001,
            "ci_high": 0.0016,
            "p_adjusted": 0.6,
            "mcnemar_p": 1.0,
        },
        "undecided",
        "GELU against ReLU is undecided here: the 95 % interval of the difference over "
        "64 paired seeds, [−0.10, +0.16] points, includes 0 and stays inside the margin "
        "of 0.5 points, but nothing is called equivalent where trainings diverged.",
    ),
    "few": (
        {"n": 5, "smallest_p": 0.0625, "ci_low": 0.001, "ci_high": 0.009},
        "undecided",
        "GELU against ReLU is undecided here: 5 paired seeds are too few for a verdict: "
        "showing a difference takes 6 or more.",
    ),
    "constant": (
        {
            "differences": [0.25] * 64,
            "mean_difference": 0.25,
            "ci_low": 0.25,
            "ci_high": 0.25,
        },
        "undecided",
        "GELU against ReLU is undecided here: every seed shows the same difference, so "
        "the seeds do not vary.",
    ),
}


def changed(told: dict, verdict: str, **changes) -> tuple[dict, dict]:
    """Returns a summary and its one comparison with these entries."""
    [comparison] = told["comparisons"]
    comparison |= {"verdict": verdict} | changes
    return told, comparison


@pytest.mark.parametrize("case", CASES)
def test_sentence(case):
    changes, verdict, expected = CASES[case]
    told, comparison = changed(fake_run.summary(), verdict, **changes)
    assert verdicts.sentence(told, comparison) == expected


def test_lower_is_better():
    told, comparison = changed(
        fake_run.loss_summary(),
        "better",
        mean_difference=-0.0123,
        ci_low=-0.0134,
        ci_high=-0.0112,
    )
    assert verdicts.sentence(told, comparison) == (
        "GELU is better than ReLU here: its test mse is lower by 0.0123 "
        "[0.0112, 0.0134] over 32 paired seeds, more than the margin of 0.005 set "
        "before the run."
    )


def test_lower_is_better_and_the_arm_is_higher():
    told, comparison = changed(
        fake_run.loss_summary(),
        "worse",
        mean_difference=0.0123,
        ci_low=0.0021,
        ci_high=0.0225,
    )
    told = verdicts.sentence(told, comparison)
    assert "its test mse is higher by 0.012 [0.002, 0.022]" in told
    assert "an amount not yet shown to exceed the margin" in told


def test_one_seed_has_no_verdict_and_no_interval():
    told = fake_run.summary(seeds=1, first_seed=7)
    [comparison] = told["comparisons"]
    sentence = verdicts.sentence(told, comparison)
    assert sentence.startswith("No verdict from one seed: on seed 7 GELU scored 97.2 %")
    assert "[" not in sentence
    assert verdicts.word(comparison) == "no verdict"
    assert verdicts.p(comparison | {"p_adjusted": 1.0}) == "–"


@pytest.mark.parametrize(
    ("needed", "span", "mcnemar", "expected"),
    [
        (90, [60, 130], None, "About 90 seeds (between 60 and 130) would show"),
        (90, None, None, "About 90 seeds would show"),
        (40, [30, 60], None, "64 were run: the difference sits near the margin, or"),
        (40, [30, 60], 0.5, "64 were run: trainings diverged, or this is luck."),
    ],
)
def test_seeds_needed(needed, span, mcnemar, expected):
    told, comparison = changed(
        fake_run.summary(),
        "undecided",
        seeds_needed=needed,
        seeds_needed_range=span,
        mcnemar_p=mcnemar,
    )
    sentence = verdicts.seeds_needed(told, comparison)
    assert sentence is not None
    assert expected in sentence
    assert "four times in five" in sentence


def test_seeds_needed_are_said_of_undecided_comparisons_only():
    told, comparison = changed(fake_run.summary(), "better", seeds_needed=90)
    assert verdicts.seeds_needed(told, comparison) is None


def blocked(seeds, arms, *, ties=0, **changes):
    """A summary whose first arm leaves 0 out but cannot have a p that is low enough."""
    told = fake_run.summary(dict.fromkeys(["relu", *arms], 0.0), seeds=seeds)
    for comparison in told["comparisons"]:
        differences = [0.0] * ties + [0.01 + 0.001 * i for i in range(seeds - ties)]
        comparison |= {
            "verdict": "undecided",
            "mean_difference": 0.012,
            "ci_low": 0.008,
            "ci_high": 0.016,
            "differences": differences,
            "smallest_p": 2.0 ** (1 - seeds + ties),
            "p_adjusted": min(1.0, len(arms) * 2.0 ** (1 - seeds + ties)),
            "seeds_needed": 53,
            "seeds_needed_range": [23, 304],
        } | changes
    return told, told["comparisons"][0]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            blocked(6, ["gelu", "silu", "tanh"]),
            "leaves 0 out, but with 6 seeds and 3 arms against the reference p cannot be "
            "below 0.094; 7 seeds can decide.",
        ),
        (
            blocked(7, ["gelu"], ties=2),
            "leaves 0 out, but with 7 seeds, 2 of them tied, p cannot be below 0.062; 8 "
            "seeds can decide.",
        ),
        (
            blocked(
                6, ["gelu"], paired=False, n_arm=6, n_reference=6, smallest_p=0.0667
            ),
            "leaves 0 out, but with 6 and 6 unpaired runs p cannot be below 0.067.",
        ),
    ],
)
def test_a_p_that_cannot_get_low_enough_is_said_to(told, expected):
    summary, comparison = told
    assert verdicts.sentence(summary, comparison).endswith(expected)
    # 53 seeds beside 7 would contradict.
    assert verdicts.seeds_needed(summary, comparison) is None


def test_no_number_of_seeds_is_promised_where_drawn_signs_bound_p():
    told, comparison = blocked(30, ["gelu"], smallest_p=1e-5, p_adjusted=1e-5)
    told["confidence"] = 0.9999995
    sentence = verdicts.sentence(told, comparison)
    assert sentence.endswith("with 30 seeds p cannot be below 0.00001.")


def test_the_lowest_p_is_holms_over_all_arms():
    # Beside two untied arms the tied one's can be 3 · 0.03125: never 3 · 0.0625.
    told, tied = blocked(6, ["gelu", "silu", "tanh"])
    tied |= {"smallest_p": 0.0625, "differences": [0.0, *tied["differences"][1:]]}
    assert verdicts.sentence(told, tied).endswith(
        "with 6 seeds, 1 of them tied, and 3 arms against the reference p cannot be "
        "below 0.094; 8 seeds can decide."
    )


def test_a_p_that_could_have_been_low_enough_disagrees():
    told, comparison = blocked(7, ["gelu", "silu", "tanh"], p_adjusted=0.09)
    assert "does not agree (p = 0.09, above 0.05)" in verdicts.sentence(
        told, comparison
    )
    assert verdicts.seeds_needed(told, comparison) is not None


def test_seeds_needed_stay_where_the_interval_holds_zero():
    told, comparison = blocked(6, ["gelu", "silu", "tanh"], ci_low=-0.001)
    assert "p cannot" not in verdicts.sentence(told, comparison)
    assert verdicts.seeds_needed(told, comparison) is not None


@pytest.mark.parametrize(("arms", "fewest"), [(1, 6), (2, 7), (3, 7), (5, 8)])
@pytest.mark.parametrize("ties", [0, 3])
def test_too_few_seeds_name_one_number_whatever_the_ties(arms, fewest, ties):
    told, comparison = blocked(5, list("abcde")[:arms], ties=ties)
    sentence = verdicts.sentence(told, comparison)
    among = f", with {arms} arms against the reference" if arms > 1 else ""
    assert sentence.endswith(
        "5 paired seeds are too few for a verdict: showing a difference takes "
        f"{fewest} or more{among}."
    )
    one = fake_run.summary(dict.fromkeys(["relu", *list("abcde")[:arms]], 0.0), seeds=1)
    assert f"takes {fewest} seeds or more{among}." in verdicts.sentence(
        one, one["comparisons"][0]
    )
