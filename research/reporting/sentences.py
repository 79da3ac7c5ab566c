"""What a run's summary says, in sentences: pure functions of summary.json."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from research.reporting import (
    arms,
    null_run,
    numbers,
    sequential_plan,
    speed,
    verdicts,
)

VARIED = {
    "init": "the initial weights",
    "order": "the order of the data",
    "split": "the split into training and validation rows",
    "test_split": "the test rows",
}
# The default of the config's vary.
USUALLY_VARIED = ["init", "order", "split"]


def header(summary: Mapping[str, Any]) -> str:
    """Returns the title line: task, model, optimiser, seeds, margin, best possible."""
    trained = arms.were_trained(summary)
    task = summary["task"]
    if arms.from_checkpoint(summary):
        task += ": every arm tuned from the checkpoint"
    parts = [task, *(_training(summary) if trained else _arms(summary))]
    if null_run.is_null(summary):
        parts.insert(0, null_run.title(summary))
    given = summary["margin"] is not None
    parts.append(f"margin {numbers.margin(summary)}" if given else "no margin given")
    best = ceiling(summary)
    if best is not None:
        parts.append(f"best possible {ceiling_text(summary)}")
    return " · ".join(parts)


def _training(summary: Mapping[str, Any]) -> list[str]:
    return [
        f"{summary['model']}, {parameters(summary)} parameters",
        f"{summary['optimizer'].capitalize()} {summary['learning_rate']:g}, batch "
        f"{summary['batch_size']}, {numbers.counted(summary['epochs'], 'epoch')}",
        _seeds(summary),
        *([] if summary["higher_is_better"] else ["lower is better"]),
        *_what_varies(summary),
    ]


def _seeds(summary: Mapping[str, Any]) -> str:
    if sequential_plan.is_sequential(summary):
        return sequential_plan.seeds(summary)
    counted = numbers.counted(summary["seeds"], "seed")
    return (
        f"two groups of {counted}, unpaired" if null_run.is_null(summary) else counted
    )


def _what_varies(summary: Mapping[str, Any]) -> list[str]:
    """Says what the seeds vary where that is not the default."""
    vary = [name for name in VARIED if name in summary["vary"]]
    if vary == USUALLY_VARIED:
        return []
    if len(vary) < 2:
        return [f"only {vary[0]} varies" if vary else "nothing varies"]
    return [f"{listed(vary)} vary"]


def _arms(summary: Mapping[str, Any]) -> list[str]:
    better = "higher" if summary["higher_is_better"] else "lower"
    return [
        numbers.counted(len(summary["arms"]), "arm"),
        designs(summary),
        f"{better} is better",
    ]


def designs(summary: Mapping[str, Any]) -> str:
    """Says how the arms are compared: paired by seed, unpaired, or some each way."""
    paired = [verdicts.is_paired(comparison) for comparison in summary["comparisons"]]
    if all(paired):
        return f"{numbers.counted(summary['seeds'], 'seed')}, paired"
    if any(paired):
        names = ", ".join(
            arms.written(summary, comparison["arm"])
            for comparison in summary["comparisons"]
            if not verdicts.is_paired(comparison)
        )
        return f"paired by seed but for {names}"
    counts = [arm["seeds"] for arm in summary["arms"].values()]
    low, high = min(counts), max(counts)
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{each} unpaired runs of each"


def parameters(summary: Mapping[str, Any]) -> str:
    """Returns the number of parameters, or its range where the arms differ."""
    counts = [arm["parameters"] for arm in summary["arms"].values()]
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def ceiling(summary: Mapping[str, Any]) -> float | None:
    """Returns the best value of the primary metric that is possible, where known."""
    key = "ceiling_loss" if "loss" in summary["primary_metric"] else "ceiling"
    return numbers.finite(summary.get(key))


def ceiling_text(summary: Mapping[str, Any]) -> str:
    """Writes the best possible value: `97.1 %`, `0.0763`."""
    best = ceiling(summary)
    if best is not None and not numbers.is_percent(summary["primary_metric"]):
        return f"{best:.3g}"
    return numbers.value(best, numbers.scale_of(summary))


def at_the_ceiling(summary: Mapping[str, Any]) -> str | None:
    """Says that no activation could win, where the reference is within a margin of the best.

    Left out where an arm did win by more than the margin: a finite test set can
    exceed the best expected value.
    """
    best, reference = ceiling(summary), summary["arms"][summary["reference"]]
    higher = summary["higher_is_better"]
    # The far end of the reference's interval, so that a few seeds claim no more.
    far = numbers.finite(reference["ci_low" if higher else "ci_high"])
    compared = [] if null_run.is_null(summary) else summary["comparisons"]
    if best is None or far is None or not compared:
        return None
    left = best - far if higher else far - best
    won = any(
        verdicts.beyond_margin(summary, c) for c in compared if c["verdict"] == "better"
    )
    if left > summary["margin"] or won:
        return None
    return (
        f"{arms.written(summary, summary['reference'])} is within the margin of the best "
        f"that any model can do ({ceiling_text(summary)}): no activation could win by "
        "the margin here."
    )


def one_seed_alone(
    summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> str | None:
    """Says how often a single seed would have named either arm; None for one seed."""
    n, shares = comparison["n"], comparison["one_seed"]
    if n < 2:
        return None
    arm, reference = verdicts.names(summary, comparison)
    if not verdicts.is_paired(comparison):
        return (
            f"One run of each, drawn at random, would have named {arm} in "
            f"{numbers.share(shares['arm'])}, {reference} in "
            f"{numbers.share(shares['reference'])} and neither in "
            f"{numbers.share(shares['neither'])} of cases."
        )
    wins = {key: round(share * n) for key, share in shares.items()}
    return (
        f"One seed alone would have named {arm} in {wins['arm']}, {reference} in "
        f"{wins['reference']} and neither in {wins['neither']} of {n} cases."
    )


def three_seeds(
    summary: Mapping[str, Any], comparison: Mapping[str, Any]
) -> str | None:
    """Says how often the mean of three seeds would have named either arm."""
    shares = comparison["three_seeds"]
    if shares is None or comparison["n"] <= 3:
        return None
    arm, reference = verdicts.names(summary, comparison)
    tied = numbers.finite(shares["neither"])
    neither = f", and neither in {numbers.share(tied)}" if tied else ""
    paired = verdicts.is_paired(comparison)
    drawn = "three seeds" if paired else "three runs of each"
    return (
        f"The mean of {drawn} would have named {arm} in "
        f"{numbers.share(shares['arm'])} and {reference} in "
        f"{numbers.share(shares['reference'])} of the "
        f"{'triples' if paired else 'draws'}{neither}."
    )


def alone(summary: Mapping[str, Any]) -> str | None:
    """Says what an arm scored that is compared with nothing; None where one is."""
    if summary["comparisons"]:
        return None
    arm, scale = summary["arms"][summary["reference"]], numbers.scale_of(summary)
    interval = numbers.mean_interval(arm, scale)
    mean = numbers.value(arm["mean"], scale)
    ends = "" if interval == numbers.ABSENT else f" {interval}"
    return (
        f"{arms.written(summary, summary['reference'])} has a mean "
        f"{numbers.words(summary['primary_metric'])} of {mean}{ends} over "
        f"{numbers.counted(arm['seeds'], 'seed')}. It is the only arm, so that nothing is "
        "compared and there is no verdict."
    )


def fallback(summary: Mapping[str, Any]) -> str:
    """Names what a training scores that diverged."""
    distilled = "cosine" in summary["primary_metric"]
    return "the swap without training" if distilled else "the best constant predictor"


def divergence(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Says what diverged, apart for "when it trains" and "how often it fails"."""
    if not any(arm["diverged"] for arm in summary["arms"].values()):
        return ()
    order = arms.ordered(summary)
    counts = "; ".join(_failures(summary, slug) for slug in order)
    trained = "; ".join(_survivors(summary, slug) for slug in order)
    constant = numbers.value(summary["constant_predictor"], numbers.scale_of(summary))
    return (
        f"Some trainings diverged. They stay in every number, scored as "
        f"{fallback(summary)} ({constant}).",
        f"When it trains: {trained}.",
        f"How often it fails: {counts}{_mcnemar(summary)}.",
    )


def _failures(summary: Mapping[str, Any], slug: str) -> str:
    arm = summary["arms"][slug]
    bound = numbers.share(arm["diverged_upper"])
    return (
        f"{arms.written(summary, slug)} {arm['diverged']} of {arm['seeds']} "
        f"(at most {bound})"
    )


def _survivors(summary: Mapping[str, Any], slug: str) -> str:
    left = summary["arms"][slug]["survivors"]
    name = arms.written(summary, slug)
    mean = numbers.value(left["mean"], numbers.scale_of(summary))
    if not left["n"]:
        return f"{name} never did"
    return f"{name} {mean} over {numbers.counted(left['n'], 'seed')}"


def _mcnemar(summary: Mapping[str, Any]) -> str:
    told = [
        f"{arms.written(summary, c['arm'])} {numbers.p_phrase(c['mcnemar_p'])}"
        for c in summary["comparisons"]
        if numbers.finite(c["mcnemar_p"]) is not None
    ]
    reference = arms.written(summary, summary["reference"])
    return (
        f"; exact McNemar test against {reference}: {', '.join(told)}" if told else ""
    )


def held_equal(summary: Mapping[str, Any]) -> str:
    """Says what was the same for the arms, and that it was checked where it was."""
    if not arms.were_trained(summary):
        return (
            "The scores are read from a file: that the arms differ in nothing else is "
            "the word of who made them."
        )
    if not summary["comparisons"]:
        return "There is one arm, and no other that had to be held equal."
    if null_run.is_null(summary):
        return null_run.held_equal(summary)
    vary = [VARIED[key] for key in summary["vary"] if key in VARIED]
    pairing = summary["pairing"]
    shares = pairing.get("weights_share_by_arm", {})
    apart = {slug: share for slug, share in shares.items() if share < 1}
    owned = ", with what it asks its layers to own," if apart else ""
    told = f"Only the activation{owned} differs between the arms"
    if vary:
        told += f": seed by seed they share {listed(vary)}"
    if not pairing["verified"]:
        return f"{told}; this could not be verified."
    weights = f"{numbers.share(pairing['weights_share_compared'])} of the weights"
    if apart:
        each = (
            f"{numbers.share(s)} of {arms.written(summary, a)}'s"
            for a, s in apart.items()
        )
        weights = f"{listed(list(each))} weights"
    checked = numbers.counted(pairing["seeds_checked"], "seed")
    told += f" (verified on {checked}, {weights} compared)."
    alone = " What has another shape in an arm has initial weights of its own there."
    return told + alone * bool(apart)


def varied(summary: Mapping[str, Any]) -> str:
    """Says what changes from seed to seed, and what the numbers therefore speak of."""
    if not arms.were_trained(summary):
        return f"What is said holds {summary['estimand']}."
    changes = [VARIED[key] for key in summary["vary"] if key in VARIED]
    fixed = [text for key, text in VARIED.items() if key not in summary["vary"]]
    told = f"With the seed change {listed(changes)}" if changes else "Nothing varies"
    kept = f"; the same for all seeds: {listed(fixed)}" if fixed else ""
    return f"{told}{kept}. What is said holds {summary['estimand']}."


def listed(words: Sequence[str]) -> str:
    """Writes a list: `init, order and split`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def findings(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the sentences of the verdict, in the order in which they are read."""
    return tuple(_findings(summary))


def _findings(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from filter(None, [alone(summary)])
    for comparison in summary["comparisons"]:
        yield verdicts.sentence(summary, comparison)
        yield from filter(None, [verdicts.seeds_needed(summary, comparison)])
        yield from filter(None, [verdicts.other_design(summary, comparison)])
    yield from filter(None, [at_the_ceiling(summary)])
    yield from divergence(summary)
    # With many arms the triples are left to the figure of false winners.
    few = len(summary["comparisons"]) == 1
    tellers = (one_seed_alone, *([three_seeds] if few else []), speed.on_the_way)
    if null_run.is_null(summary):
        tellers = (null_run.winners,)
    for comparison in summary["comparisons"]:
        for told in tellers:
            yield from filter(None, [told(summary, comparison)])


def cost(summary: Mapping[str, Any]) -> str:
    """Says what the run took: `128 trainings in 9.1 s`.

    Of a run that went on, how many of its trainings were new.
    """
    if not arms.were_trained(summary):
        scores = sum(arm["seeds"] for arm in summary["arms"].values())
        taken = numbers.duration(summary["total_seconds"])
        return f"{numbers.counted(scores, 'score')} judged in {taken}; nothing trained"
    trained = numbers.counted(summary["trainings"], "training")
    new = summary.get("trained_now", summary["trainings"])
    if new < summary["trainings"]:
        trained += f", {new:,} of them new,"
    return f"{trained} in {numbers.duration(summary['total_seconds'])}"
