"""The report's tables as rows of text, the same for report.html and report.md."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from research.reporting import (
    arms,
    null_run,
    numbers,
    sentences,
    sequential_plan,
    verdicts,
)

Row = tuple[str, ...]
# By whether the comparisons are paired.
EFFECTS: Mapping[tuple[bool, ...], str] = {(True,): "effect d_z", (False,): "effect d"}


def verdict_header(summary: Mapping[str, Any]) -> Row:
    """Returns the headings of the verdict table."""
    metric = numbers.words(summary["primary_metric"])
    unit = ", points" if numbers.is_percent(metric) else ""
    reference = summary["arms"][summary["reference"]]["name"]
    trained = arms.were_trained(summary)
    if not summary["comparisons"]:
        interval = f"{verdicts.confidence(summary)} interval of the mean"
        return "activation", f"{metric}, mean ± sd", interval
    return (
        "activation" if trained else "arm",
        f"{metric}, mean ± sd",
        *(["step time"] if trained else []),
        f"against {reference}{unit}",
        f"{verdicts.confidence(summary)} interval",
        "p (Holm)" if len(summary["comparisons"]) > 1 else "p",
        EFFECTS.get(_designs(summary), "effect"),
        "verdict",
    )


def _designs(summary: Mapping[str, Any]) -> tuple[bool, ...]:
    """Returns whether comparisons are paired, their effects d_z, or not, and theirs d."""
    paired = [verdicts.is_paired(comparison) for comparison in summary["comparisons"]]
    return tuple(dict.fromkeys(paired)) or (True,)


def verdict_rows(summary: Mapping[str, Any]) -> dict[str, Row]:
    """Returns the cells of the verdict table by arm; the reference's last are dashes."""
    compared = {comparison["arm"]: comparison for comparison in summary["comparisons"]}
    if not compared:
        return {slug: _alone(summary, slug) for slug in summary["arms"]}
    return {
        slug: _scores(summary, slug)
        + (
            _comparison(summary, compared[slug])
            if slug in compared
            else (numbers.ABSENT,) * 4 + ("reference",)
        )
        for slug in arms.ordered(summary)
    }


def _alone(summary: Mapping[str, Any], slug: str) -> Row:
    interval = numbers.mean_interval(summary["arms"][slug], numbers.scale_of(summary))
    return *_scores(summary, slug)[:2], interval


def _scores(summary: Mapping[str, Any], slug: str) -> Row:
    arm, scale = summary["arms"][slug], numbers.scale_of(summary)
    name = f"{arms.named(summary, slug)} {arms.form(summary, slug)}".strip()
    mean = numbers.bare_mean(arm, scale)
    score = f"{mean} %" if scale.percent and mean != numbers.ABSENT else mean
    if not arms.were_trained(summary):
        return name, score
    return name, score, step_ratio(summary, slug)


def step_ratio(summary: Mapping[str, Any], slug: str) -> str:
    """Writes an arm's time of a step against the reference's, or a dash for noise."""
    if not arms.were_timed(summary):
        return numbers.ABSENT
    base = summary["arms"][summary["reference"]]["step_seconds"]
    return numbers.ratio(summary["arms"][slug]["step_seconds"], base)


def step_note(summary: Mapping[str, Any]) -> str:
    """Says what the step time of the verdict table is; nothing where none is shown."""
    if not arms.were_trained(summary) or not summary["comparisons"]:
        return ""
    left_out = (
        ""
        if arms.were_timed(summary)
        else f" Left out, for an arm trained for less than {arms.LEAST_SECONDS:g} s."
    )
    shared = (
        " Elementwise arms were one program here, in which each may take some per cent "
        "longer than in one of its own."
        if summary.get("one_program") is True and not left_out
        else ""
    )
    return (
        "Step time: time of one optimiser step of one seed, in the fastest round, against "
        f"the reference.{shared}{left_out}"
    )


def _comparison(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> Row:
    scale = numbers.scale_of(summary)
    return (
        numbers.bare_difference(comparison["mean_difference"], scale),
        numbers.interval(comparison["ci_low"], comparison["ci_high"], scale),
        verdicts.p(comparison),
        _effect(comparison, named=len(_designs(summary)) > 1),
        verdicts.word(comparison),
    )


def _effect(comparison: Mapping[str, Any], *, named: bool) -> str:
    paired = verdicts.is_paired(comparison)
    key, name = ("effect_size_dz", "d_z ") if paired else ("effect_size_d", "d ")
    effect = numbers.finite(comparison[key])
    if effect is None:
        return numbers.ABSENT
    return (name if named else "") + numbers.fixed(effect, 2, signed=True)


ARM_HEADER = (
    "activation",
    "formula",
    "learning rate",
    "parameters",
    "MFLOP a step",
    "diverged (rate)",
    "exact zeros",
    "dead units",
    "step",
    "compiling",
    "training",
)


FILE_ARM_HEADER = ("arm", "runs", "mean", "sd", "interval of the mean")


def arm_header(summary: Mapping[str, Any]) -> Row:
    """Returns the headings of the table of what is known of each arm."""
    return ARM_HEADER if arms.were_trained(summary) else FILE_ARM_HEADER


def arm_rows(summary: Mapping[str, Any]) -> dict[str, Row]:
    """Returns what is known of each arm beside its score."""
    if arms.were_trained(summary):
        timed = arms.were_timed(summary)
        return {
            slug: (arms.named(summary, slug), *_arm(summary["arms"][slug], timed=timed))
            for slug in arms.ordered(summary)
        }
    scale = numbers.scale_of(summary)
    return {
        slug: _file_arm(summary["arms"][slug], scale) for slug in arms.ordered(summary)
    }


def _file_arm(arm: Mapping[str, Any], scale: numbers.Scale) -> Row:
    ends = (numbers.bare_value(arm[key], scale) for key in ("ci_low", "ci_high"))
    return (
        arm["name"],
        f"{arm['seeds']:,}",
        numbers.bare_value(arm["mean"], scale),
        numbers.bare_value(arm["std"], scale),
        f"[{', '.join(ends)}]",
    )


def _arm(arm: Mapping[str, Any], *, timed: bool) -> Row:
    bound = numbers.share(arm["diverged_upper"])
    return (
        arm["formula"],
        f"{arm['learning_rate']:g}",
        f"{arm['parameters']:,}",
        _millions(arm.get("flops_per_step")),
        f"{arm['diverged']} of {arm['seeds']} (≤ {bound})",
        numbers.share(arm["zero_units"]),
        numbers.share(arm["dead_units"]),
        numbers.duration(arm["step_seconds"] if timed else None),
        numbers.duration(arm["compile_seconds"] or None),  # compiled with another arm
        numbers.duration(arm["train_seconds"]),
    )


def _millions(count: Any) -> str:
    known = numbers.finite(count)
    return numbers.ABSENT if known is None else f"{known / 1e6:.3g}"


def exploratory_header(summary: Mapping[str, Any]) -> Row:
    """Returns the headings of the table of numbers that were not the question."""
    return ("metric", *(arms.named(summary, slug) for slug in arms.ordered(summary)))


def exploratory_note(summary: Mapping[str, Any]) -> str:
    """Says what the cells of that table are."""
    against = ", then the difference to the reference with its interval"
    return (
        f"Mean ± standard deviation over seeds{against * bool(summary['comparisons'])}. "
        "These were not the question: no p, no verdict."
    )


def exploratory_rows(summary: Mapping[str, Any]) -> list[Row]:
    """Returns every other metric: each arm's mean and sd, and differences beneath."""
    metrics = dict.fromkeys(m for arm in _in_order(summary) for m in arm["exploratory"])
    rows = [_exploratory(summary, metric) for metric in metrics]
    return [*rows, *_speed_rows(summary)]


def _in_order(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [summary["arms"][slug] for slug in arms.ordered(summary)]


def _exploratory(summary: Mapping[str, Any], metric: str) -> Row:
    entries = [arm["exploratory"].get(metric) for arm in _in_order(summary)]
    known = [entry for entry in entries if entry]
    scale = numbers.make_scale(
        numbers.is_percent(metric),
        [entry["std"] for entry in known],
        _half_widths(summary, metric),
    )
    cells = []
    for slug, entry in zip(arms.ordered(summary), entries, strict=True):
        mean = numbers.bare_mean(entry, scale) if entry else numbers.ABSENT
        unit = " %" if scale.percent and entry else ""
        cells.append(mean + unit + _against(summary, slug, metric, scale))
    return (numbers.words(metric), *cells)


def _half_widths(summary: Mapping[str, Any], metric: str) -> Iterator[float]:
    for comparison in summary["comparisons"]:
        told = comparison["exploratory"].get(metric)
        if told and numbers.finite(told["ci_low"]) is not None:
            yield (told["ci_high"] - told["ci_low"]) / 2


def _against(
    summary: Mapping[str, Any], slug: str, metric: str, scale: numbers.Scale
) -> str:
    """Returns the difference to the reference with its interval, or nothing."""
    for comparison in summary["comparisons"]:
        told = comparison["exploratory"].get(metric)
        if comparison["arm"] == slug and told:
            size = numbers.difference(told["mean_difference"], scale)
            ends = numbers.interval(told["ci_low"], told["ci_high"], scale)
            return f"; {size}" + ("" if ends == numbers.ABSENT else f" {ends}")
    return ""


def _speed_rows(summary: Mapping[str, Any]) -> Sequence[Row]:
    """Returns the area under the validation curve over its epochs, where it is known."""
    areas = {
        c["arm"]: numbers.finite(c["learning_speed"]["area_difference"])
        for c in summary["comparisons"]
        if c["learning_speed"]
    }
    if all(area is None for area in areas.values()):
        return ()
    scale = numbers.make_scale(
        numbers.is_percent(summary["primary_metric"]),
        (),
        map(abs, filter(None, areas.values())),
    )
    cells = (
        numbers.difference(areas.get(slug), scale) for slug in arms.ordered(summary)
    )
    return (("mean height of the validation curve, difference", *cells),)


def settings(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns what was run, as pairs of a name and a text."""
    if not arms.were_trained(summary):
        return _file_settings(summary)
    rows = summary["rows"]
    parts = ", ".join(f"{count:,} {part}" for part, count in rows.items())
    last = summary["first_seed"] + summary["seeds"] - 1
    seeds = f"{summary['first_seed']} to {last}" if summary["seeds"] > 1 else f"{last}"
    if null_run.is_null(summary):
        seeds = (
            f"{seeds}, and {last + 1} to {last + summary['seeds']} in the other group"
        )
    changes = "; ".join(_change(each) for each in summary.get("changes", ()))
    scale = numbers.scale_of(summary)
    best = sentences.ceiling(summary)
    return [
        ("task", f"{summary['task']} ({parts} rows)"),
        *[("data", remark) for remark in summary.get("remarks", ())],
        ("model", f"{summary['model']}, {sentences.parameters(summary)} parameters"),
        ("initialiser", summary["initializer"]),
        ("optimiser", f"{summary['optimizer']}, {summary['learning_rate']:g}"),
        (
            "length",
            f"{numbers.counted(summary['epochs'], 'epoch')} in batches of "
            f"{summary['batch_size']}, {numbers.counted(summary['steps'], 'step')}",
        ),
        ("seeds", seeds),
        ("parameters scored", summary["selection"].replace("_", " ")),
        (
            sentences.fallback(summary).removeprefix("the "),
            numbers.value(summary["constant_predictor"], scale),
        ),
        (
            "best possible",
            numbers.ABSENT if best is None else sentences.ceiling_text(summary),
        ),
        *([("changed since the start", changes)] if changes else []),
    ]


def _change(change: Mapping[str, Any]) -> str:
    seen = "after" if change["verdict_seen"] else "before"
    there, now = (_plainly(change[key]) for key in ("from", "to"))
    return (
        f"{change['field']} from {there} to {now}, {seen} the verdict had been seen "
        f"({sequential_plan.when(change['time'])})"
    )


def _plainly(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _file_settings(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    better = "higher" if summary["higher_is_better"] else "lower"
    return [
        ("scores", summary["task"]),
        ("design", sentences.designs(summary)),
        ("direction", f"{better} is better"),
        ("reference", summary["arms"][summary["reference"]]["name"]),
        ("margin", numbers.margin(summary)),
        ("confidence", verdicts.confidence(summary)),
    ]
