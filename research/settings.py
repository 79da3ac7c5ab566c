"""What a field of a config is made of: its default, help text and limits."""

import dataclasses
import difflib
import math
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from research.own_code import FORMS, is_own

# The largest whole number that fits JAX's default integer, in which seed ids are folded
# into keys.
LARGEST = 2**31 - 1

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 60


def near(name: str, known: Iterable[str]) -> str:
    """Returns `; did you mean …?` for the closest known names, or nothing.

    Names of the same letters come first: swapped letters are the commonest slip, and
    small ones for capitals.
    """
    names, letters = list(known), sorted(name.casefold())
    close = [other for other in names if sorted(other.casefold()) == letters]
    close = close or difflib.get_close_matches(name, names, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def shown(value: Any) -> str:
    """Returns a value as a message shows it: on one line, and cut where it is long."""
    return " ".join(_REPR.repr(value).split())


@dataclass(frozen=True)
class Check:
    """What a value must satisfy, with the words that a refusal uses.

    empty: a word that stands for no value, where a field may have none.
    """

    allowed: str
    accepts: Callable[[Any], bool]
    names: tuple[str, ...] = ()
    empty: str = ""


def at_least(least: int) -> Check:
    """Accepts whole numbers that are not below `least`."""
    return Check(
        f"a whole number from {least} to 2**31 - 1",
        lambda value: least <= value <= LARGEST,
    )


def whole(low: int, high: int) -> Check:
    """Accepts whole numbers from `low` to `high`."""
    return Check(
        f"a whole number from {low} to {high}", lambda value: low <= value <= high
    )


def or_all(check: Check) -> Check:
    """Accepts `all`, too, for a field that is empty where all are meant."""
    return dataclasses.replace(check, allowed=f"{check.allowed}, or all", empty="all")


def between(low: float, high: float) -> Check:
    """Accepts low < value < high."""
    return Check(
        f"a number above {low:g} and below {high:g}", lambda value: low < value < high
    )


def one_of(names: tuple[str, ...]) -> Check:
    """Accepts the names alone, and lets a refusal propose the nearest."""
    return Check(
        f"one of {', '.join(names)}", lambda value: value in names, names=names
    )


ANY_NAME = Check("a name", lambda value: value.strip() != "")
ANY_PATH = Check("a path", lambda value: value.strip() != "" and "\0" not in value)
POSITIVE = Check(
    "a finite number above 0", lambda value: math.isfinite(value) and value > 0
)


# Beyond them a number of float32 is an infinity, or zero.
SMALLEST_FLOAT32, LARGEST_FLOAT32 = 2.0**-126, 3.4e38
POSITIVE_FLOAT32 = Check(
    "a number from 1.2e-38 to 3.4e38, which float32 holds",
    lambda value: SMALLEST_FLOAT32 <= value <= LARGEST_FLOAT32,
)


def from_to(low: float, high: float) -> Check:
    """Accepts low <= value <= high."""
    return Check(
        f"a number from {low:g} to {high:g}", lambda value: low <= value <= high
    )


def setting(default: Any, text: str, check: Check) -> Any:
    """A dataclass field with its help text and its limits, which hold per element."""
    return dataclasses.field(default=default, metadata={"help": text, "check": check})


@dataclass(frozen=True)
class Sections:
    """The classes that a section may have, by its field `name`, and the default's name.

    One of an empty name is the section's only class, whatever its fields are.

    own: the class where `name` is a user's own code; None where none may be.
    """

    by_name: Mapping[str, type]
    default: str
    own: type | None = None

    def of(self, name: str) -> type | None:
        """Returns the class of a name, or None where there is none."""
        if self.own is not None and is_own(name):
            return self.own
        return self.by_name.get(name if self.default else "")

    @property
    def check(self) -> Check:
        """What the field `name` accepts."""
        names = tuple(self.by_name)
        own = f", {FORMS}" if self.own else ""
        return Check(
            f"one of {', '.join(names)}{own}",
            lambda name: self.of(name) is not None,
            names=names,
        )


def section(default: type, text: str) -> Any:
    """A dataclass field that holds a group of fields."""
    return one_section_of(Sections({"": default}, ""), text)


def one_section_of(sections: Sections, text: str) -> Any:
    """A dataclass field that holds one of several groups, which its `name` tells."""
    return dataclasses.field(
        default_factory=sections.by_name[sections.default],
        metadata={"help": text, "sections": sections},
    )
