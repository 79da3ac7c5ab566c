"""What a null run says: one activation against itself, with other seeds."""

from collections.abc import Mapping
from typing import Any

from research.reporting import arms, numbers

_WRONG = ("better", "worse")


def is_null(summary: Mapping[str, Any]) -> bool:
    """Tells whether the run compares an activation with itself."""
    return summary["mode"] == "null"


def title(summary: Mapping[str, Any]) -> str:
    """Names the run: `null run: ReLU against itself with other seeds`."""
    return f"null run: {_name(summary)} against itself with other seeds"


def _name(summary: Mapping[str, Any]) -> str:
    return arms.written(summary, summary["reference"])


def headline(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Says by how much the groups differ: no activation can have won."""
    scale = numbers.scale_of(summary)
    size = numbers.difference(comparison["mean_difference"], scale)
    seeds = numbers.counted(comparison["n"], "seed")
    return (
        f"Two groups of {seeds} of {_name(summary)} differ by {size} through luck alone"
    )


def reason(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Says whether the verdict is right, or a false alarm."""
    scale, verdict = numbers.scale_of(summary), comparison["verdict"]
    ends = numbers.interval(comparison["ci_low"], comparison["ci_high"], scale)
    told = f"the {100 * summary['confidence']:g} % interval is {ends}"
    rate = f"{100 * round(1 - summary['confidence'], 12):g} %"
    alarm = f"a false alarm that happens in about {rate} of null runs"
    if verdict in _WRONG:
        return f"{told}, and the verdict would be {verdict}, {alarm}"
    if verdict == "equivalent" and _leaves_zero_out(comparison):
        return f"{told} and leaves 0 out, {alarm}, but lies within the margin"
    if verdict == "equivalent":
        return f"{told}, and they are called equivalent, as they should be"
    return f"{told}, and no difference is shown, as it should be"


def _leaves_zero_out(comparison: Mapping[str, Any]) -> bool:
    return comparison["ci_low"] > 0 or comparison["ci_high"] < 0


def winners(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Says how often a few runs of each group would have named a winner all the same."""
    told = [
        f"{words} of each group in {numbers.share(1 - shares['neither'])}"
        for words, shares in (
            ("one run", comparison["one_seed"]),
            ("three runs", comparison["three_seeds"]),
        )
        if shares
    ]
    return (
        f"A winner, where there is none, would have been named by {' and by '.join(told)} "
        "of draws."
    )


def held_equal(summary: Mapping[str, Any]) -> str:
    """Says that nothing is paired here, and that it need not be."""
    return (
        f"Both groups are {_name(summary)} and have no seed in common: they are compared "
        "unpaired, and exempt from the pairing that is checked between activations."
    )
