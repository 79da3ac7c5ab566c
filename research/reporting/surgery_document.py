"""What a swapped activation leaves of a trained encoder, in words: of summary.json."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers
from research.reporting.document import Document, Section
from research.reporting.sentences import listed
from research.reporting.surgery_tables import (
    SIMILARITIES,
    arms_table,
    cell,
    drift_table,
    name,
    scale_of,
    shown_table,
    swaps,
)


def surgery_document(summary: Mapping[str, Any]) -> Document:
    """Returns the report of a swap without training."""
    level = f"{100 * summary['confidence']:g} %"
    reference = arms.written(summary, summary["reference"])
    findings = tuple(_findings(summary))
    sentences = numbers.counted(summary["sentences"], "sentence")
    return Document(
        title=f"{reference} swapped out of {summary['checkpoint']}, without training",
        lede=findings[0],
        facts=f"{summary['title']} · trained with {_trained(summary)} · swapped in "
        f"{_layers(summary)} · {sentences} · nothing trained",
        shown=shown_table(summary),
        findings=findings,
        sections=(
            Section(
                title=f"Against the model as trained, with {level} intervals",
                table=arms_table(summary),
                told=findings[1:],
            ),
            Section(
                title=f"Drift of each layer's output, %, with {level} intervals",
                table=drift_table(summary),
            ),
        ),
        method=tuple(_method(summary, level)),
        settings=tuple(_settings(summary)),
        cost=f"{sentences} through {numbers.counted(len(summary['arms']), 'encoder')} in "
        f"{numbers.duration(summary['total_seconds'])}; nothing trained",
        captions=_captions(reference, level),
    )


def _trained(summary: Mapping[str, Any]) -> str:
    written = summary["hidden_act"]
    known = summary["arms"][summary["reference"]]["name"]
    form = arms.FORMS.get(known, "")
    alias = f", as config.json's {written} is read here" if written != known else ""
    return f"{known} {form}".strip() + alias


def _layers(summary: Mapping[str, Any]) -> str:
    layers = summary["layers"]
    if layers == "all":
        return f"all {summary['depth']} layers"
    if layers == "each":
        return f"each of {summary['depth']} layers alone, counted from 0"
    word = "layer" if len(layers) == 1 else "layers"
    return f"{word} {listed(list(map(str, layers)))} of 0 to {summary['depth'] - 1}"


def _findings(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary["layers"] == "each":
        yield from _each(summary)
    else:
        yield from (_finding(summary, slug) for slug in swaps(summary))
    before = summary["arms"][summary["reference"]]["mean_similarity"]
    scale = scale_of(summary, SIMILARITIES[3])
    yield (
        "Different sentences have a mean similarity of "
        f"{cell(before, scale)} in the model as trained: a cosine near it says "
        "little, and what is kept of the neighbours and of the order of pairs says more."
    )
    yield (
        "Nothing was trained and nothing is drawn: no number varies with a seed, and the "
        "intervals speak of other sentences like these."
    )


def _finding(summary: Mapping[str, Any], slug: str) -> str:
    arm = summary["arms"][slug]
    last = arm["drift_by_layer"][-1]["value"]
    similar = arm["mean_similarity"]["value"]
    values = {
        metric.key: cell(arm[metric.key], scale_of(summary, metric))
        for metric in SIMILARITIES[:3]
    }
    scale = scale_of(summary, SIMILARITIES[3])
    return (
        f"{name(summary, slug)} in {_layers(summary)}: {values['neighbour_kept']} % of "
        f"the sentences keep their nearest neighbour (by chance "
        f"{numbers.share(1 / (summary['sentences'] - 1))}), the order of all pairs keeps "
        f"a Spearman of {values['spearman']}, and the embeddings a cosine of "
        f"{values['cosine']} to before, where different sentences now have "
        f"{numbers.bare_value(similar, scale)}; the last layer's output drifts by "
        f"{numbers.share(last)} of its size."
    )


def _each(summary: Mapping[str, Any]) -> Iterator[str]:
    """Names the layer in which an activation moves the output most, and least."""
    for written in dict.fromkeys(
        arms.written(summary, slug) for slug in swaps(summary)
    ):
        last = {
            summary["arms"][slug]["swapped"][0]: summary["arms"][slug][
                "drift_by_layer"
            ][-1]["value"]
            for slug in swaps(summary)
            if arms.written(summary, slug) == written
        }
        most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
        yield (
            f"{written} in one layer at a time: the last layer's output drifts most with "
            f"layer {most} swapped, by {numbers.share(last[most])} of its size, and least "
            f"with layer {least}, by {numbers.share(last[least])}."
        )


def _method(summary: Mapping[str, Any], level: str) -> Iterator[tuple[str, str]]:
    yield (
        "Embeddings",
        "A sentence's embedding is the mean of the last layer's outputs over its tokens, "
        "special ones too. Cosine to before: of a sentence's embedding with its own in "
        "the model as trained. Nearest neighbour kept: its most similar other sentence is "
        "the same one. Spearman: of the similarities of all pairs, before against after. "
        "Mean similarity: of different sentences.",
    )
    yield (
        "Drift",
        "‖h' − h‖/‖h‖ of a layer's output over a sentence's tokens, averaged over the "
        "sentences; layers count from 0. A layer behind a swapped one drifts by what it "
        "is given.",
    )
    yield (
        "Units at exactly 0, and dead",
        "Share of the feed-forward blocks' activations, over tokens and units of the "
        "swapped layers (of all layers in the model as trained), that are exactly 0. Dead "
        "units are 0 at every token of these sentences; other sentences may wake them, and "
        "fewer sentences could only have more of them, so that they have no interval.",
    )
    yield (
        "Intervals",
        f"{level} percentiles of 1,000 resamples of the sentences, the same for every "
        "arm; a pair of a sentence with its own copy is left out (Efron 1979, Annals of "
        "Statistics 7).",
    )


def _settings(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "checkpoint", summary["checkpoint"]
    yield "encoder", summary["title"]
    yield "activation as trained", _trained(summary)
    yield "swapped in", _layers(summary)
    yield "text", "; ".join(summary["remarks"])
    yield "tokens", f"{summary['tokens']:,}"
    yield "tensors not of the encoder", ", ".join(summary["skipped"]) or "none"


def _captions(reference: str, level: str) -> dict[str, tuple[str, str]]:
    return {
        "similarity": (
            "What is left of the sentences' similarities",
            f"Each swap's numbers with {level} intervals. In the last panel the line is "
            f"the model as trained, with {reference}.",
        ),
        "drift": (
            "Drift, layer by layer",
            f"‖h' − h‖/‖h‖ of each layer's output, with {level} intervals. Without "
            "training nothing pulls it back.",
        ),
    }
