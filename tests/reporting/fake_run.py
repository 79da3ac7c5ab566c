"""Plausible run folders from a seeded generator, as the contract of the run folder says."""

import csv
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special, stats

from research.statistics import (
    Runs,
    crossed_noise,
    judge_runs,
    judge_sequential,
    luck_scale,
    variance_components,
)

FUNCTIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * special.ndtr(x),
    "silu": lambda x: x * special.expit(x),
    "tanh": np.tanh,
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softplus": lambda x: np.logaddexp(0, x),
    "sigmoid": special.expit,
    "identity": lambda x: x,
}
FORMULAS = {"relu": "max(0, x)", "gelu": "x·Φ(x), exact (erf)", "tanh": "tanh(x)"}


def scores(
    shifts: Mapping[str, float], *, seeds: int, sd: float = 0.002, seed: int = 0
) -> dict[str, np.ndarray]:
    """Test accuracies in steps of 1/400, paired: a part common to the arms, a part not."""
    generator = np.random.default_rng(seed)
    common = 0.97 + 0.003 * generator.standard_normal(seeds)
    return {
        arm: np.round(
            400 * (common + shift + sd * generator.standard_normal(seeds) / 2**0.5)
        )
        / 400
        for arm, shift in shifts.items()
    }


def arm_entry(name: str, values: np.ndarray, *, diverged: int = 0) -> dict[str, Any]:
    """An arm of summary.json from its per-seed scores (diverged ones come first)."""
    n = len(values)
    many = n > 1
    half = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / n**0.5 if many else None
    left = values[diverged:]
    return {
        "name": name,
        "formula": FORMULAS.get(name, f"{name}(x)"),
        "seeds": n,
        "diverged": diverged,
        "diverged_upper": stats.beta.ppf(0.95, diverged + 1, max(n - diverged, 1e-9))
        if diverged < n
        else 1.0,
        "mean": values.mean(),
        "std": values.std(ddof=1) if many else None,
        "ci_low": values.mean() - half if half is not None else None,
        "ci_high": values.mean() + half if half is not None else None,
        "parameters": 4417,
        "learning_rate": 0.001,
        "step_seconds": 8.5e-05 if name == "relu" else 1.2e-04,
        "compile_seconds": 1.3,
        "train_seconds": 3.4,
        "zero_units": 0.52 if name == "relu" else 0.0,
        "dead_units": 0.031 if name == "relu" else 0.0,
        "survivors": {"n": n - diverged, "mean": left.mean() if len(left) else None},
        "exploratory": {
            "test_loss": {"mean": 0.081, "std": 0.004 if many else None},
            "test_accuracy_last": {"mean": 0.9695, "std": 0.003 if many else None},
        },
    }


def comparison_entry(
    arm: str, reference: str, values: Mapping[str, np.ndarray], **changes: Any
) -> dict[str, Any]:
    """A comparison of summary.json from paired scores; `changes` replace entries."""
    differences = values[arm] - values[reference]
    n, mean = len(differences), differences.mean()
    sd = differences.std(ddof=1) if n > 1 else None
    half = stats.t.ppf(0.975, n - 1) * sd / n**0.5 if sd is not None else None
    p = _p_value(differences)
    entry = {
        "arm": arm,
        "reference": reference,
        "n": n,
        "mean_difference": mean,
        "std_difference": sd,
        "ci_low": mean - half if half is not None else None,
        "ci_high": mean + half if half is not None else None,
        "p_value": p,
        "p_adjusted": p,
        "p_method": "sign-flip",
        "smallest_p": max(2.0 ** (1 - n), 1e-5) if n > 1 else None,
        "effect_size_dz": mean / sd if sd else None,
        "probability_better": (differences > 0).mean() + (differences == 0).mean() / 2,
        "correlation": 0.71 if n > 2 else None,
        "hodges_lehmann": float(np.median(differences)),
        "wilcoxon_p": p,
        "bca_low": None,
        "bca_high": None,
        "skewness": 0.1,
        "verdict": "undecided",
        "note": "",
        "seeds_needed": None,
        "seeds_needed_range": None,
        "mcnemar_p": None,
        "one_seed": _shares(differences),
        "three_seeds": _mean_shares(differences, 3) if n >= 3 else None,
        "false_winners": _false_winners(differences),
        "learning_speed": {
            "epochs_earlier": 9.0,
            "ci_low": 8.1 if n > 1 else None,
            "ci_high": 9.7 if n > 1 else None,
            "censored_arm": 0,
            "censored_reference": 0,
            "area_difference": 0.0065,
            "threshold": 0.947,
        },
        "differences": differences.tolist(),
        "exploratory": {
            "test_loss": {
                "mean_difference": -0.0021,
                "ci_low": -0.0034,
                "ci_high": -8e-4,
            }
        },
    }
    return entry | changes


def _p_value(differences: np.ndarray) -> float | None:
    if len(differences) < 2 or differences.std() == 0:
        return None
    return float(stats.ttest_1samp(differences, 0).pvalue)


def _shares(values: np.ndarray) -> dict[str, float]:
    return {
        "arm": float((values > 0).mean()),
        "reference": float((values < 0).mean()),
        "neither": float((values == 0).mean()),
    }


def _mean_shares(differences: np.ndarray, size: int) -> dict[str, float]:
    generator = np.random.default_rng(size)
    draws = [generator.choice(differences, size, replace=False) for _ in range(400)]
    return _shares(np.round(np.mean(draws, axis=1), 12))


def _false_winners(differences: np.ndarray) -> dict[str, list]:
    sizes = [k for k in (1, 2, 3, 5, 8, 13, 21, 34, 55) if k <= len(differences)]
    shares = [_mean_shares(differences, size) for size in sizes]
    rows = {key: [share[key] for share in shares] for key in shares[0]}
    return {"seeds": sizes} | rows


def summary(
    shifts: Mapping[str, float] | None = None,
    *,
    seeds: int = 64,
    diverged: Mapping[str, int] | None = None,
    verdicts: Mapping[str, str] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A summary of schema 1; the first arm is the reference, accuracies are primary."""
    shifts = {"relu": 0.0, "gelu": 0.0008} if shifts is None else shifts
    values = scores(shifts, seeds=seeds)
    for arm, count in (diverged or {}).items():
        values[arm][:count] = 0.5
    reference, *others = values
    arms = {
        arm: arm_entry(arm, column, diverged=(diverged or {}).get(arm, 0))
        for arm, column in values.items()
    }
    compared = [
        comparison_entry(
            arm,
            reference,
            values,
            verdict=(verdicts or {}).get(arm, "equivalent"),
            mcnemar_p=0.25 if diverged else None,
        )
        for arm in others
    ]
    return _frame(reference, arms, compared, seeds) | changes


def _frame(
    reference: str, arms: dict[str, Any], compared: Sequence[Any], seeds: int
) -> dict[str, Any]:
    return {
        "schema": 1,
        "mode": "compare",
        "plan": "fixed",
        "task": "moons",
        "model": "MLP 2-64-64-1",
        "initializer": "lecun_normal",
        "optimizer": "adam",
        "learning_rate": 0.001,
        "batch_size": 32,
        "epochs": 100,
        "steps": 3700,
        "selection": "best_validation",
        "seeds": seeds,
        "first_seed": 0,
        "vary": ["init", "order", "split"],
        "rows": {"train": 1200, "validation": 400, "test": 400},
        "primary_metric": "test_accuracy",
        "higher_is_better": True,
        "estimand": "over seeds, on this test set",
        "reference": reference,
        "margin": 0.005,
        "confidence": 0.95,
        "ceiling": 0.971,
        "ceiling_loss": 0.0763,
        "constant_predictor": 0.5,
        "arms": arms,
        "comparisons": list(compared),
        "pairing": {
            "verified": True,
            "seeds_checked": seeds,
            "weights_share_compared": 1.0,
            "identical_arms": [],
        },
        "total_seconds": 9.1,
        "trainings": seeds * len(arms),
        "warnings": [],
    }


def loss_summary(**changes: Any) -> dict[str, Any]:
    """A lower-is-better run: the arm's mean squared error is less than the reference's."""
    generator = np.random.default_rng(3)
    common = 0.081 + 0.004 * generator.standard_normal(32)
    values = {
        "relu": common,
        "gelu": common - 0.012 + 0.003 * generator.standard_normal(32),
    }
    arms = {arm: arm_entry(arm, column) for arm, column in values.items()}
    compared = comparison_entry("gelu", "relu", values, verdict="better")
    lower = {
        "task": "sine",
        "primary_metric": "test_mse",
        "higher_is_better": False,
        "margin": 0.005,
        "ceiling": None,
        "ceiling_loss": None,
        "constant_predictor": 0.5,
    }
    return _frame("relu", arms, [compared], 32) | lower | changes


def luck_entry(values: np.ndarray) -> dict[str, Any]:
    """The scale of luck of summary.json."""
    luck = luck_scale(values, generator=np.random.default_rng(0))
    assert luck is not None
    return dataclasses.asdict(luck)


def noise_entry(*, seeds: int = 32, rows: int = 40, of: str = "test set") -> dict:
    """The noise of a comparison, nearly all of it of the seeds or of the test rows."""
    generator = np.random.default_rng(8)
    by_seed, by_row = (0.3, 0.02) if of == "seeds" else (0.002, 0.3)
    values = 0.01 + by_seed * generator.standard_normal((seeds, 1))
    values = values + by_row * generator.standard_normal(rows)
    noise = crossed_noise(values, confidence=0.95, generator=generator)
    assert noise is not None
    return dataclasses.asdict(noise)


def sequential_summary(*, shift: float = 0.0, **changes: Any) -> dict[str, Any]:
    """A run of the sequential plan: three looks, 48 of at most 64 seeds."""
    values = scores({"relu": 0.0, "gelu": shift}, seeds=48, sd=0.004)
    settings: dict[str, Any] = {"higher_is_better": True, "margin": 0.005}
    generator = np.random.default_rng(0)
    [found] = judge_sequential(
        values, reference="relu", confidence=0.95, generator=generator, **settings
    )
    looks = [
        {"seeds": n, "decided": {"gelu": v}, "time": f"2026-11-30T10:00:{n}+00:00"}
        for n, v in ((16, None), (32, None), (48, found.verdict))
    ]
    told = summary({"relu": 0.0, "gelu": shift}, seeds=48)
    told["arms"] = {arm: arm_entry(arm, column) for arm, column in values.items()}
    told["comparisons"][0] |= dataclasses.asdict(found)
    told["comparisons"][0]["noise"] = noise_entry()
    extra = {"plan": "sequential", "seeds_allowed": 64, "looks": looks}
    return told | extra | {"luck": luck_entry(values["relu"])} | changes


def null_summary(*, shift: float = 0.0, **changes: Any) -> dict[str, Any]:
    """A null run: ReLU against itself, with other seeds and unpaired."""
    generator = np.random.default_rng(6)
    values = {
        "relu": 0.97 + 0.003 * generator.standard_normal(24),
        "relu~null": 0.97 + shift + 0.003 * generator.standard_normal(24),
    }
    ids = {"relu": range(24), "relu~null": range(24, 48)}
    [found] = judge_runs(
        {arm: Runs(values[arm], tuple(map(str, ids[arm]))) for arm in values},
        reference="relu",
        higher_is_better=True,
        margin=0.005,
        confidence=0.95,
        generator=generator,
    )
    told = {"learning_speed": None, "exploratory": {}, "noise": None}
    arms = {arm: arm_entry("relu", column) for arm, column in values.items()}
    frame = _frame("relu", arms, [dataclasses.asdict(found) | told], 24)
    extra = {"mode": "null", "pairing": None, "luck": luck_entry(values["relu"])}
    return frame | extra | changes


def variance_summary(name: str = "gelu", **changes: Any) -> dict[str, Any]:
    """What init and order add: each moves both arms alike, init moves the arm too."""
    generator = np.random.default_rng(4)
    shared = {"init": 0.004, "order": 0.003}
    alone = {"init": 0.002, "order": 0.0001}

    def drawn(*sources: str, size: tuple[int, ...]) -> dict[str, np.ndarray]:
        base, own = np.full(size, 0.97), np.zeros(size)
        for source in sources:
            base += shared[source] * generator.standard_normal(size)
            own += alone[source] * generator.standard_normal(size)
        return {"relu": base, "arm": base + own}

    each = {source: drawn(source, size=(8, 40)) for source in shared}
    both = drawn(*shared, size=(40,))

    def split(take: Callable[[dict], np.ndarray]) -> dict[str, Any]:
        tables = {source: take(scores) for source, scores in each.items()}
        found = variance_components(tables, take(both), confidence=0.95)
        return dataclasses.asdict(found)

    arms = {"relu": "relu", "arm": name}
    return {
        "schema": 1,
        "mode": "variance",
        "task": "moons",
        "primary_metric": "test_accuracy",
        "higher_is_better": True,
        "reference": "relu",
        "margin": 0.005,
        "confidence": 0.95,
        "title": "moons · MLP 2-64-64-1",
        "sources": ["init", "order"],
        "backgrounds": 8,
        "seeds": 40,
        "arms": {
            slug: {
                "name": arm,
                "formula": f"{arm}(x)",
                "components": split(lambda scores, slug=slug: scores[slug]),
            }
            for slug, arm in arms.items()
        },
        "differences": {"arm": split(lambda scores: scores["arm"] - scores["relu"])},
        "runs": ["all", *(f"{s}-{b}" for s in shared for b in range(8))],
        "trainings": 1360,
        "total_seconds": 71.8,
        "warnings": [],
    } | changes


def write(workdir: Path, told: dict[str, Any]) -> Path:
    """Writes a run folder around a summary: results, config and manifest, no figures."""
    results = workdir / "results"
    results.mkdir(parents=True)
    slugs = list(told["arms"])
    (results / "summary.json").write_text(json.dumps(told, default=float))
    config = {"seeds": told["seeds"], "task": {"name": told["task"]}, "epochs": 100}
    (workdir / "config.json").write_text(json.dumps(config))
    manifest = {
        "versions": {"jax": "0.10.2"},
        "devices": ["TFRT_CPU_0"],
        "commit": "abc",
    }
    (workdir / "manifest.json").write_text(json.dumps(manifest))
    np.savez(results / "curves.npz", **curves(told, slugs))
    np.savez(results / "figures.npz", **shapes(told, slugs))
    _write_per_seed(results / "per_seed.csv", told, slugs)
    return workdir


def curves(told: Mapping[str, Any], slugs: Sequence[str]) -> dict[str, np.ndarray]:
    """Learning curves [seeds, epochs + 1]; NaN before training and after divergence."""
    seeds, epochs = told["seeds"], told["epochs"]
    generator = np.random.default_rng(7)
    arrays: dict[str, np.ndarray] = {"seeds": np.arange(seeds) + told["first_seed"]}
    epoch = np.arange(epochs + 1)
    for position, slug in enumerate(slugs):
        pace = (16 - 5 * position / max(len(slugs) - 1, 1)) * generator.uniform(
            0.7, 1.4, (seeds, 1)
        )
        progress = 1 - np.exp(-epoch / pace)
        noise = 0.0025 * generator.standard_normal((seeds, epochs + 1))
        accuracy = 0.5 + 0.47 * progress**0.35 + noise
        loss = 0.69 - 0.61 * progress**0.6 + 0.5 * np.abs(noise)
        lost = told["arms"][slug]["diverged"]
        for array in (accuracy, loss):
            array[:lost, 20:] = np.nan
        train = loss - 0.004
        train[:, 0] = np.nan
        arrays[f"{slug}/validation_accuracy"] = accuracy.astype(np.float32)
        arrays[f"{slug}/validation_loss"] = loss.astype(np.float32)
        arrays[f"{slug}/train_loss"] = train.astype(np.float32)
    return arrays


def shapes(told: Mapping[str, Any], slugs: Sequence[str]) -> dict[str, np.ndarray]:
    """The arrays of figures.npz: activations, and boundaries between two half circles."""
    x = np.linspace(-4, 4, 401)
    arrays: dict[str, np.ndarray] = {"activation/x": x}
    for slug in slugs:
        function = FUNCTIONS.get(told["arms"][slug]["name"], np.tanh)
        arrays[f"activation/{slug}/value"] = function(x)
        step = 1e-5
        slope = (function(x + step) - function(x - step)) / (2 * step)
        arrays[f"activation/{slug}/derivative"] = slope
    generator = np.random.default_rng(11)
    angle = generator.uniform(0, np.pi, 2000)
    labels = np.arange(2000) % 2
    points = np.stack(
        [
            np.where(labels == 0, np.cos(angle), 1 - np.cos(angle)),
            np.where(labels == 0, np.sin(angle), 0.5 - np.sin(angle)),
        ],
        axis=1,
    ) + generator.normal(0, 0.2, (2000, 2))
    grid_x, grid_y = np.linspace(-1.7, 2.7, 90), np.linspace(-1.2, 1.7, 90)
    arc = np.linspace(0, np.pi, 60)
    upper = np.stack([np.cos(arc), np.sin(arc)], axis=1)
    grid = np.stack(np.meshgrid(grid_x, grid_y), axis=-1)[:, :, None, :]
    near, far = (
        np.linalg.norm(grid - moon, axis=-1).min(axis=-1)
        for moon in (upper, np.array([1.0, 0.5]) - upper)
    )
    for slug in slugs:
        tilt = generator.normal(0, 0.12) * grid_x[None, :]
        arrays[f"boundary/{slug}"] = special.expit(8 * (near - far + tilt))
    return arrays | {
        "boundary/x": grid_x,
        "boundary/y": grid_y,
        "boundary/points": points,
        "boundary/labels": labels,
        "boundary/seed": np.asarray(told["first_seed"]),
    }


def _write_per_seed(path: Path, told: Mapping[str, Any], slugs: Sequence[str]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["arm", "learning_rate", "seed", "status", "test_accuracy"])
        for slug in slugs:
            lost = told["arms"][slug]["diverged"]
            for seed in range(told["seeds"]):
                status = "diverged" if seed < lost else "done"
                writer.writerow([slug, 0.001, seed, status, 0.97])
