"""Luck, what pairing bought, and whether seeds or test set limit the conclusion."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers, recorded, sequential_plan, verdicts
from research.reporting.document import Row, Section, Table
from research.reporting.sentences import listed
from research.statistics import luck_sentence, noise_sentence

FIGURE = "luck"
# A pair of seeds worth less than this many unpaired ones has gained nothing.
_GAINED = 1.05
_ONE_LOOK = (
    "These intervals are of one look at the scores: they weigh seeds against test rows, "
    "and decide nothing."
)


def luck(summary: Mapping[str, Any]) -> Section | None:
    """Returns what other seeds would have shown; None where too few tell."""
    told = summary.get("luck")
    if told is None:
        return None
    scale = numbers.scale_of(summary)
    sentence = luck_sentence(
        recorded.luck(told),
        write=lambda size: numbers.difference(size, scale, signed=False),
    )
    return Section(
        title="What two papers with different seeds would see",
        told=(sentence, *filter(None, [_pairing(summary)])),
        figure=FIGURE,
    )


def _pairing(summary: Mapping[str, Any]) -> str | None:
    """Says what pairing by seed bought; None where nothing is paired or known."""
    worth = {
        comparison["arm"]: (comparison, seeds)
        for comparison in summary["comparisons"]
        if (seeds := _worth(summary, comparison)) is not None
    }
    if not worth:
        return None
    if len(worth) > 1:
        each = ", ".join(
            f"{arms.written(summary, arm)} {seeds:.1f} "
            f"(correlation {numbers.fixed(comparison['correlation'], 2)})"
            for arm, (comparison, seeds) in worth.items()
        )
        return (
            f"A seed shared with the reference is worth so many unpaired ones: {each}."
        )
    [(comparison, seeds)] = worth.values()
    return _one_pairing(summary, comparison, seeds)


def _worth(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> float | None:
    """Returns how many unpaired seeds give the precision of one that is shared."""
    spread = numbers.finite(comparison["std_difference"])
    if not verdicts.is_paired(comparison) or not spread:
        return None
    if numbers.finite(comparison["correlation"]) is None:
        return None
    return _unpaired(summary, comparison) ** 2 / spread**2


def _unpaired(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> float:
    """Returns the standard deviation that the difference of unpaired runs has."""
    stds = (summary["arms"][comparison[key]]["std"] for key in ("arm", "reference"))
    return sum(std**2 for std in stds) ** 0.5


def _one_pairing(
    summary: Mapping[str, Any], comparison: Mapping[str, Any], seeds: float
) -> str:
    scale = numbers.scale_of(summary)
    paired, unpaired = (
        numbers.bare_difference(size, scale, signed=False)
        for size in (comparison["std_difference"], _unpaired(summary, comparison))
    )
    arm, reference = verdicts.names(summary, comparison)
    correlation = numbers.fixed(comparison["correlation"], 2)
    told = (
        f"sd of a difference {paired} in place of {unpaired}{scale.unit}, correlation "
        f"{correlation}"
    )
    if seeds < _GAINED:
        return f"Pairing {arm} with {reference} by seed bought nothing here ({told})."
    return (
        f"Pairing {arm} with {reference} by seed bought this: unpaired it would take "
        f"{seeds:.1f} times as many seeds ({told})."
    )


def limits(summary: Mapping[str, Any]) -> Section | None:
    """Returns whether seeds or test set limit the conclusion; None where unknown."""
    known = list(_known(summary))
    if not known:
        return None
    several = len(known) > 1
    told = [
        f"{arms.written(summary, comparison['arm'])}: {sentence}"
        if several
        else sentence
        for comparison in known
        for sentence in [noise_sentence(recorded.noise(comparison["noise"]))]
    ]
    if sequential_plan.is_sequential(summary):
        told.append(_ONE_LOOK)
    metric = numbers.words(summary["primary_metric"])
    unit = ", points" if numbers.is_percent(metric) else ""
    header = (
        f"difference of {metric}{unit}",
        "new seeds, same test rows",
        "same seeds, new test rows",
        "both new",
        "limited by",
    )
    return Section(
        title="Seeds or test set: what limits this",
        told=tuple(told),
        table=Table(header, tuple(_row(summary, each) for each in known)),
    )


def _known(summary: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for comparison in summary["comparisons"]:
        if comparison.get("noise") and comparison["n"] >= verdicts.FEWEST_SEEDS:
            yield comparison


def _row(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> Row:
    scale, noise = numbers.scale_of(summary), comparison["noise"]
    spreads = (noise[key] for key in ("from_seeds", "from_examples", "from_both"))
    ends = (numbers.interval(s["ci_low"], s["ci_high"], scale) for s in spreads)
    arm, reference = verdicts.names(summary, comparison)
    return f"{arm} − {reference}", *ends, noise["limiting"]


def test_set_limits(summary: Mapping[str, Any]) -> str | None:
    """Says that more seeds will hardly help, where the test set limits a conclusion."""
    known = list(_known(summary))
    names = [
        arms.written(summary, comparison["arm"])
        for comparison in known
        if comparison["noise"]["limiting"] == "test set"
    ]
    if not names:
        return None
    all_of_them = len(names) == len(summary["comparisons"])
    which = "this" if all_of_them else f"what is said of {listed(names)}"
    return (
        f"For new test rows too, the test set limits {which}, not the seeds: more seeds "
        "will hardly help there."
    )


def method(summary: Mapping[str, Any], level: str) -> list[tuple[str, str]]:
    """Returns the paragraphs on luck, and on seeds and test set, where they are told."""
    told = []
    if summary.get("luck"):
        told.append(
            (
                "Luck",
                "The reference's own seeds are split at random into two groups, and their "
                "means compared: over all splits up to 50,000, else over seeded draws. "
                "Disjoint groups of k seeds differ with standard deviation s · √(2/k), as "
                "groups of new seeds would.",
            )
        )
    if any(_known(summary)):
        told.append(
            (
                "Seeds or test set",
                "The difference on every seed and test row is split into what seeds, test "
                "rows and their interaction add to the variance of the mean (crossed "
                f"random effects, by moments). {level} intervals are percentiles of a "
                "bootstrap of seeds' and rows' means scaled to these, widened by t/z "
                "(Hesterberg 2015, American Statistician 69:371). A source limits the "
                "conclusion where it adds over a third of what the other does.",
            )
        )
    return told
