"""The sections that a report has where its run gives them something to say."""

from collections.abc import Mapping
from typing import Any

from research.reporting import luck_and_limits, sequential_plan
from research.reporting.document import Section


def sections(summary: Mapping[str, Any]) -> tuple[Section, ...]:
    """Returns what stands between the comparison and its figures, in reading order."""
    told = (
        sequential_plan.looks(summary),
        luck_and_limits.luck(summary),
        luck_and_limits.limits(summary),
    )
    return tuple(section for section in told if section is not None)
