"""Which summaries are reported as documents rather than as one comparison."""

from collections.abc import Callable, Mapping
from typing import Any

from research.reporting.document import Document
from research.reporting.suite_document import suite_document
from research.reporting.surgery_document import surgery_document
from research.reporting.table_document import table_document
from research.reporting.variance_document import variance_document

# By the summary's mode.
DOCUMENTS: Mapping[str, Callable[[Mapping[str, Any]], Document]] = {
    "suite": suite_document,
    "check_table": table_document,
    "variance": variance_document,
    "surgery": surgery_document,
}
