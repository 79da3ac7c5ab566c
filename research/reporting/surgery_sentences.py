"""What a surgery found, in sentences: the damage, the recovery, the verdict."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers
from research.reporting.sentences import listed
from research.reporting.surgery_names import (
    changed,
    has_language_head,
    has_new_head,
    is_causal,
    layers,
    rows,
    swaps,
    written,
)
from research.reporting.surgery_tables import (
    ACCURACY,
    COSINE,
    KEPT,
    KL,
    LOSS,
    SAME_ANSWER,
    SAME_TOKEN,
    SIMILAR,
    SIMILARITIES,
    Metric,
    bare,
    cell,
    head_metrics,
    scale_of,
    told,
)
from research.reporting.surgery_tuned import recovery, verdict

# With more swaps the sentence names the least and the most damaged alone.
MOST_NAMED = 4


def lede(summary: Mapping[str, Any]) -> str:
    """Says the damage, then what tuning gave, then the verdict."""
    if summary["layers"] == "each":
        return " ".join(_each(summary))
    damage = f"Without training, {_damage(summary)}."
    if summary["tuned"] is None:
        return f"{damage} Nothing was tuned."
    return " ".join(filter(None, [damage, recovery(summary), verdict(summary)]))


def _each(summary: Mapping[str, Any]) -> Iterator[str]:
    """Names the layer in which an activation moves the output most, and least."""
    for name in dict.fromkeys(arms.written(summary, slug) for slug in swaps(summary)):
        last = {
            summary["arms"][slug]["swapped"][0]: _last_drift(summary, slug)
            for slug in swaps(summary)
            if arms.written(summary, slug) == name
        }
        most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
        yield (
            f"{name} in one layer at a time: the last layer's output drifts most with "
            f"layer {most} swapped, by {numbers.share(last[most])} of its size, and least "
            f"with layer {least}, by {numbers.share(last[least])}."
        )


def _last_drift(summary: Mapping[str, Any], slug: str) -> float:
    return summary["arms"][slug]["drift_by_layer"][-1]["value"]


def headline(summary: Mapping[str, Any]) -> Metric:
    """Returns the number that says the damage best: what is tuned on, where it is known."""
    if summary["loss"] == "distillation":
        return COSINE
    known = head_metrics(summary)
    if summary["head"] == "classifier":
        return ACCURACY if ACCURACY in known else SAME_ANSWER
    return LOSS if LOSS in known else KEPT


def _damage(summary: Mapping[str, Any]) -> str:
    """Returns the damage as a clause: from what, where the untouched model has it, to what."""
    metric, scale = headline(summary), scale_of(summary, headline(summary))
    kept, where = arms.written(summary, summary["reference"]), layers(summary)
    known = [slug for slug in swaps(summary) if told(summary, slug, metric)]
    if len(known) > MOST_NAMED:
        order = sorted(known, key=lambda slug: _value(summary, slug, metric))
        known = [order[0], order[-1]]
    percent = " %" * metric.percent
    values = listed(
        [
            f"{bare(told(summary, slug, metric), scale)}{percent} with "
            f"{written(summary, slug)}"
            for slug in known
        ]
    )
    if len(known) < len(swaps(summary)):
        values = f"between {values}"
    before = bare(told(summary, summary["reference"], metric), scale)
    unit = summary["unit"]
    start = f"with {kept} swapped out of {where}, the"
    return {
        LOSS: f"{start} loss of the language head goes from {before} nats a token to "
        f"{values}",
        ACCURACY: f"{start} accuracy goes from {before} % to {values}",
        SAME_ANSWER: f"{start} share of {unit}s that get the same answer is {values}",
        COSINE: f"{start} mean cosine of the {unit}s' embeddings to before is {values}",
        KEPT: f"{start} share of {unit}s that keep their nearest neighbour is {values}",
    }[metric]


def _value(summary: Mapping[str, Any], slug: str, metric: Metric) -> float:
    estimate = told(summary, slug, metric)
    known = numbers.finite(estimate["value"]) if estimate else None
    return float("inf") if known is None else known


def cost(summary: Mapping[str, Any]) -> str:
    """Returns what swapping without training costs, beside the margin where it fits."""
    metric, reference = headline(summary), summary["reference"]
    base = told(summary, reference, metric)
    if base is None or summary["layers"] == "each":
        slugs = swaps(summary)
        worst = max(slugs, key=lambda slug: _last_drift(summary, slug))
        most = " at the most," * (len(slugs) > 1)
        return (
            f"the last layer's output moves by {numbers.share(_last_drift(summary, worst))}"
            f" of its size{most} with {written(summary, worst)}"
        )
    differences = [
        f"{_difference(summary, slug, metric)} with {written(summary, slug)}"
        for slug in swaps(summary)
    ]
    noun = "accuracy" if metric == ACCURACY else "loss"
    return f"the {noun} differs by {listed(differences)}{_beside_margin(summary)}"


def _difference(summary: Mapping[str, Any], slug: str, metric: Metric) -> str:
    size = _value(summary, slug, metric) - _value(summary, summary["reference"], metric)
    if metric.percent:
        return f"{numbers.fixed(100 * size, 1, signed=True)} points"
    decimals = scale_of(summary, metric).value_decimals
    return f"{numbers.fixed(size, decimals, signed=True)} nats a token"


def _beside_margin(summary: Mapping[str, Any]) -> str:
    """Says the margin, where what is tuned is judged by the same number."""
    scored = {LOSS: "language", ACCURACY: "labels"}.get(headline(summary))
    if summary["loss"] != scored or has_new_head(summary):
        return ""
    margin = numbers.margin(summary["tuned"])
    return f" (the margin, within which tuned models are equivalent, is {margin})"


def head_sentences(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yields what the head says, and how near to what it said."""
    same = SAME_TOKEN if has_language_head(summary) else SAME_ANSWER
    what = "likeliest token" if has_language_head(summary) else "answer"
    scales = [scale_of(summary, metric) for metric in (same, KL)]
    per = " a token" * has_language_head(summary)
    each = [
        f"{written(summary, slug)} {cell(told(summary, slug, same), scales[0])} %, "
        f"{cell(told(summary, slug, KL), scales[1])} nats"
        for slug in changed(summary)
    ]
    if len(each) <= 2 * MOST_NAMED:
        yield (
            f"How often the {what} is that of the untouched model, and how far all "
            f"probabilities are from its own (KL{per}): {'; '.join(each)}."
        )
    if summary["tuned"] is not None and summary["loss"] != "distillation":
        yield (
            "Tuning on other goals than to stay the same moves a model away from what it "
            "said before: for a tuned model this is no damage."
        )


def similarity_sentences(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yields what is left of the similarities, and what to hold them against."""
    if summary["layers"] != "each":
        yield from (_kept(summary, slug) for slug in swaps(summary))
    before = summary["arms"][summary["reference"]]["mean_similarity"]
    yield (
        f"Different {summary['unit']}s have a mean similarity of "
        f"{cell(before, scale_of(summary, SIMILAR))} in the untouched model: a cosine near "
        "it says little, and what is kept of the neighbours and of the order of pairs "
        "says more."
    )


def _kept(summary: Mapping[str, Any], slug: str) -> str:
    arm, unit = summary["arms"][slug], summary["unit"]
    values = {
        metric.key: cell(arm[metric.key], scale_of(summary, metric))
        for metric in SIMILARITIES[:3]
    }
    similar = bare(arm["mean_similarity"], scale_of(summary, SIMILAR))
    chance = numbers.share(1 / (summary["rows"]["test"] - 1))
    return (
        f"{written(summary, slug)} without training: {values['neighbour_kept']} % of the "
        f"{unit}s keep their nearest neighbour (by chance {chance}), the order of all "
        f"pairs keeps a Spearman of {values['spearman']}, and the embeddings a cosine of "
        f"{values['cosine']} to before, where different {unit}s now have {similar}; the "
        f"last layer's output drifts by {numbers.share(_last_drift(summary, slug))} of "
        "its size."
    )


def what_varies(summary: Mapping[str, Any]) -> str:
    """Says what the intervals of the measured models speak of."""
    unit = summary["unit"]
    if summary["tuned"] is None:
        return (
            "Nothing was trained and nothing is drawn: no number varies with a seed, and "
            f"the intervals speak of other {unit}s like these."
        )
    first = summary["tuned"]["first_seed"]
    return (
        f"In the tables of {rows(summary)} the intervals speak of other {unit}s like "
        f"these, and a tuned model is that of seed {first} alone; what holds over seeds "
        "stands under Tuned."
    )


def details(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yields for the console what stands in no headline."""
    if summary["head"] is None or summary["layers"] == "each":
        yield from similarity_sentences(summary)
    elif not is_causal(summary):
        yield from (_kept(summary, slug) for slug in swaps(summary)[:MOST_NAMED])
