"""results.md: the last measured tables, a section each."""

import re
from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).parent / "results.md"


def write_section(title: str, lines: Iterable[str], page: Path = PAGE) -> None:
    """Puts these lines under a heading, in place of what stood there."""
    section = "\n".join([f"## {title}", "", *lines, ""])
    text = page.read_text()
    found = re.search(rf"^## {re.escape(title)}$.*?(?=^## |\Z)", text, re.M | re.S)
    if found:
        tail = text[found.end() :]
        page.write_text(text[: found.start()] + section + "\n" * bool(tail) + tail)
    else:
        page.write_text(text + "\n" + section)
