"""How a surgery's numbers come about, in words, with sources; and its captions."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers, verdicts
from research.reporting.surgery_names import (
    POSITIONS,
    has_language_head,
    has_new_head,
    is_causal,
    rows,
)

LOSSES = {
    "labels": "Cross-entropy of each row's label.",
    "language": "Cross-entropy of the tokens that its own language head predicts.",
    "distillation": "‖h′ − h‖²/‖h‖² of each layer's output, averaged over the layers: h "
    "is the untouched model's on the same row, h′ the tuned one's. No labels are used "
    "(Hinton, Vinyals and Dean 2015, arXiv 1503.02531, and Romero et al. 2015, arXiv "
    "1412.6550, for distilling hidden layers).",
}
MASKED = (
    "15 % of a sentence's own tokens are predicted; of these 80 % are masked, 10 % are "
    "another token and 10 % stay (Devlin et al. 2019, arXiv 1810.04805). The positions "
    "are drawn once and are the same for all models, and in the tuned run's scores."
)


def method(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields pairs of a heading and a text, as far as they apply."""
    level = f"{100 * summary['confidence']:g} %"
    yield "Rows", _rows(summary)
    if summary["tuned"] is not None:
        yield "Tuning", _tuning(summary)
        yield "Seeds and rows", _seeds_and_rows(summary)
    if summary["head"] is not None:
        yield "The head", _head(summary)
    if not is_causal(summary):
        yield "Embeddings", _embeddings(summary)
    what = summary["unit"]
    yield (
        "Drift",
        f"‖h′ − h‖/‖h‖ of a layer's output over a {what}'s {POSITIONS[what]}, averaged "
        f"over the {what}s; layers count from 0. A layer behind a swapped one drifts by "
        "what it is given.",
    )
    yield "Units at exactly 0, and dead", _silent(summary)
    yield (
        "Intervals",
        f"{level} percentiles of 1,000 resamples of the {what}s, the same for every "
        f"model; a pair of a {what} with its own copy is left out (Efron 1979, Annals of "
        "Statistics 7).",
    )


def _rows(summary: Mapping[str, Any]) -> str:
    if summary["tuned"] is None:
        return f"All {rows(summary)} are measured; nothing is trained."
    first = (
        "to choose each training's parameters by"
        if summary["tuned"]["selection"] == "best_validation"
        else "to watch the training by"
    )
    return (
        f"{rows(summary, 'train')} to train on, {summary['rows']['validation']:,} {first}, "
        f"and {summary['rows']['test']:,} that are measured, before and after, and never "
        "trained on. They are divided at random once, the same for all models and seeds."
    )


def _tuning(summary: Mapping[str, Any]) -> str:
    tuned = summary["tuned"]
    steps = numbers.counted(tuned["steps"], "step")
    beside = (
        "The untouched model is left out: its loss is 0 before it begins."
        if summary["loss"] == "distillation"
        else "The untouched model is tuned in the same way and as long, so that what "
        "tuning alone does is not taken for the swap's."
    )
    fresh = (
        " The classifier is new, for the checkpoint has none of these labels."
        if has_new_head(summary)
        else ""
    )
    return (
        f"{LOSSES[summary['loss']]} All parameters are trained for {steps} of "
        f"{tuned['optimizer'].capitalize()} at {tuned['learning_rate']:g}, in batches of "
        f"{tuned['batch_size']}, from the checkpoint's.{fresh} {beside}"
    )


def _seeds_and_rows(summary: Mapping[str, Any]) -> str:
    tuned, unit = summary["tuned"], summary["unit"]
    return (
        f"Untuned models are what they are: of them only the {unit}s are a sample, and the "
        f"tables judge over {unit}s. Tuned models vary with the seed, and are judged over "
        f"{numbers.counted(tuned['seeds'], 'seed')} on the same {unit}s, in the section "
        f"Tuned; in the other tables they are those of seed {tuned['first_seed']}, the "
        "first."
    )


def _head(summary: Mapping[str, Any]) -> str:
    unit = summary["unit"]
    if has_language_head(summary):
        which = (
            "Each next token of a sentence is predicted."
            if is_causal(summary)
            else MASKED
        )
        counted = "tokens that are predicted"
        loss = (
            "Loss: mean −log p of the token that stood there. Perplexity: exp(loss). "
        )
        same = "Same likeliest token: it is that of the untouched model. "
    else:
        which, counted = "The checkpoint's own classifier.", f"{unit}s"
        known = "accuracy" in summary["arms"][summary["reference"]]["head"]
        loss = "Loss: mean −log p of the label. " * known
        same = "Same answer: the likeliest class is that of the untouched model. "
    return (
        f"{which} {loss}{same}KL to before: Σ p log(p/p′), in nats, with p the untouched "
        "model's probabilities and p′ this model's; 0 where nothing changed. Means are "
        f"over all {counted}."
    )


def _embeddings(summary: Mapping[str, Any]) -> str:
    unit = summary["unit"]
    special = ", special ones too" * (unit == "sentence")
    article = "A sentence" if unit == "sentence" else "An image"
    return (
        f"{article}'s embedding is the mean of the last layer's outputs over its "
        f"{POSITIONS[unit]}{special}. Cosine to before: of a {unit}'s embedding with its "
        "own in the untouched model. Nearest neighbour kept: its most similar other "
        f"{unit} is the same one. Spearman: of the similarities of all pairs, before "
        f"against after. Mean similarity: of different {unit}s."
    ).replace("a image", "an image")


def _silent(summary: Mapping[str, Any]) -> str:
    unit = summary["unit"]
    return (
        f"Share of the feed-forward blocks' activations, over {POSITIONS[unit]} and units, "
        "that are exactly 0. Dead units are 0 at every one of these "
        f"{unit}s' {POSITIONS[unit]}; other {unit}s may wake them, and fewer could only "
        "have more of them, so that they have no interval."
    )


def captions(summary: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Returns title and caption by the figure's name, in reading order."""
    level = f"{100 * summary['confidence']:g} %"
    reference = arms.written(summary, summary["reference"])
    tuned = summary["tuned"] is not None
    hollow = f" Hollow: tuned, seed {summary['tuned']['first_seed']}." if tuned else ""
    told = {
        "head": (
            "What is left of the head's predictions",
            f"Each model's numbers with {level} intervals over {summary['unit']}s. A line "
            f"is the untouched model, with {reference}.{hollow}",
        ),
        "similarity": (
            f"What is left of the {summary['unit']}s' similarities",
            f"Each model's numbers with {level} intervals. In the last panel the line is "
            f"the untouched model, with {reference}.{hollow}",
        ),
    }
    if tuned:
        told["recovery"] = _recovery(summary)
    told["drift"] = (
        "Drift, layer by layer",
        f"‖h′ − h‖/‖h‖ of each layer's output, with {level} intervals over "
        f"{summary['unit']}s."
        + (" Dashed: tuned." if tuned else " Without training nothing pulls it back."),
    )
    return told


def _recovery(summary: Mapping[str, Any]) -> tuple[str, str]:
    tuned = summary["tuned"]
    several = tuned["seeds"] > 1
    lines = (
        f"Lines are means over {numbers.counted(tuned['seeds'], 'seed')}, bands the "
        f"{verdicts.confidence(tuned)} intervals of these means."
        if several
        else "One line a model: there is one seed."
    )
    start = (
        "Step 0 is with the new classifier untrained, which is chance."
        if has_new_head(summary)
        else "Step 0 is without training; the dotted line is the untouched model."
    )
    return (
        "Recovery, step by step",
        f"On the {rows(summary, 'validation')} of the validation part, at the end of each "
        f"epoch. {start} {lines}",
    )
