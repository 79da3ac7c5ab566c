"""What a finished run's summary means for the exit code."""

from collections.abc import Mapping
from typing import Any

from research.errors import AllDiverged


def check_outcome(summary: Mapping[str, Any]) -> None:
    """Passes a run in which every arm has a lane left.

    Raises:
      AllDiverged: every lane of an arm stopped being finite.
    """
    # A suite and a published table hold nothing that was trained.
    trained = summary["arms"] if "comparisons" in summary else {}
    for slug, arm in trained.items():
        if arm["diverged"] == arm["seeds"]:
            raise AllDiverged(
                f"{slug}: all {arm['seeds']} lanes stopped being finite, the first "
                f"after {arm['steps_before_divergence']} steps; the results are written"
            )
