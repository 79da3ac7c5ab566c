"""Text and tables in Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence

from research.reporting.document import Section

# What would be read as markup in the middle of a line of text.
_MARKUP = re.compile(r"([\\`*_\[\]<>|#$])")


def markdown_text(told: str) -> str:
    """Escapes a text, so that none of it is read as markup."""
    return _MARKUP.sub(r"\\\1", told)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of text."""
    lines = [header, ["---"] * len(header), *rows]
    # The rule beneath the heading is markup; everything else is text.
    return "\n".join(
        f"| {' | '.join(cells if n == 1 else map(markdown_text, cells))} |"
        for n, cells in enumerate(lines)
    )


def markdown_section(section: Section) -> Iterator[str]:
    """Yields a section's heading, table and sentences."""
    yield f"## {markdown_text(section.title)}"
    if section.table:
        yield markdown_table(section.table.header, section.table.rows)
    yield from map(markdown_text, section.told)
    if section.link:
        yield f"[{markdown_text(section.link.told)}]({section.link.target})"
    if section.command:
        yield f"`{section.command}`, in this folder"
