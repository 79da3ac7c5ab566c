"""What swapped activations leave of a checkpoint, before and after tuning: summary.json."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from research.surgery import similarity
from research.surgery.measure import Measured, Subject
from research.surgery.probe import Probe
from research.surgery.similarity import Estimate, mean_over_sentences
from research.surgery.swap import Swap
from research.surgery.tuning import Tuned


def summarise(
    swap: Swap,
    subjects: Sequence[Subject],
    measured: Mapping[str, Measured],
    probe: Probe | None,
    tuned: Tuned | None,
) -> dict[str, Any]:
    """Returns summary.json of mode `surgery`, but for the time that it took."""
    reference, material = swap.arms[0].slug, swap.material
    level = swap.config.analysis.confidence
    return {
        "schema": 1,
        "mode": "surgery",
        "checkpoint": str(swap.checkpoint.folder),
        "title": swap.pretrained.title,
        "depth": swap.pretrained.config.depth,
        "hidden_act": swap.checkpoint.hidden_act,
        "reference": reference,
        "layers": swap.layers if isinstance(swap.layers, str) else list(swap.layers),
        "loss": swap.loss,
        "head": None if probe is None else probe.head,
        "confidence": level,
        "unit": material.unit,
        "rows": dataclasses.asdict(material.rows),
        "remarks": list(material.remarks),
        "skipped": list(swap.pretrained.skipped),
        "arms": {
            each.slug: _arm(each, measured, reference, probe, level=level)
            for each in subjects
        },
        "tuned": None if tuned is None else tuned.summary,
        "warnings": [
            f"{each.slug} changes no hidden state: on these {material.unit}s it is the "
            "same function"
            for each in subjects
            if each.arm.layers and not measured[each.slug].drift.any()
        ],
    }


def _arm(
    subject: Subject,
    measured: Mapping[str, Measured],
    reference: str,
    probe: Probe | None,
    *,
    level: float,
) -> dict[str, Any]:
    """Returns what is told of a model, its intervals at this level of confidence."""
    found, base, arm = measured[subject.slug], measured[reference], subject.arm
    after = similarity.cosines(found.pooled, found.pooled)
    # Of the untouched model, which has no swap, all layers count.
    looked_at = list(arm.layers) or list(range(found.zeros.shape[1]))
    return {
        "name": arm.activation.name,
        "formula": arm.activation.formula,
        "swapped": list(arm.layers),
        "tuned": subject.tuned,
        "mean_similarity": _told(similarity.mean_similarity(after, confidence=level)),
        "zeros": _mean(found.zeros[:, looked_at].mean(axis=1), level),
        "zeros_by_layer": [_mean(each, level) for each in found.zeros.T],
        "dead": float(found.dead[looked_at].mean()),
        "dead_by_layer": found.dead.tolist(),
        "head": _head(found.head, probe, level, untouched=subject.slug == reference),
        **({} if subject.slug == reference else _against(found, base, after, level)),
    }


def _against(
    found: Measured,
    base: Measured,
    after: Float[np.ndarray, "rows rows"],
    level: float,
) -> dict[str, Any]:
    """Returns what is measured of a model against the untouched one."""
    before = similarity.cosines(base.pooled, base.pooled)
    kept = similarity.nearest(after) == similarity.nearest(before)
    return {
        "cosine": _mean(similarity.row_cosines(found.pooled, base.pooled), level),
        "neighbour_kept": _mean(kept, level),
        "spearman": _told(
            similarity.spearman_of_pairs(before, after, confidence=level)
        ),
        "drift_by_layer": [_mean(each, level) for each in found.drift.T],
    }


def _head(
    read: Mapping[str, np.ndarray],
    probe: Probe | None,
    level: float,
    *,
    untouched: bool,
) -> dict[str, dict[str, float | None]]:
    """Returns what a head says: against its targets, and against what it said before."""
    if probe is None:
        return {}
    names = ("loss", "accuracy") if probe.labelled else ()
    if not untouched:
        names = (*names, "kl", "agreement")
    told = {name: _mean(read[name], level, read["weight"]) for name in names}
    if "loss" in told and probe.head != "classifier":
        told["perplexity"] = {
            name: None if value is None else math.exp(min(value, 80.0))
            for name, value in told["loss"].items()
        }
    return told


def _mean(
    values: np.ndarray, level: float, weights: np.ndarray | None = None
) -> dict[str, float | None]:
    return _told(mean_over_sentences(values, confidence=level, weights=weights))


def _told(estimate: Estimate) -> dict[str, float | None]:
    """Returns an estimate as JSON holds it, without NaN."""
    return {
        name: value if math.isfinite(value) else None
        for name, value in dataclasses.asdict(estimate).items()
    }
