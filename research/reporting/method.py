"""How the numbers come about, in words, with sources: the same in both reports."""

from collections.abc import Mapping
from typing import Any

from research.reporting import (
    arms,
    decisive,
    luck_and_limits,
    null_run,
    numbers,
    sentences,
    sequential_plan,
    verdicts,
)


def paragraphs(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns pairs of a heading and a text, as far as they apply to this run."""
    level = verdicts.confidence(summary)
    margin = numbers.margin(summary)
    if not summary["comparisons"]:
        return _alone(summary, level)
    paired = [verdicts.is_paired(c) for c in summary["comparisons"]]
    told = [
        ("What is compared", _compared(summary)),
        *(_paired(summary, level) if any(paired) else []),
        *(_unpaired(level) if not all(paired) else []),
        *_several(summary),
        ("Verdict", _verdict(summary, margin)),
        *luck_and_limits.method(summary, level),
    ]
    if any(verdicts.seeds_needed(summary, c) for c in summary["comparisons"]):
        told.append(
            (
                "Seeds needed",
                "The smallest number at which a two-sided t test would show a "
                "difference of one margin with 80 % power, given the spread seen; the "
                "range follows from the chi-square interval of that spread (Colas et "
                "al. 2018, arXiv 1806.08295).",
            )
        )
    if any(arm["diverged"] for arm in summary["arms"].values()):
        told.append(("Diverged trainings", _diverged(summary, level)))
    return told


def _alone(summary: Mapping[str, Any], level: str) -> list[tuple[str, str]]:
    """Returns what applies to an arm that is compared with nothing."""
    metric = numbers.words(summary["primary_metric"])
    told = [
        (
            "What is measured",
            f"The unit is the seed: {metric} from {_scored(summary)}, computed once at "
            f"the end. {_direction(summary)}{_nats(summary)}",
        ),
        (
            "Interval",
            f"Mean ± t · sd / √n, with Student's t at {level} and n − 1 degrees of "
            "freedom (Student 1908, Biometrika 6:1).",
        ),
    ]
    if any(arm["diverged"] for arm in summary["arms"].values()):
        told.append(("Diverged trainings", _diverged(summary, level)))
    return told


def _scored(summary: Mapping[str, Any]) -> str:
    return (
        "the parameters with the lowest validation loss"
        if summary["selection"] == "best_validation"
        else "the parameters after the last epoch"
    )


def _direction(summary: Mapping[str, Any]) -> str:
    return f"{'Higher' if summary['higher_is_better'] else 'Lower'} is better."


def _nats(summary: Mapping[str, Any]) -> str:
    """Names the unit of a language model's loss; nothing of what is no loss of one."""
    metric = summary["primary_metric"]
    language = "test_perplexity" in summary["arms"][summary["reference"]]["exploratory"]
    known = language and metric.startswith("test_loss")
    return " The loss is mean −log p, in nats a token." * known


def _compared(summary: Mapping[str, Any]) -> str:
    if arms.were_trained(summary):
        return _differences(summary)
    return (
        "Scores read from a file, one a run. An arm whose runs carry the reference's "
        "seeds is paired with it, seed by seed; any other is compared unpaired. "
        f"{'Higher' if summary['higher_is_better'] else 'Lower'} is better."
    )


def _paired(summary: Mapping[str, Any], level: str) -> list[tuple[str, str]]:
    fixed = [("Interval", _interval(summary, level)), ("p", _p(summary))]
    sequential = sequential_plan.is_sequential(summary)
    return [
        *(sequential_plan.method(summary, level) if sequential else fixed),
        (
            "Effect d_z",
            "Mean of the differences divided by their standard deviation (Cohen 1988). "
            "Pairing makes it larger than an effect between independent groups.",
        ),
    ]


def _unpaired(level: str) -> list[tuple[str, str]]:
    return [
        (
            "Interval, unpaired",
            f"Difference of the means ± t · √(s₁²/n₁ + s₂²/n₂) at {level}, with Welch's "
            "degrees of freedom: each arm has a variance of its own (Welch 1947, "
            "Biometrika 34:28).",
        ),
        (
            "p, unpaired",
            "Permutation test: if the arm made no difference, each run could as well "
            "have been the other arm's. p is the share of regroupings whose means lie at "
            "least as far apart: all of them up to a million, else seeded draws with p = "
            "(1 + hits) / (1 + draws), above 10,000 runs its normal limit (Pitman 1937, "
            "JRSS Supplement 4:119; Phipson and Smyth 2010, SAGMB 9:39).",
        ),
        (
            "Effect d, unpaired",
            "Difference of the means divided by the pooled standard deviation (Cohen "
            "1988).",
        ),
    ]


def _differences(summary: Mapping[str, Any]) -> str:
    metric = numbers.words(summary["primary_metric"])
    unit = (
        f"The unit is the run: {metric}, compared between two groups of runs with no seed "
        "in common (unpaired),"
        if null_run.is_null(summary)
        else f"The unit is the seed: {metric} of the arm minus that of the reference, "
        "seed by seed,"
    )
    return (
        f"{unit} from {_scored(summary)}, computed once at the end. "
        f"{_direction(summary)}{_nats(summary)} Sources of "
        "variation are drawn anew with the seed rather than fixed (Bouthillier et al. "
        "2021, arXiv 2103.03098)."
    )


def _interval(summary: Mapping[str, Any], level: str) -> str:
    told = (
        f"Mean difference ± t · sd / √n, with Student's t at {level} and n − 1 degrees "
        "of freedom (Student 1908, Biometrika 6:1)."
    )
    if "test_split" in summary["vary"]:
        told += (
            " The seeds share test rows, so the variance is multiplied by 1/n + n_test / "
            "n_train in place of 1/n (Nadeau and Bengio 2003, Machine Learning 52:239)."
        )
    return told


def _p(summary: Mapping[str, Any]) -> str:
    comparisons = summary["comparisons"]
    told = (
        "Sign-flip test of the mean: if the activation made no difference, each "
        "difference could as well have had the other sign. p is the share of sign "
        "patterns whose mean is at least as far from 0: all of them for up to 20 seeds, "
        "else seeded draws with p = (1 + hits) / (1 + draws) (Fisher 1935, The Design of "
        "Experiments; Phipson and Smyth 2010, SAGMB 9:39)."
    )
    smallest = [
        numbers.finite(c["smallest_p"])
        for c in comparisons
        if c["n"] > 1 and verdicts.is_paired(c)
    ]
    known = [p for p in smallest if p is not None]
    if known:
        adjusted = ", before it is adjusted" if len(comparisons) > 1 else ""
        told += (
            " The smallest p that this run can give is "
            f"{numbers.smallest_p(min(known))}{adjusted}."
        )
    return told


def _several(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    count = len(summary["comparisons"])
    if count < 2:
        return []
    return [
        (
            "Several arms",
            f"p is adjusted by Holm's step-down method over the {count} comparisons "
            "(Holm 1979, Scandinavian Journal of Statistics 6:65); intervals are not.",
        )
    ]


def _verdict(summary: Mapping[str, Any], margin: str) -> str:
    if summary["margin"] is None:
        alpha = round(1 - summary["confidence"], 12)
        return (
            f"better or worse: p is at most {alpha:g} and the "
            f"{verdicts.confidence(summary)} interval leaves 0 out. Below "
            f"{verdicts.FEWEST_SEEDS} runs, and else: undecided. No margin was given "
            "(--margin), so equivalence is not judged: without the smallest difference "
            "that would matter, no difference is small enough."
        )
    alpha = round(1 - summary["confidence"], 12)
    inner = f"{100 * (1 - 2 * alpha):g} %"
    tests = (
        " (two one-sided tests, Schuirmann 1987, Journal of Pharmacokinetics and "
        "Biopharmaceutics 15:657)"
    )
    if sequential_plan.is_sequential(summary):
        inner, tests = verdicts.confidence(summary), ""
    return (
        f"equivalent: the {inner} interval lies within ±{margin} and no training "
        f"diverged{tests}. better or worse: p is at most "
        f"{alpha:g} and the {verdicts.confidence(summary)} interval leaves 0 out. "
        f"undecided: all else, and below {verdicts.FEWEST_SEEDS} seeds. With one seed "
        f"there is no verdict.{_decisive(summary)}"
    )


def _decisive(summary: Mapping[str, Any]) -> str:
    """Says how many seeds p takes to reach the level, where six are not enough."""
    paired = [verdicts.is_paired(c) for c in summary["comparisons"]]
    sequential = sequential_plan.is_sequential(summary)
    asked = any(paired) and not sequential
    fewest = decisive.fewest(summary, paired=True) if asked else 0
    if fewest <= verdicts.FEWEST_SEEDS:
        return ""
    among = decisive.among(summary)
    held = f"with {among} " if among else ""
    return f" A difference can be shown {held}from {fewest} seeds on."


def _diverged(summary: Mapping[str, Any], level: str) -> str:
    return (
        "A training whose loss or gradient stops being finite is frozen and scored as "
        f"{sentences.fallback(summary)}. The rate's bound is the upper {level} limit of a "
        "binomial share (Clopper and Pearson 1934, Biometrika 26:404); arms are compared "
        "by McNemar's exact test on the seeds where one of the two diverged (McNemar "
        "1947, Psychometrika 12:153)."
    )
