"""What tuning gave, over seeds: of the tuned run within a surgery's summary."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers, sentences, tables, verdicts
from research.reporting.document import Link, Row, Section, Table
from research.reporting.sentences import listed
from research.reporting.surgery_names import has_new_head, swaps
from research.reporting.surgery_tables import COSINE, cell, scale_of

# Where the tuned run lies in a surgery's folder.
FOLDER = "tuned"
ITSELF = "The untouched model is not tuned beside: it has nothing to learn from itself."


def named_tuned(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the tuned run's summary with arms that say so: `tuned ReLU`."""
    tuned = summary["tuned"]
    renamed = {
        slug: {**arm, "name": f"tuned {arms.written(tuned, slug)}"}
        for slug, arm in tuned["arms"].items()
    }
    return {**tuned, "arms": renamed}


def tuned_section(summary: Mapping[str, Any]) -> Section:
    """Returns the section of what holds over seeds, with the way to the whole report."""
    tuned = summary["tuned"]
    count = numbers.counted(tuned["seeds"], "seed")
    over = f"over {count}" if tuned["seeds"] > 1 else "one seed"
    return Section(
        title=f"Tuned, {over}",
        table=_table(tuned),
        told=tuple(_told(summary)),
        link=Link(
            told="The whole report of the tuned run, with seed by seed, curves, settings "
            "and method",
            target=f"{FOLDER}/report.html",
        ),
        command=f"tensorboard --logdir {FOLDER}/tensorboard",
    )


def _table(tuned: Mapping[str, Any]) -> Table:
    """Returns the verdicts' table; how long a step takes is no matter here."""
    header = tables.verdict_header(tuned)
    kept = [n for n, heading in enumerate(header) if heading != "step time"]
    rows = tables.verdict_rows(tuned).values()
    return Table(
        tuple(header[n] for n in kept),
        tuple(_marked(tuple(cells[n] for n in kept)) for cells in rows),
    )


def _marked(cells: Row) -> Row:
    return f"{cells[0]}, tuned", *cells[1:]


def _told(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary["loss"] == "distillation":
        yield from recovered(summary)
        yield ITSELF
    else:
        yield (
            "All of these are tuned alike, from the same checkpoint: seed by seed only "
            "the activation differs."
        )
    if has_new_head(summary):
        yield (
            "The checkpoint has no classifier of these labels. Each tuned model learned "
            "one, from the same initial weights; the untuned ones have none, so that no "
            "accuracy stands beside theirs."
        )
    tuned = named_tuned(summary)
    if tuned["comparisons"]:
        yield from map(_upper, sentences.findings(tuned))
        return
    yield "There is one swap: nothing is compared, and there is no verdict."
    yield from map(_upper, sentences.divergence(tuned))


def recovered(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yields what distillation gave of each swap: its cosine before and after."""
    tuned = summary["tuned"]
    scale, before = numbers.scale_of(tuned), scale_of(summary, COSINE)
    for slug in swaps(summary):
        arm = tuned["arms"].get(slug)
        if arm is None:
            continue
        untuned = cell(summary["arms"][slug]["cosine"], before)
        over = numbers.counted(arm["seeds"], "seed")
        interval = numbers.mean_interval(arm, scale)
        ends = "" if interval == numbers.ABSENT else f" {interval}"
        yield (
            f"{arms.written(summary, slug)}: a mean cosine to before of {untuned} without "
            f"training, and of {numbers.bare_value(arm['mean'], scale)}{ends} tuned, over "
            f"{over}."
        )


def recovery(summary: Mapping[str, Any]) -> str:
    """Says in one sentence what the tuned models score."""
    tuned = summary["tuned"]
    scale, metric = numbers.scale_of(tuned), numbers.words(tuned["primary_metric"])
    told = [
        f"{_mean(tuned['arms'][slug], scale)} with {arms.written(tuned, slug)}"
        for slug in _swaps_first(summary)
    ]
    unit = " (nats a token)" * (summary["loss"] == "language")
    steps = numbers.counted(tuned["steps"], "step")
    over = numbers.counted(tuned["seeds"], "seed")
    spread = ", mean ± sd" if tuned["seeds"] > 1 else ","
    if summary["loss"] == "distillation":
        metric = "cosine"
    return (
        f"Tuned for {steps}, the {metric}{unit} is {listed(told)}{spread} over {over}."
    )


def _mean(arm: Mapping[str, Any], scale: numbers.Scale) -> str:
    mean = numbers.bare_mean(arm, scale)
    return f"{mean} %" if scale.percent else mean


def _swaps_first(summary: Mapping[str, Any]) -> list[str]:
    known = [*swaps(summary), summary["reference"]]
    return [slug for slug in known if slug in summary["tuned"]["arms"]]


def verdict(summary: Mapping[str, Any]) -> str | None:
    """Says in one sentence who is better once tuned; None where nothing is compared."""
    tuned = named_tuned(summary)
    compared = tuned["comparisons"]
    if not compared:
        return None
    if len(compared) == 1:
        return f"{_upper(verdicts.headline(tuned, compared[0]))}."
    words = [
        f"{arms.written(summary['tuned'], c['arm'])} {verdicts.word(c)}"
        for c in compared
    ]
    reference = arms.written(tuned, tuned["reference"])
    return f"Against {reference}: {', '.join(words)}."


def _upper(told: str) -> str:
    return told[:1].upper() + told[1:]


def advice(summary: Mapping[str, Any], cost: str) -> Iterator[str]:
    """Yields what the numbers say to the advice that everybody gives.

    Args:
      cost: what swapping without training costs, as a clause.
    """
    kept = arms.written(summary, summary["reference"])
    asked = f"Keep a pretrained model's activation ({kept} here), unless you fine-tune?"
    untuned = f"{asked} Without tuning, {cost}."
    if summary["tuned"] is None:
        yield f"{untuned} What tuning mends was not asked: {_how(summary)}."
        return
    steps = numbers.counted(summary["tuned"]["steps"], "step")
    if summary["loss"] == "distillation":
        yield (
            f"{untuned} Tuning for {steps} was asked only to bring back what the model "
            "computed; whether a tuned swap serves a purpose as well as the model tuned "
            "for it, labels would tell (--labels=FILE)."
        )
        return
    answers = " ".join(_answers(summary["tuned"], kept, steps))
    yield (
        f"{untuned} {answers}{_too_little(summary['tuned'])} That is said of this "
        "checkpoint and of these rows."
    )


def _too_little(tuned: Mapping[str, Any]) -> str:
    """Says where no model learned enough for a verdict to say much; else nothing."""
    constant, sign = tuned["constant_predictor"], 1 if tuned["higher_is_better"] else -1
    gains = [sign * (arm["mean"] - constant) for arm in tuned["arms"].values()]
    if max(gains) > tuned["margin"]:
        return ""
    known = numbers.value(constant, numbers.scale_of(tuned))
    return (
        f" But no tuned model does better than the best constant ({known}) by more than "
        "the margin, so that this says little."
    )


def _how(summary: Mapping[str, Any]) -> str:
    if summary["layers"] == "each":
        return (
            "one layer at a time is measured without tuning; name the layers that are "
            "swapped and tuned together, such as --layers=all or --layers=0,1"
        )
    return "leave out --config.task.loss=none to tune the swap as well"


def _answers(tuned: Mapping[str, Any], kept: str, steps: str) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for comparison in tuned["comparisons"]:
        word = verdicts.word(comparison)
        word = "undecided" if word == "no verdict" else word
        groups.setdefault(word, []).append(arms.written(tuned, comparison["arm"]))
    margin = numbers.margin(tuned)
    answers = {
        "equivalent": f"Tuned for {steps}, {{}} can stand in for {kept}: the difference "
        f"is smaller than the margin of {margin}.",
        "better": f"Tuned for {steps}, {{}} came out better than {kept}, which was tuned "
        "as long.",
        "worse": f"Tuned for {steps}, {{}} still came out worse than {kept}, which was "
        "tuned as long; for longer was not tried.",
        "undecided": f"Tuned for {steps}, whether {{}} can stand in for {kept} is not "
        "decided by these seeds.",
    }
    for word, names in groups.items():
        yield answers[word].format(listed(names))
