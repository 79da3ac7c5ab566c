"""How a run is shown: on the console, in figures, in report.html and report.md."""

import importlib
from typing import Any

# Loaded when first asked for: a console needs no matplotlib.
_PLACES = {
    "draw_figures": "research.reporting.figures",
    "print_verdict": "research.reporting.console",
    "verdict_table": "research.reporting.console",
    "write_report": "research.reporting.report",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
