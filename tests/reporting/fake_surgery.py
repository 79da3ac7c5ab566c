"""Plausible summaries of a surgery: every loss, with and without a head."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fake_run
import numpy as np

CHANGES = {
    "language": ("test_loss", False, None),
    "labels": ("test_accuracy", True, None),
    "distillation": ("test_cosine", True, 1.0),
}


def estimate(value: float, half: float = 0.01) -> dict[str, float]:
    return {"value": value, "ci_low": value - half, "ci_high": value + half}


def head_entry(kind: str | None, shift: float, *, untouched: bool, labelled: bool):
    """What a head says; nothing without one."""
    if kind is None:
        return {}
    told = {}
    if labelled:
        told = {
            "loss": estimate(2.0 + shift, 0.03),
            "accuracy": estimate(0.7 - shift, 0.02),
        }
        if kind != "classifier":
            told["perplexity"] = estimate(7.4 + 10 * shift, 0.3)
    if not untouched:
        told |= {
            "kl": estimate(shift / 10, 0.001),
            "agreement": estimate(1 - shift, 0.02),
        }
    return told


def arm(
    name: str,
    shift: float,
    *,
    swapped: Sequence[int] = (0, 1),
    tuned: bool = False,
    head: str | None = None,
    labelled: bool = True,
) -> dict[str, Any]:
    """A model of a surgery's summary; the untouched one has neither swap nor tuning."""
    untouched = not swapped and not tuned
    silent = shift if name == "relu" else 0.0
    told = {
        "name": name,
        "formula": "",
        "swapped": list(swapped),
        "tuned": tuned,
        "mean_similarity": estimate(0.4 + shift),
        "zeros": estimate(silent, silent / 10),
        "zeros_by_layer": [estimate(silent, silent / 10)] * 2,
        "dead": silent / 4,
        "dead_by_layer": [0.0, silent / 2],
        "head": head_entry(head, shift, untouched=untouched, labelled=labelled),
    }
    if untouched:
        return told
    return told | {
        "cosine": estimate(0.9 - shift, 0.001),
        "neighbour_kept": estimate(0.8 - shift, 0.05),
        "spearman": estimate(0.95 - shift),
        "drift_by_layer": [estimate(shift), estimate(2 * shift)],
    }


def tuned_run(loss: str, swaps: Sequence[str], *, seeds: int = 8, **changes: Any):
    """The tuned run's own summary: the untouched arm is left out under distillation."""
    shifts = {name: -0.002 * n for n, name in enumerate(swaps)}
    if loss != "distillation":
        shifts = {"gelu": 0.001, **shifts}
    told = fake_run.summary(shifts, seeds=seeds, verdicts=dict.fromkeys(swaps, "worse"))
    metric, higher, ceiling = CHANGES[loss]
    return told | {
        "task": "recovery",
        "model": "BERT 2×16, 2 heads",
        "initializer": "the model's own",
        "vary": ["order"],
        "rows": {"train": 64, "validation": 16, "test": 101},
        "epochs": 4,
        "steps": 16,
        "primary_metric": metric,
        "higher_is_better": higher,
        "ceiling": ceiling,
        "ceiling_loss": None,
        "margin": 0.01,
        **changes,
    }


def summary(
    loss: str = "language",
    *,
    head: str | None = "masked_lm",
    labelled: bool = True,
    swaps: Sequence[str] = ("relu",),
    seeds: int = 8,
    **changes: Any,
) -> dict[str, Any]:
    """A surgery's summary.json, its models in the order in which they are measured."""
    settings: dict[str, Any] = {"head": head, "labelled": labelled}
    arms = {"gelu": arm("gelu", 0.0, swapped=(), **settings)}
    arms |= {name: arm(name, 0.2 + n / 10, **settings) for n, name in enumerate(swaps)}
    if loss != "none":
        for name in swaps:
            arms[f"{name}~tuned"] = arm(name, 0.1, tuned=True, **settings)
    if loss in ("labels", "language"):
        arms["gelu~tuned"] = arm("gelu", 0.05, swapped=(), tuned=True, **settings)
    return {
        "schema": 1,
        "mode": "surgery",
        "checkpoint": "models/tiny",
        "title": "BERT 2×16, 2 heads",
        "depth": 2,
        "hidden_act": "gelu",
        "reference": "gelu",
        "layers": "all",
        "loss": loss,
        "head": head,
        "confidence": 0.95,
        "unit": "sentence",
        "rows": {"train": 64, "validation": 16, "test": 101},
        "remarks": ["the sentences are mine"],
        "skipped": ["cls.bias"],
        "arms": arms,
        "tuned": None if loss == "none" else tuned_run(loss, swaps, seeds=seeds),
        "warnings": [],
        "total_seconds": 2.0,
    } | changes


def write(workdir: Path, told: dict[str, Any]) -> Path:
    """Writes what a surgery's report is drawn from."""
    (workdir / "results").mkdir(parents=True)
    (workdir / "results/summary.json").write_text(json.dumps(told, default=float))
    if told["tuned"] is not None:
        results = workdir / "tuned/results"
        results.mkdir(parents=True)
        np.savez(results / "curves.npz", **curves(told["tuned"]))
    return workdir


def curves(tuned: dict[str, Any]) -> dict[str, np.ndarray]:
    """The tuned run's curves; of a cosine its own, too."""
    known = fake_run.curves(tuned, list(tuned["arms"]))
    return known | {
        name.replace("accuracy", "cosine"): values
        for name, values in known.items()
        if name.endswith("validation_accuracy")
    }
