"""What the sequential plan says of itself: its looks, and how its numbers come about."""

import datetime
from collections.abc import Mapping
from typing import Any

from research.reporting import arms, numbers
from research.reporting.document import Section, Table

FIGURE = "sequence"


def is_sequential(summary: Mapping[str, Any]) -> bool:
    """Tells whether seeds were added until every arm was decided."""
    return summary.get("plan") == "sequential"


def seeds(summary: Mapping[str, Any]) -> str:
    """Writes how many seeds it took: `48 of at most 64 seeds (sequential)`."""
    most = summary.get("seeds_allowed", summary["seeds"])
    counted = numbers.counted(most, "seed")
    return f"{summary['seeds']:,} of at most {counted} (sequential)"


def used_up(summary: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """Says that the seeds ran out before the verdict, and why it is open."""
    most = summary.get("seeds_allowed", summary["seeds"])
    ran = f"{comparison['n']:,} of at most {numbers.counted(most, 'seed')}"
    return f"after {ran} {comparison['note']}"


def looks(summary: Mapping[str, Any]) -> Section | None:
    """Returns the looks at the scores; None for a plan that has none."""
    taken = summary.get("looks") or ()
    if not is_sequential(summary) or not taken:
        return None
    rows = tuple(
        (f"{look['seeds']:,}", _decided(summary, look), when(look["time"]))
        for look in taken
    )
    return Section(
        title="How the evidence grew",
        told=(
            "The scores were looked at after each batch of seeds, until every arm had its "
            "verdict or the seeds were used up. Interval and p hold at all looks at once.",
        ),
        table=Table(("seeds", "decided", "time"), rows),
        figure=FIGURE,
    )


def _decided(summary: Mapping[str, Any], look: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{arms.written(summary, arm)} {verdict or 'open'}"
        for arm, verdict in look["decided"].items()
    )


def when(time: str) -> str:
    """Writes a recorded time for a reader: `2026-11-30 00:33:23 UTC`."""
    told = datetime.datetime.fromisoformat(time)
    return told.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def method(summary: Mapping[str, Any], level: str) -> list[tuple[str, str]]:
    """Returns the paragraphs on interval and p, which those of a fixed plan are not."""
    alpha = round(1 - summary["confidence"], 12)
    shared = (
        f"{alpha:g}, shared by {n} arms" if (n := _compared(summary)) > 1 else alpha
    )
    return [
        (
            "Interval",
            "Confidence sequence: mean difference ± t · sd / √n with the t at which e "
            f"reaches {1 / alpha:.4g}. e is the Bayes factor of the t statistic, an effect "
            "mean/sd from N(0, 1) against none. The chance that the interval of any look "
            f"misses the mean is at most {numbers.share(alpha)}, however often one looks "
            "(Ville 1939; Lai 1976, Annals of Statistics 4:265; Wang and Ramdas 2023, "
            f"arXiv 2310.03722), so it is wider than a {level} interval of one look.",
        ),
        (
            "p",
            "1 / max e: one over the largest e of all looks that may decide. Without a "
            "difference e is 1 in expectation at every n, so p stays valid at whatever "
            "number of seeds one stops (Gönen, Johnson, Lu and Westfall 2005, American "
            "Statistician 59:252).",
        ),
        (
            "When a look may decide",
            "From √n ≥ 1.5 · ln(1/a) · (|G₁| + SE) on, with the skewness G₁ of the "
            f"differences, its standard error under normality and a = {shared}: of few "
            "differences that may be skewed e would find too much. The rule is from "
            "simulation.",
        ),
    ]


def _compared(summary: Mapping[str, Any]) -> int:
    return len(summary["comparisons"])
