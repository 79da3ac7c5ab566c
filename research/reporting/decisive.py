"""How low a p can get, and how many seeds it takes before that is low enough."""

from collections.abc import Mapping
from typing import Any

from research.reporting import numbers
from research.statistics.multiplicity import holm
from research.statistics.power import smallest_decisive_n
from research.statistics.signflip import LARGEST_EXACT
from research.statistics.unpaired_power import smallest_decisive_runs


def fewest(summary: Mapping[str, Any], *, paired: bool) -> int:
    """Returns the fewest seeds, or runs of each arm, that can show a difference.

    It depends on the level and the number of arms alone; ties make it more.
    """
    level = _level(summary) / len(summary["comparisons"])
    return smallest_decisive_n(level) if paired else smallest_decisive_runs(level)


def among(summary: Mapping[str, Any]) -> str:
    """Names the arms that p is adjusted over, or nothing: `3 arms against the reference`."""
    count = len(summary["comparisons"])
    return f"{count} arms against the reference" if count > 1 else ""


def lowest_p(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> float | None:
    """Returns the adjusted p that the strongest scores could have; None for one seed."""
    compared = summary["comparisons"]
    smallest = [numbers.finite(each["smallest_p"]) for each in compared]
    # Holm's p never falls when another arm's p grows.
    floors = holm([1.0 if p is None else p for p in smallest])
    place = [each["arm"] for each in compared].index(comparison["arm"])
    return None if smallest[place] is None else floors[place]


def cannot_decide(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> bool:
    """Tells whether not even the strongest scores could have had a p at the level."""
    lowest = lowest_p(summary, comparison)
    return lowest is not None and lowest > _level(summary)


def why_not(
    summary: Mapping[str, Any], comparison: Mapping[str, Any], *, paired: bool
) -> str:
    """Says how low p can get, and how many seeds can decide where that is known."""
    lowest = lowest_p(summary, comparison)
    assert lowest is not None
    p = numbers.p_value(lowest) if lowest >= 0.001 else numbers.smallest_p(lowest)
    held = " and ".join(filter(None, [_runs(comparison, paired), among(summary)]))
    needed = _needed(summary, comparison, paired)
    unit = "seeds" if paired else "runs of each"
    told = f"; {needed} {unit} can decide" if needed else ""
    return f"with {held} p cannot be below {p}{told}"


def _runs(comparison: Mapping[str, Any], paired: bool) -> str:
    if not paired:
        return f"{comparison['n_arm']} and {comparison['n_reference']} unpaired runs"
    tied = _ties(comparison)
    return f"{comparison['n']} seeds" + (f", {tied} of them tied," if tied else "")


def _needed(
    summary: Mapping[str, Any], comparison: Mapping[str, Any], paired: bool
) -> int | None:
    least = fewest(summary, paired=paired)
    # Signs that are drawn and not enumerated bound p, whatever the number of seeds.
    if paired and least > LARGEST_EXACT:
        return None
    needed = least + (_ties(comparison) if paired else 0)
    return needed if needed > comparison["n"] else None


def _ties(comparison: Mapping[str, Any]) -> int:
    return sum(difference == 0 for difference in comparison["differences"])


def _level(summary: Mapping[str, Any]) -> float:
    # 1 - 0.95 is a little more than 0.05.
    return round(1 - summary["confidence"], 12)
