"""How numbers are written: percent and points for accuracies, sensible digits else."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

ABSENT = "–"
NO_BREAK = "\u00a0"
_UNIT = re.compile(
    r"(?<=[\d±]) (?=%|±|points?\b|(?:un)?paired\b|runs?\b|seeds?\b|epochs?\b)"
    r"|(?<=[\d±]) (?=of \d|s\b|ms\b|min\b|µs\b)"
    r"|(?<=±) (?=\d|sd)|(?<=mean) (?=±)|(?<=≤) (?=\d)"
    r"|(?<=,) (?=[+−]?\d[\d.,]*\])|(?<=p) (?=[=<])|(?<=[=<]) (?=\d)"
)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How the values and the differences of one metric are written."""

    percent: bool
    value_decimals: int
    difference_decimals: int

    @property
    def unit(self) -> str:
        return " points" if self.percent else ""


def finite(value: Any) -> float | None:
    """Returns a number, or None for what is absent, NaN or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None


def is_percent(metric: str) -> bool:
    """Tells whether a metric is a share that is shown in percent."""
    return "accuracy" in metric


def words(metric: str) -> str:
    """Writes a metric's name in words: `test accuracy after the last epoch`."""
    last = " after the last epoch" if metric.endswith("_last") else ""
    return metric.removesuffix("_last").replace("_", " ") + last


def scale_of(summary: Mapping[str, Any]) -> Scale:
    """Returns how the primary metric is written throughout a report."""
    percent = is_percent(summary["primary_metric"])
    spreads = [arm.get("std") for arm in summary["arms"].values()]
    halves = [_half_width(comparison) for comparison in summary["comparisons"]]
    return make_scale(percent, spreads, halves)


def make_scale(
    percent: bool, spreads: Iterable[Any], half_widths: Iterable[Any]
) -> Scale:
    """Returns as many decimals as the smallest spread and half-width need.

    Accuracies keep one significant digit of them, so that 97.1 % ± 0.3 is not 97.10 %;
    other metrics, whose size is not known beforehand, keep two.
    """
    factor, significant = (100, 1) if percent else (1, 2)
    low, least, most = (1, 2, 4) if percent else (0, 0, 8)
    return Scale(
        percent=percent,
        value_decimals=_decimals(spreads, factor, significant, low, most),
        difference_decimals=_decimals(half_widths, factor, significant, least, most),
    )


def _half_width(comparison: Mapping[str, Any]) -> float | None:
    low, high = finite(comparison.get("ci_low")), finite(comparison.get("ci_high"))
    return None if low is None or high is None else (high - low) / 2


def _decimals(
    sizes: Iterable[Any], factor: int, significant: int, low: int, high: int
) -> int:
    # Spreads of rounding errors (equal scores summed) count as none.
    known = [factor * s for s in map(finite, sizes) if s is not None and s > 1e-12]
    if not known:
        return low or 4
    return min(max(significant - 1 - math.floor(math.log10(min(known))), low), high)


def value(number: Any, scale: Scale) -> str:
    """Writes a value: `97.1 %` or `0.0763`."""
    plain = bare_value(number, scale)
    return f"{plain} %" if scale.percent and plain != ABSENT else plain


def bare_value(number: Any, scale: Scale) -> str:
    """Writes a value without its percent sign, for columns that name the unit."""
    known = finite(number)
    if known is None:
        return ABSENT
    return fixed(known * (100 if scale.percent else 1), scale.value_decimals)


def bare_mean(arm: Mapping[str, Any], scale: Scale) -> str:
    """Writes an arm's mean and standard deviation over seeds: `97.1 ± 0.3`."""
    mean = bare_value(arm["mean"], scale)
    known = finite(arm["std"]) is not None
    return f"{mean} ± {bare_value(arm['std'], scale)}" if known else mean


def bare_difference(number: Any, scale: Scale, *, signed: bool = True) -> str:
    """Writes a difference without its unit: `+0.08`."""
    known = finite(number)
    if known is None:
        return ABSENT
    factor = 100 if scale.percent else 1
    return fixed(known * factor, scale.difference_decimals, signed=signed)


def difference(number: Any, scale: Scale, *, signed: bool = True) -> str:
    """Writes a difference with its unit: `+0.08 points`."""
    plain = bare_difference(number, scale, signed=signed)
    return plain if plain == ABSENT else plain + scale.unit


def interval(low: Any, high: Any, scale: Scale, *, signed: bool = True) -> str:
    """Writes the two ends of an interval: `[+0.02, +0.14]`, or a dash without one."""
    if finite(low) is None or finite(high) is None:
        return ABSENT
    ends = (bare_difference(end, scale, signed=signed) for end in (low, high))
    return f"[{', '.join(ends)}]"


def mean_interval(arm: Mapping[str, Any], scale: Scale) -> str:
    """Writes the interval of an arm's mean: `[97.0, 97.2]`, or a dash without one."""
    if finite(arm["ci_low"]) is None or finite(arm["ci_high"]) is None:
        return ABSENT
    return f"[{bare_value(arm['ci_low'], scale)}, {bare_value(arm['ci_high'], scale)}]"


def margin(summary: Mapping[str, Any]) -> str:
    """Writes the margin with no more digits than it has: `0.5 points`, or a dash."""
    percent = is_percent(summary["primary_metric"])
    if summary["margin"] is None:
        return ABSENT
    size = summary["margin"] * (100 if percent else 1)
    return f"{size:g} {'point' if size == 1 else 'points'}" if percent else f"{size:g}"


def fixed(number: float, decimals: int, *, signed: bool = False) -> str:
    """Writes a number with a true minus sign; a nonzero one keeps its sign at 0.00."""
    sign = "−" if number < 0 else "+" if signed and number > 0 else ""
    return f"{sign}{abs(number):,.{decimals}f}"


def p_value(p: Any) -> str:
    """Writes a p for a table: two significant digits, or `<0.001`."""
    known = finite(p)
    if known is None:
        return ABSENT
    return "<0.001" if known < 0.001 else f"{known:.2g}"


def smallest_p(p: float) -> str:
    """Writes the smallest p that can be reached, never as a power: `0.00001`."""
    return np.format_float_positional(p, precision=3, fractional=False, trim="-")


def p_phrase(p: Any) -> str:
    """Writes a p for a sentence: `p = 0.02` or `p < 0.001`."""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def share(number: Any) -> str:
    """Writes a share in percent with two significant digits: `4.6 %`, `34 %`."""
    known = finite(number)
    if known is None:
        return ABSENT
    percent = 100 * known
    if 0 < percent < 0.1:
        return "<0.1 %"
    if 99.9 < percent < 100:
        return ">99.9 %"
    return f"{percent:.{1 if percent < 9.95 else 0}f}".removesuffix(".0") + " %"


def ratio(number: Any, base: Any) -> str:
    """Writes how many times the base a number is: `1.4×`."""
    over, under = finite(number), finite(base)
    return ABSENT if over is None or not under else f"{over / under:.1f}×"


def duration(seconds: Any) -> str:
    """Writes a time in the unit that suits its size: `85 µs`, `9.1 s`, `2 min 5 s`."""
    known = finite(seconds)
    if known is None:
        return ABSENT
    if known >= 99.5:
        minutes, rest = divmod(round(known), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if known >= size:
            return f"{known / size:.3g} {unit}"
    return f"{known / 1e-6:.3g} µs"


def counted(count: int, noun: str) -> str:
    """Writes a count with its noun: `1 seed`, `1,200 seeds`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def glue(text: str) -> str:
    """Ties numbers to their units by no-break spaces, so that no line ends between."""
    return _UNIT.sub(NO_BREAK, text)
