"""The shape of a function: minimum, limits, steepest slope, inflections, largest gap.

A grid finds where each lies, between two of its points; there a root of a derivative is
refined in float64 by Brent's method, or the grid is drawn again, ever finer. What lies
between two points of the grid with all of its rise and fall is not seen.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from research.probes.curves import BLOCK, Curve, Curves

# Steps of 1/256 up to 12, then of 1/8: kinks and extrema lie within, and 0 is a point.
_FINE, _WIDE = 12, 100
_RIGHT = np.concatenate(
    [np.arange(0, _FINE, 1 / 256), np.arange(_FINE, _WIDE + 1 / 8, 1 / 8)]
)
GRID = np.concatenate([-_RIGHT[:0:-1], _RIGHT])
FAR = np.array([1e3, 1e4, 1e6, 1e8])
HUGE = np.array([1e280, 1e290, 1e300])
# What is constant from here outwards is constant, and no limit that rounding reaches.
_PLATEAU = 15.0
# Curvature below this share of its largest is rounding, or next to nothing.
_NOISE = 1e-9
_ROUNDS = 5
# Of the step in which a function rises most, until it is about 1e-11 wide.
_HALVINGS = 28
# A function that bends more often is not refined at each bend.
_MOST_BENDS = 24


@dataclass(frozen=True, kw_only=True)
class Extremum:
    """A least or largest value and where it lies.

    value: may be infinite. at: None where nothing attains it, or it is infinite.
    stretch: points beside `at` have it as well, as those of ReLU below 0.
    """

    value: float
    at: float | None
    stretch: bool = False


def limits(f: Curve) -> tuple[float | None, float | None]:
    """Returns f(x) as x goes to -∞ and to +∞; None where none is seen.

    It is f(±∞) where that is a number, else what f comes to at 1e280 and beyond.
    """
    low, high = f(np.array([-math.inf, math.inf])).tolist()
    return (
        _far_limit(f(-HUGE)) if math.isnan(low) else low + 0.0,  # no -0.0
        _far_limit(f(HUGE)) if math.isnan(high) else high + 0.0,
    )


def _far_limit(values: Float[np.ndarray, "3"]) -> float | None:
    last = float(values[-1])
    if np.isnan(values).any():
        return None
    if (np.abs(values) > 1e100).all() and (np.sign(values) == np.sign(last)).all():
        return math.copysign(math.inf, last)
    settled = np.allclose(values, last, rtol=1e-6, atol=1e-12)
    return last + 0.0 if settled else None


def minimum(curves: Curves) -> Extremum:
    """Returns the least value, and the point nearest to 0 that has it.

    A value that is only approached, at -∞ or +∞, has no point.
    """
    y = curves.value(GRID)
    ends = [end for end in limits(curves.value) if end is not None]
    least, below = float(np.nanmin(y)), min(ends, default=math.inf)
    if below < least or math.isinf(least):
        return Extremum(value=min(below, least), at=None)
    lowest = np.flatnonzero(y == least)
    place = int(lowest[np.argmin(np.abs(GRID[lowest]))])
    if least == below and abs(GRID[place]) > _PLATEAU:
        return Extremum(value=least, at=None)
    return _refined(curves.value, curves.slope, place, least, sign=1)


def lipschitz(curves: Curves) -> Extremum:
    """Returns the Lipschitz constant, the largest |f'|, and the x that has it.

    Of several such x it is the one nearest to 0; at a kink it is approached. It is
    infinite where the function jumps.
    """

    def steepness(x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        return np.abs(curves.slope(x))

    steepest = _largest(steepness, curves.curvature)
    chord = _steepest_chord(curves.value)
    if chord > 1e6 * max(steepest.value, 1):
        return Extremum(value=math.inf, at=None)
    return steepest


def _steepest_chord(f: Curve) -> float:
    """Returns the slope of the shortest chord below the grid's steepest one.

    It is a slope of the function, or enormous: of a jump.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # what outgrows float64
        rise = np.abs(np.diff(f(GRID))) / np.diff(GRID)
    place = int(np.nanargmax(rise))
    left, right = float(GRID[place]), float(GRID[place + 1])
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        low, half, high = f(np.array([left, middle, right])).tolist()
        if abs(half - low) > abs(high - half):
            right = middle
        else:
            left = middle
    low, high = f(np.array([left, right])).tolist()
    return abs(high - low) / (right - left)


def largest_gap(one: Curves, other: Curves) -> Extremum:
    """Returns the largest |one - other| and where it is; None where nothing has it."""

    def gap(x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        with np.errstate(invalid="ignore"):  # ∞ - ∞, of what outgrows float64
            return np.abs(one.value(x) - other.value(x))

    def gap_slope(x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        return one.slope(x) - other.slope(x)

    return _largest(gap, gap_slope)


def inflections(curvature: Curve) -> tuple[float, ...]:
    """Returns where f'' changes its sign, ascending: a curve turns its bend there.

    Kinks between straight pieces are none. Bends below 1e-9 of the largest, in far
    tails, are left out. Of more than 24 each is told to the grid's half step alone.
    """
    y = curvature(GRID)
    size = np.abs(y)
    seen = np.flatnonzero(size > _NOISE * np.nanmax(size))
    bends = [
        (float(GRID[left]), float(GRID[right]))
        for left, right in itertools.pairwise(seen.tolist())
        if right - left <= 2 and y[left] * y[right] < 0
    ]
    if len(bends) > _MOST_BENDS:
        return tuple((left + right) / 2 for left, right in bends)
    return tuple(_root(curvature, left, right) for left, right in bends)


def _largest(size: Curve, slope: Curve) -> Extremum:
    """Returns the supremum of a size that is not negative, and its x nearest to 0."""
    y, outside = size(GRID), size(np.concatenate([-FAR[::-1], FAR]))
    peak = float(np.nanmax(y))
    far = float(np.fmax.reduce(outside, initial=0))
    nearer = float(np.fmax(outside[3], outside[4]))
    if math.isinf(peak) or far > 1.5 * max(peak, nearer):
        return Extremum(value=math.inf, at=None)
    # Equal up to rounding: of ±√2, say, the one nearer to 0, then the positive one.
    tied = np.flatnonzero(y >= peak * (1 - 1e-14))
    order = np.lexsort((-GRID[tied], np.abs(GRID[tied])))
    place = int(tied[order[0]])
    if far >= peak * (1 - 1e-12) and abs(GRID[place]) > _PLATEAU:
        return Extremum(value=far, at=None)
    return _refined(size, slope, place, peak, sign=-1)


def _refined(
    f: Curve, slope: Curve, place: int, known: float, *, sign: int
) -> Extremum:
    """Refines a grid's least (sign 1) or largest (-1) value between its neighbours."""
    left, right = GRID[max(place - 1, 0)], GRID[min(place + 1, GRID.size - 1)]
    beside, ends = f(np.array([left, right])), slope(np.array([left, right]))
    at = float(GRID[place])
    if (beside == known).any():
        return Extremum(value=known, at=at, stretch=True)
    if ends[0] * ends[1] < 0:
        root = _root(slope, float(left), float(right))
        value = float(f(np.array([root]))[0])
        if sign * value <= sign * known + 1e-15 * abs(known):
            return Extremum(value=value, at=root)
        return Extremum(value=known, at=at)
    value, where = _zoomed(f, float(left), float(right), sign)
    if sign * value < sign * known:
        return Extremum(value=value, at=where)
    return Extremum(value=known, at=at)


def _zoomed(f: Curve, left: float, right: float, sign: int) -> tuple[float, float]:
    """Draws the grid ever finer around its best point: for extrema at kinks."""
    value, at = sign * math.inf, left
    for _ in range(_ROUNDS):
        x = np.linspace(left, right, BLOCK)
        y = f(x)
        best = int(np.nanargmin(sign * y))
        value, at = float(y[best]), float(x[best])
        left, right = x[max(best - 1, 0)], x[min(best + 1, BLOCK - 1)]
    return value, at


def _root(f: Curve, left: float, right: float) -> float:
    """Returns the root between two points, to float64's last digits."""
    root = brentq(
        lambda x: float(f(np.array([x]))[0]),
        left,
        right,
        xtol=1e-16,
        rtol=np.float64(1e-15),
    )
    assert isinstance(root, float)
    return root if abs(root) > 1e-15 else 0.0
