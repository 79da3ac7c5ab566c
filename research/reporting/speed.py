"""Which arm learned faster on the way, in a sentence labelled exploratory."""

from collections.abc import Mapping
from typing import Any

from research.reporting import numbers, verdicts


def on_the_way(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str | None:
    """Says which arm learned faster; None where there is nothing to tell apart.

    The first such sentence of a summary explains what the way is.
    """
    if not _raced(summary, comparison):
        return None
    speed = comparison["learning_speed"]
    arm, reference = verdicts.names(summary, comparison)
    label, way = (
        "On the way (exploratory):",
        f"came 95 % of the way{_way(summary, comparison)}",
    )
    if speed["censored_arm"] == comparison["n"]:
        return f"{label} none of {arm}'s trainings {way}."
    missed = [
        f"{speed[key]} of {name}'s"
        for key, name in (("censored_arm", arm), ("censored_reference", reference))
        if speed[key]
    ]
    late = (
        f"; {' and '.join(missed)} trainings never did, and count as one epoch past the last"
        if missed
        else ""
    )
    return f"{label} {arm} {way} {_earlier(speed, reference)}{late}."


def _raced(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> bool:
    """Tells whether the two arms differ and the reference's way was measured."""
    speed = comparison["learning_speed"]
    if comparison["n"] < 2 or not speed:
        return False
    pair = {comparison["arm"], comparison["reference"]}
    identical = any(pair <= set(a) for a in summary["pairing"]["identical_arms"])
    known = numbers.finite(speed["epochs_earlier"]) is not None
    return known and not identical and speed["censored_reference"] < comparison["n"]


def _way(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    first = next(c for c in summary["comparisons"] if _raced(summary, c))
    if first["arm"] != comparison["arm"]:
        return ""
    _, reference = verdicts.names(summary, comparison)
    scored = summary["primary_metric"].removesuffix("_last")
    metric = numbers.words(scored.replace("test_", "validation_"))
    return f" (from the start to {reference}'s final {metric})"


def _earlier(speed: Mapping[str, Any], reference: str) -> str:
    epochs = speed["epochs_earlier"]
    low, high = (numbers.finite(speed[key]) for key in ("ci_low", "ci_high"))
    count = f"{abs(epochs):.1f}".removesuffix(".0")
    if count == "0":
        spread = "" if _near_zero(low) and _near_zero(high) else _ends(low, high)
        return f"at the same epoch on average as {reference}{spread}"
    word = "earlier" if epochs > 0 else "later"
    told = f"{count} {'epoch' if count == '1' else 'epochs'} {word}"
    if low is None or high is None:
        return f"{told} than {reference}"
    near, far = (low, high) if epochs > 0 else (-high, -low)
    told += _ends(near, far)
    surely = "" if near > 0 else f", so not surely {word},"
    return f"{told}{surely} than {reference}"


def _near_zero(end: float | None) -> bool:
    return end is None or f"{abs(end):.1f}" == "0.0"


def _ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f" [{numbers.fixed(low, 1)}, {numbers.fixed(high, 1)}]"
