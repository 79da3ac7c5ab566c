"""The verdict on one comparison, in words that never claim more than its interval."""

from collections.abc import Mapping
from typing import Any

from research.reporting import arms, decisive, null_run, numbers, sequential_plan

# Below this many seeds the smallest p of a two-sided sign-flip test is above .05.
FEWEST_SEEDS = 6
DIFFERENT = ("better", "worse")


def word(comparison: Mapping[str, Any]) -> str:
    """Returns the verdict for a table; one seed has none, a null run no winner."""
    if comparison["arm"].endswith(arms.NULL) and comparison["verdict"] in DIFFERENT:
        return "false alarm"
    return comparison["verdict"] if comparison["n"] > 1 else "no verdict"


def p(comparison: Mapping[str, Any]) -> str:
    """Returns the adjusted p for a table; one seed has none."""
    known = comparison["p_adjusted"] if comparison["n"] > 1 else None
    return numbers.p_value(known)


def headline(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Returns what was found, without the reason: `GELU and ReLU are equivalent here`."""
    if null_run.is_null(summary):
        return null_run.headline(summary, comparison)
    arm, reference = names(summary, comparison)
    return {
        "equivalent": f"{arm} and {reference} are equivalent here",
        "better": f"{arm} is better than {reference} here",
        "worse": f"{arm} is worse than {reference} here",
        "undecided": f"{arm} against {reference} is undecided here",
        "no verdict": "No verdict from one seed",
    }[word(comparison)]


def reason(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Returns why the verdict is what it is, to follow the headline after a colon."""
    if null_run.is_null(summary):
        return null_run.reason(summary, comparison)
    return {
        "equivalent": _why_equivalent,
        "better": _by_how_much,
        "worse": _by_how_much,
        "undecided": _why_undecided,
        "no verdict": _one_seed,
    }[word(comparison)](summary, comparison)


def sentence(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Returns headline and reason as one sentence."""
    return f"{headline(summary, comparison)}: {reason(summary, comparison)}."


def is_paired(comparison: Mapping[str, Any]) -> bool:
    """Tells whether the scores were paired by seed, as those of our own runs always are."""
    return comparison.get("paired", True)


def sample(comparison: Mapping[str, Any]) -> str:
    """Writes what a comparison rests on: `64 paired seeds`, `12 and 20 unpaired runs`."""
    if is_paired(comparison):
        return f"{comparison['n']} paired seeds"
    return f"{comparison['n_arm']} and {comparison['n_reference']} unpaired runs"


def _varies(comparison: Mapping[str, Any]) -> bool:
    """Tells whether the scores vary from seed to seed: an interval has a width."""
    if is_paired(comparison):
        return len(set(comparison["differences"])) > 1
    return comparison["ci_low"] != comparison["ci_high"]


def _identical(comparison: Mapping[str, Any]) -> bool:
    return not _varies(comparison) and not comparison["mean_difference"]


def _test(comparison: Mapping[str, Any]) -> str:
    return "sign-flip test" if is_paired(comparison) else "permutation test"


def names(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the names of the arm and of its reference."""
    arm, reference = (
        arms.written(summary, comparison[role]) for role in ("arm", "reference")
    )
    return arm.replace(arms.OTHER_SEEDS, " with other seeds"), reference


def beyond_margin(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> bool:
    """Tells whether the whole interval is farther from 0 than the margin."""
    near, _ = _magnitudes(comparison)
    margin = summary["margin"]
    return near is not None and margin is not None and near > margin


def leaves_zero_out(comparison: Mapping[str, Any]) -> bool:
    """Tells whether the interval of the difference does not hold 0."""
    near, _ = _magnitudes(comparison)
    return near is not None and near > 0


def _magnitudes(
    comparison: Mapping[str, Any],
) -> tuple[float, float] | tuple[None, None]:
    """Returns the interval's ends as distances on the estimate's side of 0, near first."""
    low, high = (numbers.finite(comparison[key]) for key in ("ci_low", "ci_high"))
    if low is None or high is None:
        return None, None
    return (low, high) if comparison["mean_difference"] >= 0 else (-high, -low)


def _why_equivalent(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    runs, margin = sample(comparison), _margin(summary)
    metric = numbers.words(summary["primary_metric"])
    if _identical(comparison):
        return f"the {metric} {_is(metric)} identical on each of the {runs}"
    if _significant(summary, comparison) and leaves_zero_out(comparison):
        return f"the difference over {runs} is real but smaller than {margin}"
    return (
        f"{runs} rule out a difference as large as {margin}, "
        "and show none of either sign"
    )


def _margin(summary: Mapping[str, Any]) -> str:
    """Writes the margin, and that it was set before the run where that is known."""
    late = any(
        change["field"] == "analysis.margin" and change["verdict_seen"]
        for change in summary.get("changes", ())
    )
    known = (
        ", which was changed after a verdict had been seen"
        if late
        else " set before the run"
    )
    set_before = known if arms.were_trained(summary) else ""
    return f"the margin of {numbers.margin(summary)}{set_before}"


def _by_how_much(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    scale = numbers.scale_of(summary)
    near, far = _magnitudes(comparison)
    mean = comparison["mean_difference"]
    size = numbers.difference(abs(mean), scale, signed=False)
    metric = numbers.words(summary["primary_metric"])
    ends = numbers.interval(near, far, scale, signed=False)
    told = (
        f"by {size} of {metric}"
        if summary["higher_is_better"]
        else f"its {metric} {_is(metric)} {'lower' if mean < 0 else 'higher'} by {size}"
    )
    return (
        f"{told} {ends} over {sample(comparison)}, "
        f"{_beside_margin(summary, comparison, far)}"
    )


def _is(metric: str) -> str:
    return "are" if "bits" in metric.split() else "is"


def _beside_margin(
    summary: Mapping[str, Any], comparison: Mapping[str, Any], far: float | None
) -> str:
    if summary["margin"] is None:
        return "and whether that matters is not judged, for no margin was given"
    margin = _margin(summary)
    if beyond_margin(summary, comparison):
        return f"more than {margin}"
    if far is not None and far < summary["margin"]:
        return f"real but smaller than {margin}"
    return f"an amount not yet shown to exceed {margin}"


def _why_undecided(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    if comparison["n"] < FEWEST_SEEDS:
        return (
            f"{sample(comparison)} are too few for a verdict: "
            f"{_takes(summary, comparison, 'or more')}"
        )
    if sequential_plan.is_sequential(summary):
        return sequential_plan.used_up(summary, comparison)
    if _identical(comparison):
        return (
            "the scores are identical, but nothing is called equivalent where trainings "
            "diverged"
        )
    if not _varies(comparison):
        return "every seed shows the same difference, so the seeds do not vary"
    return _failed_conditions(summary, comparison)


def _takes(summary: Mapping[str, Any], comparison: Mapping[str, Any], unit: str) -> str:
    """Says how many seeds a difference takes: `showing a difference takes 6 or more`."""
    fewest = decisive.fewest(summary, paired=is_paired(comparison))
    among = decisive.among(summary)
    told = f"showing a difference takes {fewest} {unit}"
    return f"{told}, with {among}" if among else told


def _failed_conditions(
    summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> str:
    scale = numbers.scale_of(summary)
    ends = numbers.interval(comparison["ci_low"], comparison["ci_high"], scale)
    interval = (
        f"the {confidence(summary)} interval of the difference over "
        f"{sample(comparison)}, {ends}{scale.unit},"
    )
    adjusted = numbers.p_phrase(comparison["p_adjusted"])
    level = f"{1 - summary['confidence']:.2g}"
    if _blocked(summary, comparison):
        why = decisive.why_not(summary, comparison, paired=is_paired(comparison))
        return f"{interval} leaves 0 out, but {why}"
    if leaves_zero_out(comparison):
        return (
            f"{interval} leaves 0 out, but the {_test(comparison)} does not agree "
            f"({adjusted}, above {level})"
        )
    if _significant(summary, comparison):
        return (
            f"the {_test(comparison)} finds a difference ({adjusted}), but {interval} "
            "includes 0"
        )
    return f"{interval} includes 0 and {_not_equivalent(summary, comparison)}"


def _blocked(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> bool:
    """Tells whether nothing but the lowest p that is possible stands against a verdict."""
    return (
        word(comparison) == "undecided"
        and comparison["n"] >= FEWEST_SEEDS
        and _varies(comparison)
        and leaves_zero_out(comparison)
        and decisive.cannot_decide(summary, comparison)
    )


def _not_equivalent(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    margin = numbers.margin(summary)
    if summary["margin"] is None:
        return "equivalence is not judged, for no margin was given"
    ends = (comparison["ci_low"], comparison["ci_high"])
    if max(abs(end) for end in ends) >= summary["margin"]:
        return f"reaches beyond the margin of {margin}"
    return (
        f"stays inside the margin of {margin}, but nothing is called equivalent "
        "where trainings diverged"
    )


def _one_seed(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    arm, reference = names(summary, comparison)
    scale = numbers.scale_of(summary)
    scores = [
        numbers.value(summary["arms"][comparison[role]]["mean"], scale)
        for role in ("arm", "reference")
    ]
    return (
        f"on seed {summary['first_seed']} {arm} scored {scores[0]} and {reference} "
        f"{scores[1]}, and the next seed may turn them around; "
        f"{_takes(summary, comparison, 'seeds or more')}"
    )


def _significant(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> bool:
    p = numbers.finite(comparison["p_adjusted"])
    # The level is rounded: 1 - 0.95 is a little more than 0.05.
    return p is not None and p <= round(1 - summary["confidence"], 12)


def confidence(summary: Mapping[str, Any]) -> str:
    """Writes the confidence of the intervals: `95 %`."""
    return f"{100 * summary['confidence']:g} %"


def _unit(comparison: Mapping[str, Any]) -> str:
    return "seeds" if is_paired(comparison) else "runs of each"


def seeds_needed(
    summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> str | None:
    """Says what number of seeds would settle an undecided comparison, where it is known.

    Left out where fewer can: there the lowest p that is possible stood against it.
    """
    needed = comparison["seeds_needed"]
    if word(comparison) != "undecided" or needed is None:
        return None
    if _blocked(summary, comparison):
        return None
    arm, reference = names(summary, comparison)
    span = comparison["seeds_needed_range"]
    between = f" (between {span[0]:,} and {span[1]:,})" if span else ""
    sequential = sequential_plan.is_sequential(summary)
    plan = "A fixed plan of about" if sequential else "About"
    told = (
        f"{plan} {needed:,} {_unit(comparison)}{between} would show a difference of one "
        f"margin between {arm} and {reference} four times in five"
    )
    if sequential:
        return f"{told}; this sequential plan may take twice as many."
    if needed <= comparison["n"]:
        failed = comparison["mcnemar_p"] is not None
        why = "trainings diverged" if failed else "the difference sits near the margin"
        return f"{told}; {comparison['n']:,} were run: {why}, or this is luck."
    return f"{told}."


def other_design(
    summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> str | None:
    """Says where paired and unpaired would disagree; None where they do not."""
    other = comparison.get("other_design")
    if not other or other["verdict"] == comparison["verdict"]:
        return None
    arm, reference = names(summary, comparison)
    word_there = other["verdict"]
    scale, p_there = numbers.scale_of(summary), numbers.p_phrase(other["p_adjusted"])
    ends = numbers.interval(other["ci_low"], other["ci_high"], scale)
    told = f"{word_there} ({ends}, {p_there})"
    if other["paired"]:
        return (
            f"{arm} and {reference} are compared unpaired, for the file has no seeds. "
            f"Paired row by row the verdict would be {told}: if each row is one seed, "
            "add a column seed."
        )
    shared = numbers.finite(comparison["correlation"])
    correlation = "" if shared is None else f" (correlation {numbers.fixed(shared, 2)})"
    return (
        f"Pairing matters here: unpaired, {arm} against {reference} would be {told}. "
        f"The seeds move both arms alike{correlation}, and pairing takes that out."
        if shared is not None and shared > 0
        else f"Paired and unpaired disagree here: unpaired, {arm} against {reference} "
        f"would be {told}."
    )
