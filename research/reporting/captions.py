"""What each figure is called and how it is read."""

from collections.abc import Mapping
from typing import Any

from research.reporting import arms, null_run, numbers, verdicts

_CHANCE = " The untrained start, which is chance, runs out of the picture."


def captions(summary: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Returns title and caption by the figure's name, in reading order."""
    level = verdicts.confidence(summary)
    given = summary["margin"] is not None
    band = f"; the shaded band is the margin of ±{numbers.margin(summary)}"
    diverged = any(arm["diverged"] for arm in summary["arms"].values())
    left_out = " Diverged trainings are left out." if diverged else ""
    few = len(summary["arms"]) <= 3 and summary["seeds"] > 1
    spread = " The pale band holds the middle 90 % of the seeds." if few else ""
    bands = (
        f"Lines are means over seeds, the strong band is the {level} interval of the "
        f"mean.{spread}{left_out}"
        if summary["seeds"] > 1
        else "One line an arm: there is one seed."
    )
    watched = _validation(summary)
    worse = "" if summary["higher_is_better"] else " and is behind"
    return {
        **_of_sections(summary, level, band if given else ""),
        "paired_differences": (
            "Seed by seed",
            "Each dot is one seed, the arm's score minus the reference's, in the colour "
            "of the arm it would have named (grey: a tie). The diamond is their mean "
            f"with its {level} interval{band if given else ''}. Dots "
            "on both sides of 0 are what a single run cannot see.",
        ),
        "scores": (
            "Run by run",
            "Each dot is one run, each column an arm. The diamond is the arm's mean with "
            f"its {level} interval. Where the columns overlap, single runs cannot tell "
            "the arms apart.",
        ),
        "false_winners": (
            "Who a few seeds would have named",
            "Draw that many seeds, average, and name the arm with the better mean. The "
            "height of a colour is how often that arm is named. Where the verdict is "
            "equivalent, every name is a false winner.",
        ),
        "validation_difference": (
            "Who leads on the way (exploratory)",
            "Difference to the reference at each epoch, paired by seed; above 0 the arm "
            f"has the larger value{worse}. {bands} {_start(summary)} runs out of the "
            "picture.",
        ),
        "validation_accuracy": (
            "Validation accuracy",
            f"{bands}{_before(summary) or _CHANCE}",
        ),
        "validation_loss": ("Validation loss", f"{bands}{_before(summary)}"),
        **(
            {watched: (_heading(watched), f"{bands}{_before(summary)}")}
            if _is_other(watched)
            else {}
        ),
        "activations": (
            "The activations",
            "The functions that are compared; everything else is held equal."
            f"{_curves(summary)}",
        ),
        "derivatives": (
            "Their derivatives",
            "What the gradient is multiplied by on its way back; where it is 0, "
            "nothing is learned.",
        ),
        "decision_boundary": (
            "What one seed learned",
            f"{_seed(summary)}: shades are the probability of each class, the line is "
            "where it is one half, points are rows of the data. One seed is an "
            "illustration, not evidence.",
        ),
    }


def _of_sections(
    summary: Mapping[str, Any], level: str, band: str
) -> dict[str, tuple[str, str]]:
    """Returns those of the figures that stand in sections of their own."""
    return {
        "sequence": (
            "Seed after seed",
            "The mean difference of the first n seeds and its confidence sequence at "
            f"{level}; diamonds are the looks that were taken. The dashed line is the "
            "first n at which the skewness of the differences let a look decide"
            f"{band}.",
        ),
        "luck": (
            "Luck, and what was found",
            "Above: how far the means of random halves of "
            f"{arms.written(summary, summary['reference'])}'s own seeds differ, with no "
            "difference to be found; within the dashed lines 95 % of the splits. Below: "
            f"each arm's difference over all seeds with its {level} interval"
            f"{band}.",
        ),
    }


def _curves(summary: Mapping[str, Any]) -> str:
    """Says which curve is drawn for a function that is not of one number alone."""
    kinds = {arm.get("kind") for arm in summary["arms"].values()}
    gated = " A gated one is drawn over its gate, with value 1." * ("gated" in kinds)
    learned = " Learned parameters have their initial values." * ("parametric" in kinds)
    return gated + learned


def _validation(summary: Mapping[str, Any]) -> str:
    """Names the validation metric that the primary one is on the way."""
    scored: str = summary["primary_metric"].removesuffix("_last")
    return scored.replace("test_", "validation_")


def _start(summary: Mapping[str, Any]) -> str:
    tuned = arms.from_checkpoint(summary)
    return "The start, before tuning," if tuned else "The untrained start"


def _before(summary: Mapping[str, Any]) -> str:
    """Says what the start is, of arms that are not drawn at random."""
    told = " Epoch 0 is the checkpoint, swapped or not, before tuning."
    return told * arms.from_checkpoint(summary)


def _is_other(metric: str) -> bool:
    return metric not in ("validation_accuracy", "validation_loss")


def _heading(metric: str) -> str:
    return numbers.words(metric).capitalize()


def _seed(summary: Mapping[str, Any]) -> str:
    return (
        "The first seed of each group"
        if null_run.is_null(summary)
        else "The same seed under each arm"
    )
