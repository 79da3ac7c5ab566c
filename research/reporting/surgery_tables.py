"""The tables of a surgery's report, and how its numbers are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research.reporting import numbers
from research.reporting.document import Row, Table
from research.reporting.surgery_names import (
    changed,
    has_language_head,
    is_causal,
    ordered,
    tabled,
)

Estimate = Mapping[str, Any]


@dataclass(frozen=True)
class Metric:
    """A number of every model: its key in summary.json, its headings, whether a share.

    short: the heading on the console. head: whether it is read off the head.
    """

    key: str
    heading: str
    short: str
    percent: bool = False
    head: bool = False


KEPT = Metric("neighbour_kept", "neighbour kept, %", "neighbour\nkept, %", True)
SPEARMAN = Metric("spearman", "Spearman of pairs", "Spearman\nof pairs")
COSINE = Metric("cosine", "cosine to before", "cosine\nto before")
SIMILAR = Metric("mean_similarity", "mean similarity", "mean\nsimilarity")
SIMILARITIES = (KEPT, SPEARMAN, COSINE, SIMILAR)
ZEROS = Metric("zeros", "at exactly 0, %", "at 0\n(dead), %", True)

LOSS = Metric("loss", "loss, nats a token", "loss\nnats", head=True)
KL = Metric("kl", "KL to before, nats a token", "KL to\nbefore", head=True)
PERPLEXITY = Metric("perplexity", "perplexity", "perplexity", head=True)
ACCURACY = Metric("accuracy", "accuracy, %", "accuracy\n%", True, True)
SAME_TOKEN = Metric(
    "agreement", "same likeliest token, %", "same\ntoken, %", True, True
)
SAME_ANSWER = Metric("agreement", "same answer, %", "same\nanswer, %", True, True)
LANGUAGE = (LOSS, PERPLEXITY, ACCURACY, KL, SAME_TOKEN)
CLASSIFIER = (
    ACCURACY,
    Metric("loss", "loss, nats", "loss\nnats", head=True),
    Metric("kl", "KL to before, nats", "KL to\nbefore", head=True),
    SAME_ANSWER,
)
# What the console leaves to the report.
NOT_SHOWN = {"masked_lm": ("accuracy", "perplexity"), "causal_lm": ("accuracy",)}
LEFT_OUT = {"classifier": ("loss",), **NOT_SHOWN}

# More digits than these mean nothing beside other rows.
MOST_DECIMALS = 4
# Of the console; intervals are left out where it has no room for them.
ROOM, TALLEST = 80, 8


def told(summary: Mapping[str, Any], slug: str, metric: Metric) -> Estimate | None:
    """Returns a model's number with its interval; None where it has none."""
    arm = summary["arms"][slug]
    return (arm["head"] if metric.head else arm).get(metric.key)


def head_metrics(summary: Mapping[str, Any]) -> list[Metric]:
    """Returns what is read off the head that there is."""
    known = LANGUAGE if has_language_head(summary) else CLASSIFIER
    return [
        metric
        for metric in known
        if any(told(summary, slug, metric) for slug in summary["arms"])
    ]


def has_zeros(summary: Mapping[str, Any]) -> bool:
    """Tells whether any unit is ever at exactly 0."""
    return any(arm["zeros"]["value"] or arm["dead"] for arm in summary["arms"].values())


def scale_of(summary: Mapping[str, Any], metric: Metric) -> numbers.Scale:
    """Returns as many decimals as the narrowest interval of a metric needs."""
    found = [told(summary, slug, metric) for slug in summary["arms"]]
    halves = [
        (each["ci_high"] - each["ci_low"]) / 2
        for each in found
        if each and each["ci_low"] is not None
    ]
    decimals = numbers.make_scale(metric.percent, halves, ()).value_decimals
    return numbers.Scale(
        percent=metric.percent,
        value_decimals=1 if metric.percent else min(decimals, MOST_DECIMALS),
        difference_decimals=0,
    )


def bare(estimate: Estimate | None, scale: numbers.Scale) -> str:
    """Returns an estimate without its interval; what is no 0 is not written as one."""
    value = None if estimate is None else numbers.finite(estimate["value"])
    if value is None:
        return numbers.ABSENT
    text = numbers.bare_value(value, scale)
    least = 10.0**-scale.value_decimals
    if 0 < value * (100 if scale.percent else 1) < least / 2:
        return f"<{least:.{scale.value_decimals}f}"
    return text


def cell(estimate: Estimate | None, scale: numbers.Scale, between: str = " ") -> str:
    """Returns an estimate with its interval: `0.98 [0.97, 0.99]`."""
    value = bare(estimate, scale)
    if estimate is None or value == numbers.ABSENT or estimate["ci_low"] is None:
        return value
    ends = (numbers.bare_value(estimate[key], scale) for key in ("ci_low", "ci_high"))
    return f"{value}{between}[{', '.join(ends)}]"


def shown_table(summary: Mapping[str, Any]) -> Table:
    """Returns the console's table: intervals beneath, from the left, where room is."""
    slugs = ordered(summary)
    metrics = _shown_metrics(summary)
    columns = [
        [tabled(summary, slug) for slug in slugs],
        *(_column(summary, slugs, metric, None) for metric in metrics),
        *([_silent_column(summary, slugs)] if has_zeros(summary) else []),
    ]
    header = (
        "activation",
        *(metric.short for metric in metrics),
        *([ZEROS.short] if has_zeros(summary) else []),
    )
    for place, metric in enumerate(metrics, start=1):
        tried = list(columns)
        tried[place] = _column(summary, slugs, metric, "\n")
        if len(slugs) > TALLEST or _width(header, tried) > ROOM:
            break
        columns = tried
    return Table(header, tuple(zip(*columns, strict=True)))


def _shown_metrics(summary: Mapping[str, Any]) -> list[Metric]:
    left_out = LEFT_OUT.get(summary["head"], ())
    shown = [each for each in head_metrics(summary) if each.key not in left_out]
    if is_causal(summary):
        return shown
    # Without a head there is room for more.
    return [*shown, KEPT, COSINE] if shown else [KEPT, SPEARMAN, COSINE, SIMILAR]


def _column(
    summary: Mapping[str, Any],
    slugs: Sequence[str],
    metric: Metric,
    between: str | None,
) -> list[str]:
    scale = scale_of(summary, metric)
    found = [told(summary, slug, metric) for slug in slugs]
    if between is None:
        return [bare(each, scale) for each in found]
    return [cell(each, scale, between) for each in found]


def _silent_column(summary: Mapping[str, Any], slugs: Sequence[str]) -> list[str]:
    scale = scale_of(summary, ZEROS)
    return [
        f"{bare(summary['arms'][slug]['zeros'], scale)} "
        f"({_percent(summary['arms'][slug]['dead'])})"
        for slug in slugs
    ]


def _width(header: Row, columns: Sequence[Sequence[str]]) -> int:
    longest = [
        max(len(line) for text in (head, *cells) for line in text.split("\n"))
        for head, cells in zip(header, columns, strict=True)
    ]
    return sum(longest) + 2 * (len(longest) - 1)


def metrics_table(summary: Mapping[str, Any], metrics: Sequence[Metric]) -> Table:
    """Returns a report's table of every model, a column a metric."""
    slugs = ordered(summary)
    columns = [_column(summary, slugs, metric, " ") for metric in metrics]
    names = [tabled(summary, slug) for slug in slugs]
    header = ("activation", *(metric.heading for metric in metrics))
    return Table(header, tuple(zip(names, *columns, strict=True)))


def drift_table(summary: Mapping[str, Any]) -> Table:
    """Returns the table of each layer's drift, of every model but the untouched one."""
    scale = numbers.Scale(percent=True, value_decimals=1, difference_decimals=0)
    return _by_layer(
        summary,
        {
            slug: [
                cell(each, scale) for each in summary["arms"][slug]["drift_by_layer"]
            ]
            for slug in changed(summary)
        },
    )


def zeros_table(summary: Mapping[str, Any]) -> Table:
    """Returns the table of what is at exactly 0 in each layer, and of its dead units.

    Of layers that are swapped alone only these, one a model.
    """
    scale = scale_of(summary, ZEROS)
    slugs = ordered(summary)
    if summary["layers"] == "each":
        silent = [summary["arms"][slug] for slug in slugs]
        return Table(
            ("activation", ZEROS.heading, "dead, %"),
            tuple(
                (
                    tabled(summary, slug),
                    cell(arm["zeros"], scale),
                    _percent(arm["dead"]),
                )
                for slug, arm in zip(slugs, silent, strict=True)
            ),
        )
    columns = {}
    for slug in slugs:
        arm = summary["arms"][slug]
        pairs = [
            *zip(arm["zeros_by_layer"], arm["dead_by_layer"], strict=True),
            (arm["zeros"], arm["dead"]),
        ]
        columns[slug] = [_silent(*pair, scale) for pair in pairs]
    return _by_layer(summary, columns, together=True)


def _silent(zeros: Estimate, dead: float, scale: numbers.Scale) -> str:
    if not zeros["value"] and not dead:
        return "0"
    return f"{cell(zeros, scale)}, dead {_percent(dead)}"


def _percent(share: float) -> str:
    return numbers.share(share).removesuffix(" %")


def _by_layer(
    summary: Mapping[str, Any],
    columns: Mapping[str, Sequence[str]],
    *,
    together: bool = False,
) -> Table:
    """Returns a table with a row a layer; with a column a layer if there are many models."""
    names = [tabled(summary, slug) for slug in columns]
    layers = [f"layer {n}" for n in range(summary["depth"])]
    if together:
        every = summary["layers"] == "all"
        layers.append("all layers" if every else "swapped layers (else all)")
    if summary["layers"] == "each":
        rows = zip(names, columns.values(), strict=True)
        return Table(("activation", *layers), tuple((n, *cells) for n, cells in rows))
    rows = zip(layers, *columns.values(), strict=True)
    return Table(("layer", *names), tuple(rows))
