"""Draws the whole report again from what lies in a run folder."""

import json
from pathlib import Path

from research.records.folder import RunFolder, read_mapping, write_bytes
from research.records.sums import altered
from research.reporting.document_figures import draw_document
from research.reporting.document_pages import (
    document_html,
    document_markdown,
)
from research.reporting.documents import DOCUMENTS
from research.reporting.figures import draw_all
from research.reporting.html import html_report
from research.reporting.markdown import markdown_report


def write_report(workdir: Path) -> dict[str, str]:
    """Writes figures/*.png, report.html and report.md; returns the figures by name.

    A figure that cannot be drawn, and a file that was edited since the run wrote it, are
    told as warnings in both reports.

    Raises:
      FileNotFoundError: the run has no results/summary.json.
      DataError: config.json or manifest.json is damaged.
    """
    summary = json.loads((workdir / "results/summary.json").read_text("utf-8"))
    make = DOCUMENTS.get(summary["mode"])
    drawn = draw_document(workdir, summary) if make else draw_all(workdir)
    edited = altered(RunFolder(workdir))
    warnings = (*summary["warnings"], *drawn.problems, *edited)
    records = {
        name: read_mapping(workdir / name)
        for name in ("config.json", "manifest.json")
        if (workdir / name).exists()
    }
    if make:
        document = make(summary)
        page = document_html(document, drawn.paths, warnings=warnings, records=records)
        told = document_markdown(document, drawn.paths, warnings=warnings)
    else:
        page = html_report(summary, drawn.paths, warnings=warnings, records=records)
        told = markdown_report(summary, drawn.paths, warnings=warnings)
    write_bytes(workdir / "report.html", page.encode())
    write_bytes(workdir / "report.md", told.encode())
    return {name: str(path) for name, path in drawn.paths.items()}
