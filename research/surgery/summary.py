"""What swapped activations leave of a trained encoder, without training, in plain words."""

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from research.config import AnalysisConfig
from research.surgery import similarity
from research.surgery.arms import Arm
from research.surgery.measure import Measured
from research.surgery.similarity import Estimate, mean_over_sentences
from research.surgery.swap import Swap
from research.surgery.text import Tokens

CONFIDENCE = AnalysisConfig().confidence


def summarise(swap: Swap, measured: Mapping[str, Measured]) -> dict[str, Any]:
    """Returns summary.json of mode `surgery`, but for the time that it took."""
    reference = swap.arms[0].slug
    told = {
        arm.slug: _arm(arm, measured[arm.slug], measured[reference])
        for arm in swap.arms
    }
    layers = swap.layers
    return {
        "schema": 1,
        "mode": "surgery",
        "checkpoint": str(swap.checkpoint.folder),
        "title": swap.pretrained.title,
        "depth": swap.pretrained.config.depth,
        "hidden_act": swap.checkpoint.hidden_act,
        "reference": reference,
        "layers": layers if isinstance(layers, str) else list(layers),
        "confidence": CONFIDENCE,
        "sentences": len(swap.sentences.texts),
        "tokens": int(swap.tokens.real.sum()),
        "remarks": [*swap.sentences.remarks, *_remarks(swap.tokens)],
        "skipped": list(swap.pretrained.skipped),
        "arms": told,
        "warnings": [
            f"{slug} changes no hidden state: on these sentences it is the same function"
            for slug, arm in told.items()
            if arm["swapped"] and not measured[slug].drift.any()
        ],
    }


def _remarks(tokens: Tokens) -> Iterator[str]:
    if tokens.cut:
        yield f"{tokens.cut} sentences are cut at {tokens.ids.shape[1]} tokens"
    alike = len(tokens.ids) - len(np.unique(tokens.ids, axis=0))
    if alike:
        yield (
            f"{alike} sentences have the same tokens as another, so that their nearest "
            "neighbour is chance"
        )


def _arm(arm: Arm, found: Measured, base: Measured) -> dict[str, Any]:
    after = similarity.cosines(found.pooled, found.pooled)
    # Of the reference, which has no swap, all layers count.
    looked_at = list(arm.layers) or list(range(found.zeros.shape[1]))
    return {
        "name": arm.activation.name,
        "formula": arm.activation.formula,
        "swapped": list(arm.layers),
        "mean_similarity": _told(
            similarity.mean_similarity(after, confidence=CONFIDENCE)
        ),
        "zeros": _mean(found.zeros[:, looked_at].mean(axis=1)),
        "zeros_by_layer": [_mean(each) for each in found.zeros.T],
        "dead": float(found.dead[looked_at].mean()),
        "dead_by_layer": found.dead.tolist(),
        **(_against(found, base, after) if arm.layers else {}),
    }


def _against(found: Measured, base: Measured, after: Any) -> dict[str, Any]:
    """Returns what is measured of a swap against the model as trained."""
    before = similarity.cosines(base.pooled, base.pooled)
    kept = similarity.nearest(after) == similarity.nearest(before)
    return {
        "cosine": _mean(similarity.row_cosines(found.pooled, base.pooled)),
        "neighbour_kept": _mean(kept),
        "spearman": _told(
            similarity.spearman_of_pairs(before, after, confidence=CONFIDENCE)
        ),
        "drift_by_layer": [_mean(each) for each in found.drift.T],
    }


def _mean(values: Any) -> dict[str, float | None]:
    return _told(mean_over_sentences(values, confidence=CONFIDENCE))


def _told(estimate: Estimate) -> dict[str, float | None]:
    """Returns an estimate as JSON holds it, without NaN."""
    return {
        name: value if math.isfinite(value) else None
        for name, value in dataclasses.asdict(estimate).items()
    }
