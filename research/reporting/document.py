"""A report that is no single comparison: its words and tables, before any layout."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of text; the first cell of a row names it."""

    header: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Link:
    """Where more is told: a file by its path from the report's folder."""

    told: str
    target: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading, a table, what is said under it, and a figure by its name.

    command: one that is typed in the report's folder to see more.
    """

    title: str
    told: tuple[str, ...] = ()
    table: Table | None = None
    figure: str = ""
    link: Link | None = None
    command: str = ""


@dataclass(frozen=True, kw_only=True)
class Document:
    """What such a report holds, in reading order.

    facts: one line beneath the title. shown: what the console shows as a table, and
    findings its sentences. captions: title and caption by the figure's name. board:
    TensorBoard's folder within the run's, where there is one.
    """

    title: str
    lede: str
    facts: str
    shown: Table
    findings: tuple[str, ...]
    sections: tuple[Section, ...]
    method: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    cost: str
    settings_title: str = "What was read"
    captions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    board: str = ""
