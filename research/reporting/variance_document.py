"""What each source of variation adds, in words and tables: of mode=variance."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from research.reporting import arms, numbers, recorded
from research.reporting.document import Document, Row, Section, Table
from research.reporting.sentences import VARIED, listed
from research.statistics import Component, Components, components_sentence

# A source hardly matters where it surely adds less than this share of the variance.
_HARDLY = 0.1
TOGETHER, REST = "together", "interaction"


def variance_document(summary: Mapping[str, Any]) -> Document:
    """Returns the report on what the sources of variation add."""
    level = f"{100 * summary['confidence']:g} %"
    sources, reference = summary["sources"], arms.written(summary, summary["reference"])
    findings = tuple(_findings(summary))
    trained = numbers.counted(summary["trainings"], "training")
    unit = ", points" if numbers.is_percent(summary["primary_metric"]) else ""
    return Document(
        title=f"{summary['task']}: what {listed(sources)} add to the variation",
        lede=findings[0],
        facts=f"{summary['title']} in each of {summary['backgrounds']} backgrounds a "
        f"source · reference {reference}",
        shown=_shown(summary, unit),
        findings=findings,
        sections=(
            Section(
                title=f"Standard deviation over seeds{unit}, and its {level} interval",
                table=_deviations(summary),
            ),
            Section(
                title=f"Share of the variance, and its {level} interval",
                table=_shares(summary),
                told=findings[1:],
            ),
        ),
        method=tuple(_method(summary, level)),
        settings=_settings(summary, level),
        cost=f"{trained} in {numbers.duration(summary['total_seconds'])}",
        settings_title="The run",
        captions={
            "variance": (
                "What each source adds",
                "Standard deviation over seeds when that source alone varies, averaged "
                "over the backgrounds, and when all vary together, with "
                f"{level} intervals. Left: of the scores. Right: of the differences to "
                f"{reference}, paired by seed.",
            )
        },
    )


def measured(summary: Mapping[str, Any]) -> dict[str, Components]:
    """Returns what was split by source, under the name of its row: scores first."""
    reference = arms.written(summary, summary["reference"])
    scores = {
        arms.written(summary, slug): recorded.components(arm["components"])
        for slug, arm in summary["arms"].items()
    }
    differences = {
        f"{arms.written(summary, slug)} − {reference}": recorded.components(told)
        for slug, told in summary["differences"].items()
    }
    return scores | differences


def deviation(variance: float) -> float:
    """Returns the standard deviation; a lower end below 0 is 0."""
    return math.sqrt(max(variance, 0.0))


def _scale(summary: Mapping[str, Any]) -> numbers.Scale:
    found = [
        deviation(part.variance)
        for each in measured(summary).values()
        for part in (*each.sources.values(), each.total)
    ]
    return numbers.make_scale(numbers.is_percent(summary["primary_metric"]), (), found)


def _sd(variance: float, scale: numbers.Scale) -> str:
    return numbers.bare_difference(deviation(variance), scale, signed=False)


def _percent(share: float | None) -> str:
    return numbers.ABSENT if share is None else f"{numbers.fixed(100 * share, 0)} %"


def _shown(summary: Mapping[str, Any], unit: str) -> Table:
    """The console's table: standard deviations, and shares of the variance beneath."""
    scale, rows = _scale(summary), []
    for name, each in measured(summary).items():
        parts = (*each.sources.values(), each.total)
        cells = (f"{_sd(p.variance, scale)}\n{_percent(p.share)}" for p in parts)
        rows.append((f"{name}\n", *cells, f"\n{_percent(each.interaction.share)}"))
    header = (f"sd over seeds{unit}\nshare of variance", *summary["sources"])
    return Table((*header, TOGETHER, REST), tuple(rows))


def _deviations(summary: Mapping[str, Any]) -> Table:
    scale = _scale(summary)
    rows: list[Row] = []
    for name, each in measured(summary).items():
        cells = (
            f"{_sd(part.variance, scale)} "
            f"[{_sd(part.ci_low, scale)}, {_sd(part.ci_high, scale)}]"
            for part in (*each.sources.values(), each.total)
        )
        rows.append((name, *cells))
    return Table(("of", *summary["sources"], TOGETHER), tuple(rows))


def _shares(summary: Mapping[str, Any]) -> Table:
    rows = [
        (name, *(_share(part, each.total) for part in _parts(each)))
        for name, each in measured(summary).items()
    ]
    return Table(("of", *summary["sources"], REST), tuple(rows))


def _parts(each: Components) -> tuple[Component, ...]:
    return (*each.sources.values(), each.interaction)


def _share(part: Component, total: Component) -> str:
    if not total.variance:
        return numbers.ABSENT
    ends = (_percent(end / total.variance) for end in (part.ci_low, part.ci_high))
    low, high = (end.removesuffix(" %") for end in ends)
    return f"{_percent(part.share)} [{low}, {high}]"


def _findings(summary: Mapping[str, Any]) -> Iterator[str]:
    for name, each in measured(summary).items():
        yield f"{name}: {_lower(components_sentence(each))}{_hardly(each)}"
    for slug in summary["differences"]:
        yield _pairing(summary, slug)
    first = f"{summary['sources'][0]}-0"
    yield (
        f"Each of the {len(summary['runs'])} sub-runs is a run folder of its own, with "
        f"its own report: python launch.py report --workdir=…/{first} (… is this run's "
        "folder)."
    )


def _lower(sentence: str) -> str:
    return f"{sentence[0].lower()}{sentence[1:]}"


def _hardly(each: Components) -> str:
    """Names the sources that surely add little."""
    total = each.total.variance
    little = [
        name for name, part in each.sources.items() if part.ci_high < _HARDLY * total
    ]
    if not little:
        return ""
    told = "matters: under 10 %" if len(little) == 1 else "matter: under 10 % each"
    return f" {listed(little).capitalize()} hardly {told}."


def _pairing(summary: Mapping[str, Any], slug: str) -> str:
    """Says what share of unpaired differences' variance pairing by seed removes."""
    base = recorded.components(summary["arms"][summary["reference"]]["components"])
    arm = recorded.components(summary["arms"][slug]["components"])
    paired = recorded.components(summary["differences"][slug])
    name, reference = (
        arms.written(summary, each) for each in (slug, summary["reference"])
    )
    label = f"Pairing {name} with {reference} by seed"
    unpaired = arm.total.variance + base.total.variance
    removed = _removed(paired.total, (arm.total, base.total))
    if removed is None:
        return f"{label} has nothing to remove: no score varies."
    scale = _scale(summary)
    told = (
        f"the difference has an sd of {_sd(paired.total.variance, scale)} in place of "
        f"{_sd(unpaired, scale)}{scale.unit}"
    )
    if removed <= 0:
        return f"{label} removes nothing of the variance of unpaired runs: {told}."
    each = (
        (source, _removed(part, (arm.sources[source], base.sources[source])))
        for source, part in paired.sources.items()
    )
    of_each = [
        f"{_percent(share) if share > 0 else 'nothing'} of {source}'s"
        for source, share in each
        if share is not None
    ]
    return (
        f"{label} removes {_percent(removed)} of the variance of unpaired runs, "
        f"{listed(of_each)}: {told}."
    )


def _removed(paired: Component, alone: Sequence[Component]) -> float | None:
    unpaired = math.fsum(part.variance for part in alone)
    return 1 - paired.variance / unpaired if unpaired else None


def _settings(summary: Mapping[str, Any], level: str) -> tuple[tuple[str, str], ...]:
    return (
        ("task", summary["task"]),
        ("run", summary["title"]),
        ("sources", "; ".join(f"{s}: {VARIED[s]}" for s in summary["sources"])),
        ("backgrounds", f"{summary['backgrounds']} a source"),
        ("seeds", f"{summary['seeds']} a sub-run, in no two of them the same"),
        ("confidence", level),
        ("sub-runs", ", ".join(summary["runs"])),
    )


def _method(summary: Mapping[str, Any], level: str) -> Iterator[tuple[str, str]]:
    metric = numbers.words(summary["primary_metric"])
    yield (
        "What one source adds",
        f"The variance of {metric} over the seeds of a sub-run in which that source "
        "alone is drawn anew and the others are held at a background, averaged over "
        f"{summary['backgrounds']} backgrounds (the total effect of Homma and Saltelli "
        "1996, Reliability Engineering and System Safety 52:1). The sources are those of "
        "Bouthillier et al. (2021, arXiv 2103.03098).",
    )
    yield (
        "Intervals",
        f"Chi-square at {level}, with degrees of freedom from the spread of the squared "
        "deviations over backgrounds and seeds, so that long tails widen them. Shares, "
        "and their intervals, are variances divided by the variance found when all "
        "sources vary together, which is itself known from the seeds of one sub-run.",
    )
    yield (
        "Interaction",
        "The variance when all vary together minus the sum of what each adds. Below 0 "
        "what one source adds depends on the others, and is counted with each of them; "
        "above 0 something varies only when all do. Its interval joins the others' (Zou "
        "and Donner 2008, Statistics in Medicine 27:1693).",
    )
    yield (
        "Pairing",
        "The variance of the difference of unpaired runs is the sum of both arms'. What "
        "the seed moves alike in both arms is no part of the paired difference.",
    )
