"""What a swapped activation leaves of a checkpoint, and what tuning mends: the report."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers
from research.reporting.document import Document, Section
from research.reporting.sentences import listed
from research.reporting.surgery_method import captions, method
from research.reporting.surgery_names import (
    LESSONS,
    as_trained,
    checkpoint,
    has_language_head,
    is_causal,
    layers,
    length,
    rows,
    swaps,
)
from research.reporting.surgery_sentences import (
    cost,
    details,
    head_sentences,
    lede,
    similarity_sentences,
    what_varies,
)
from research.reporting.surgery_tables import (
    SIMILARITIES,
    drift_table,
    has_zeros,
    head_metrics,
    metrics_table,
    shown_table,
    zeros_table,
)
from research.reporting.surgery_tuned import FOLDER, ITSELF, advice, tuned_section


def surgery_document(summary: Mapping[str, Any]) -> Document:
    """Returns the report of a surgery: of up to four models for each activation."""
    first = lede(summary)
    alone = [ITSELF] if summary["loss"] == "distillation" else []
    answer = tuple(advice(summary, cost(summary)))
    return Document(
        title=_title(summary),
        lede=first,
        facts=_facts(summary),
        shown=shown_table(summary),
        findings=(
            first,
            *details(summary),
            *alone,
            *answer,
            what_varies(summary),
        ),
        sections=tuple(_sections(summary, answer)),
        method=tuple(method(summary)),
        settings=tuple(_settings(summary)),
        cost=_cost(summary),
        captions=captions(summary),
        board="" if summary["tuned"] is None else f"{FOLDER}/tensorboard",
    )


def _title(summary: Mapping[str, Any]) -> str:
    """Returns what was done: `ReLU in place of GELU in BERT 12×768, then tuned`."""
    names = dict.fromkeys(arms.written(summary, slug) for slug in swaps(summary))
    inside = (
        listed(list(names)) if len(names) <= 3 else f"{len(names)} other activations"
    )
    kept = arms.written(summary, summary["reference"])
    model = summary["title"].partition(",")[0]
    then = "without training" if summary["tuned"] is None else "then tuned"
    return f"{inside} in place of {kept} in {model}, {then}"


def _facts(summary: Mapping[str, Any]) -> str:
    lesson = LESSONS[summary["loss"]]
    if summary["tuned"] is not None:
        margin = numbers.margin(summary["tuned"])
        lesson = f"{lesson}, {length(summary)} · margin {margin}"
    return (
        f"{checkpoint(summary)} · {summary['title']} · trained with {as_trained(summary)} "
        f"· swapped in {layers(summary)} · {lesson} · measured on {rows(summary)}"
    )


def _sections(summary: Mapping[str, Any], answer: tuple[str, ...]) -> Iterator[Section]:
    level = f"{100 * summary['confidence']:g} %"
    yield Section(title="Is the swap worth it?", told=(*answer, what_varies(summary)))
    if summary["head"] is not None:
        head = "language head" if has_language_head(summary) else "classifier"
        yield Section(
            title=f"What the {head} says, with {level} intervals",
            table=metrics_table(summary, head_metrics(summary)),
            told=tuple(head_sentences(summary)),
        )
    if not is_causal(summary):
        yield Section(
            title=f"Similarities to the untouched model, with {level} intervals",
            table=metrics_table(summary, SIMILARITIES),
            told=tuple(similarity_sentences(summary)),
        )
    if summary["tuned"] is not None:
        yield tuned_section(summary)
    yield Section(
        title=f"Drift of each layer's output, %, with {level} intervals",
        table=drift_table(summary),
    )
    if has_zeros(summary):
        yield Section(
            title=f"Units at exactly 0, %, with {level} intervals, and dead units, %",
            table=zeros_table(summary),
        )


def _settings(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "checkpoint", summary["checkpoint"]
    yield "model", summary["title"]
    yield "activation as trained", as_trained(summary)
    yield "swapped in", layers(summary)
    yield "head that is measured", (summary["head"] or "none").replace("_", " ")
    yield from (("rows", remark) for remark in summary["remarks"])
    yield "tensors not used", ", ".join(summary["skipped"]) or "none"
    tuned = summary["tuned"]
    if tuned is None:
        return
    yield "tuned by", summary["loss"]
    yield (
        "optimiser",
        f"{tuned['optimizer']}, {tuned['learning_rate']:g}, batches of "
        f"{tuned['batch_size']}",
    )
    yield (
        "length",
        f"{numbers.counted(tuned['epochs'], 'epoch')}, "
        f"{numbers.counted(tuned['steps'], 'step')}",
    )
    yield "seeds vary", listed(tuned["vary"])


def _cost(summary: Mapping[str, Any]) -> str:
    taken = numbers.duration(summary["total_seconds"])
    models = numbers.counted(len(summary["arms"]), "model")
    trained = "nothing trained"
    if summary["tuned"] is not None:
        trained = numbers.counted(summary["tuned"]["trainings"], "training")
    return f"{models} measured on {rows(summary)}, {trained}, in {taken}"
