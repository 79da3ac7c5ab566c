"""How the numbers come about, in words, with sources: the same in both reports."""

from collections.abc import Mapping
from typing import Any

from research.reporting import numbers, verdicts


def paragraphs(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns pairs of a heading and a text, as far as they apply to this run."""
    level = verdicts.confidence(summary)
    margin = numbers.margin(summary)
    told = [
        ("What is compared", _differences(summary)),
        ("Interval", _interval(summary, level)),
        ("p", _p(summary)),
        ("Verdict", _verdict(summary, margin)),
        (
            "Effect d_z",
            "Mean of the differences divided by their standard deviation (Cohen 1988). "
            "Pairing makes it larger than an effect between independent groups.",
        ),
        (
            "Seeds needed",
            "The smallest number at which a two-sided paired t test would show a "
            "difference of one margin with 80 % power, given the spread seen; the range "
            "follows from the chi-square interval of that spread (Colas et al. 2018, "
            "arXiv 1806.08295).",
        ),
    ]
    if any(arm["diverged"] for arm in summary["arms"].values()):
        told.append(("Diverged trainings", _diverged(level)))
    return told


def _differences(summary: Mapping[str, Any]) -> str:
    metric = numbers.words(summary["primary_metric"])
    best = (
        "the parameters with the lowest validation loss"
        if summary["selection"] == "best_validation"
        else "the parameters after the last epoch"
    )
    return (
        f"The unit is the seed: {metric} of the arm minus that of the reference, seed by "
        f"seed, from {best}, computed once at the end. "
        f"{'Higher' if summary['higher_is_better'] else 'Lower'} is better. Sources of "
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
    smallest = [numbers.finite(c["smallest_p"]) for c in comparisons if c["n"] > 1]
    known = [p for p in smallest if p is not None]
    if known:
        told += f" The smallest p that this run can give is {numbers.smallest_p(min(known))}."
    if len(comparisons) > 1:
        told += (
            f" Holm's step-down adjustment over the {len(comparisons)} comparisons "
            "(Holm 1979, Scandinavian Journal of Statistics 6:65); intervals are not "
            "adjusted."
        )
    return told


def _verdict(summary: Mapping[str, Any], margin: str) -> str:
    alpha = round(1 - summary["confidence"], 12)
    inner = f"{100 * (1 - 2 * alpha):g} %"
    return (
        f"equivalent: the {inner} interval lies within ±{margin} and no training "
        "diverged (two one-sided tests, Schuirmann 1987, Journal of Pharmacokinetics and "
        "Biopharmaceutics 15:657). better or worse: p is at most "
        f"{alpha:g} and the {verdicts.confidence(summary)} interval leaves 0 out. "
        f"undecided: all else, and below {verdicts.FEWEST_SEEDS} seeds. With one seed "
        "there is no verdict."
    )


def _diverged(level: str) -> str:
    return (
        "A training whose loss or gradient stops being finite is frozen and scored as "
        f"the best constant predictor. The rate's bound is the upper {level} limit of a "
        "binomial share (Clopper and Pearson 1934, Biometrika 26:404); arms are compared "
        "by McNemar's exact test on the seeds where one of the two diverged (McNemar "
        "1947, Psychometrika 12:153)."
    )
