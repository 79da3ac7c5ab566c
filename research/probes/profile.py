"""Everything that is measured of an activation on its own, of several side by side."""

import dataclasses
import datetime
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from research.activations.catalog import CATALOG
from research.activations.record import Activation
from research.probes import shape
from research.probes.cost import Cost, costs
from research.probes.curves import Curves, float64_curves, result_types, same_type
from research.probes.errors import STRIDES, ErrorScan, measure
from research.probes.moments import normal_moments
from research.probes.points import stochastic_reading, values_at_points
from research.probes.references import REFERENCES, Reference

# Whose curve, at value 1 or as it starts, is that of a simpler one.
SIMPLER = {
    "glu": "sigmoid",
    "bilinear": "identity",
    "reglu": "relu",
    "geglu": "gelu",
    "geglu_tanh": "gelu_tanh",
    "swiglu": "silu",
    "swish_beta": "silu",
}
# Value and first derivative.
ORDERS = 2
FORMULA = "an independent float64 formula"
ITSELF = "the same function in float64"
DRAWN_X = np.linspace(-5, 5, 1001)
# The error is drawn as the largest in each of so many strips of [-10, 10].
STRIPS = np.linspace(-10, 10, 201)
BASE = "relu"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sample:
    """How much is tried: every thin-th of the inputs of a type, and the trials of cost."""

    thin: int
    elements: int
    trials: int


SAMPLE = Sample(thin=1, elements=1_000_000, trials=21)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Profile:
    """What was measured: `told` is profile.json, `drawn` the arrays of the figures.

    drawn has "x" and "<slug>/value", "<slug>/derivative", "<slug>/second"; "strips",
    the middles of the strips, and "<slug>/<dtype>/<order>", the largest error in each.
    """

    told: dict[str, Any]
    drawn: dict[str, Float[np.ndarray, "..."]]


def profile(
    records: Sequence[Activation],
    *,
    sample: Sample = SAMPLE,
    tell: Callable[[str], None] = lambda step: None,
) -> Profile:
    """Measures activations; `tell` gets the name of each step when it begins.

    Raises:
      ConfigError: a user's own function that fails on one of the types.
    """
    gelu = float64_curves(CATALOG["gelu"])
    activations, drawn = {}, {"x": DRAWN_X, "strips": (STRIPS[1:] + STRIPS[:-1]) / 2}
    for record in records:
        tell(f"{record.name}: shape and moments")
        curves = float64_curves(record)
        activations[record.slug] = _shape(record, curves, gelu)
        drawn |= _drawn_curves(record.slug, curves)
        scans, results = [], result_types(record)
        for dtype in STRIDES:
            tell(f"{record.name}: errors in {dtype}")
            for scan in _scans(record, curves, dtype, sample.thin):
                scans.append(_accuracy(scan, results[dtype]))
                drawn[f"{record.slug}/{dtype}/{scan.order}"] = _in_strips(scan)
        activations[record.slug]["accuracy"] = {
            "reference": FORMULA if _reference(record) else ITSELF,
            "thin": sample.thin,
            "scans": scans,
        }
    tell("cost")
    for slug, cost in _costs(records, sample).items():
        activations[slug]["cost"] = cost
    return Profile(told=_plain(_told(activations, sample)), drawn=drawn)


def steps(records: Sequence[Activation]) -> int:
    """Returns how often profile calls `tell`."""
    return len(records) * (1 + len(STRIDES)) + 1


def _told(activations: dict[str, Any], sample: Sample) -> dict[str, Any]:
    device = jax.local_devices()[0]
    return {
        "schema": 1,
        "mode": "profile",
        "date": str(datetime.date.today()),
        "jax": jax.__version__,
        "backend": device.platform,
        "device": device.device_kind,
        "cost_elements": sample.elements,
        "cost_trials": sample.trials,
        "activations": activations,
    }


def _shape(record: Activation, curves: Curves, gelu: Curves) -> dict[str, Any]:
    told = {
        "name": record.name,
        "kind": record.kind,
        "formula": record.formula,
        "source": record.source,
        "curve": _shown_curve(record),
        "points": values_at_points(curves.value),
        "minimum": dataclasses.asdict(shape.minimum(curves)),
        "limits": list(shape.limits(curves.value)),
        "lipschitz": dataclasses.asdict(shape.lipschitz(curves)),
        "inflections": list(shape.inflections(curves.curvature)),
        "moments": dataclasses.asdict(normal_moments(curves.value)),
        "gap_to_gelu": dataclasses.asdict(shape.largest_gap(curves, gelu)),
    }
    if record.name == "gelu":
        told["stochastic"] = stochastic_reading(curves.value)
    return told


def _shown_curve(record: Activation) -> str:
    if record.kind == "gated":
        return "of the gate, at value 1"
    values = ", ".join(f"{name} = {value:g}" for name, value in record.parameters)
    return f"at {values}, as it starts" if values else "f(x)"


def _drawn_curves(slug: str, curves: Curves) -> dict[str, np.ndarray]:
    return {
        f"{slug}/value": curves.value(DRAWN_X),
        f"{slug}/derivative": curves.slope(DRAWN_X),
        f"{slug}/second": curves.curvature(DRAWN_X),
    }


def _scans(
    record: Activation, curves: Curves, dtype: str, thin: int
) -> Iterator[ErrorScan]:
    references = _reference(record) or (curves.value, curves.slope)
    for order in range(ORDERS):
        yield measure(
            same_type(record), references[order], dtype=dtype, order=order, thin=thin
        )


def _reference(record: Activation) -> tuple[Reference, ...] | None:
    return REFERENCES.get(SIMPLER.get(record.name, record.name))


def _accuracy(scan: ErrorScan, result: str) -> dict[str, Any]:
    return {
        "dtype": scan.dtype,
        "order": scan.order,
        "result": result,
        "tried": scan.x.size,
        "core": scan.core,
        "core_at": scan.core_at,
        "beyond": scan.beyond,
        "beyond_at": scan.beyond_at,
        "failures": [dataclasses.asdict(each) for each in scan.failures],
    }


def _in_strips(scan: ErrorScan) -> Float[np.ndarray, " points"]:
    """Returns the largest error in each strip, NaN where nothing was tried."""
    largest = np.full(STRIPS.size - 1, -np.inf)
    place = np.searchsorted(STRIPS, scan.x, side="right") - 1
    inside = (place >= 0) & (place < largest.size)
    np.maximum.at(largest, place[inside], scan.ulps[inside])
    return np.where(largest == -np.inf, np.nan, largest)


def _costs(records: Sequence[Activation], sample: Sample) -> dict[str, Any]:
    functions = {record.slug: same_type(record) for record in records}
    beside: dict[str, Any] = {BASE: CATALOG[BASE].fn, **functions}
    found = costs(beside, base=BASE, elements=sample.elements, trials=sample.trials)
    return {slug: _cost(found[slug]) for slug in functions}


def _cost(found: dict[str, Cost]) -> dict[str, Any]:
    return {what: dataclasses.asdict(each) for what, each in found.items()}


def _plain(value: Any) -> Any:
    """Writes what JSON has no number for as a word: "inf", "-inf", "nan"."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
