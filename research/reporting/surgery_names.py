"""How a surgery's models, layers, rows and lessons are named: of summary.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research.reporting import arms, numbers
from research.reporting.sentences import listed

# What stands behind the name of a model that was tuned.
TUNED = ", tuned"
POSITIONS = {"sentence": "tokens", "image": "patches"}
LESSONS = {
    "labels": "tuned on labels",
    "language": "tuned by its own language head",
    "distillation": "tuned to compute what the untouched model computes",
    "none": "nothing trained",
}


def ordered(summary: Mapping[str, Any]) -> list[str]:
    """Returns the models: untouched, each swap and itself tuned, the untouched tuned."""
    alike: dict[tuple[Any, ...], list[str]] = {}
    for slug, arm in summary["arms"].items():
        alike.setdefault((arm["name"], *arm["swapped"]), []).append(slug)
    first = next(each for each in alike.values() if summary["reference"] in each)
    swapped = [slug for each in alike.values() if each is not first for slug in each]
    return [
        summary["reference"],
        *swapped,
        *(slug for slug in first if slug != summary["reference"]),
    ]


def changed(summary: Mapping[str, Any]) -> list[str]:
    """Returns all models but the untouched one."""
    return [slug for slug in ordered(summary) if slug != summary["reference"]]


def swaps(summary: Mapping[str, Any]) -> list[str]:
    """Returns the models with a swap and without training."""
    return [slug for slug in changed(summary) if not summary["arms"][slug]["tuned"]]


def written(summary: Mapping[str, Any], slug: str) -> str:
    """Returns a model's name for a sentence or a figure: `ReLU, tuned`."""
    return _placed(summary, slug, arms.written(summary, slug))


def tabled(summary: Mapping[str, Any], slug: str) -> str:
    """Returns a model's name for a table: `relu, tuned`."""
    return _placed(summary, slug, arms.named(summary, slug))


def _placed(summary: Mapping[str, Any], slug: str, name: str) -> str:
    """Adds the layer where every layer is swapped alone, and whether it was tuned."""
    arm = summary["arms"][slug]
    alone = summary["layers"] == "each" and arm["swapped"]
    layer = f" in {arm['swapped'][0]}" if alone else ""
    return f"{name}{layer}{TUNED * arm['tuned']}"


def checkpoint(summary: Mapping[str, Any]) -> str:
    """Returns the name of the checkpoint's folder."""
    return Path(summary["checkpoint"]).name


def as_trained(summary: Mapping[str, Any]) -> str:
    """Returns the activation as trained, and what config.json calls it if otherwise."""
    hidden, known = summary["hidden_act"], summary["arms"][summary["reference"]]["name"]
    alias = f", as config.json's {hidden} is read here" if hidden != known else ""
    return f"{known} {arms.FORMS.get(known, '')}".strip() + alias


def layers(summary: Mapping[str, Any]) -> str:
    """Returns where the swap is: `all 12 layers`, `layers 0 and 3 of 0 to 11`."""
    told, depth = summary["layers"], summary["depth"]
    if told == "all":
        return f"all {depth} layers"
    if told == "each":
        return f"each of {depth} layers alone, counted from 0"
    word = "layer" if len(told) == 1 else "layers"
    return f"{word} {listed(list(map(str, told)))} of 0 to {depth - 1}"


def rows(summary: Mapping[str, Any], part: str = "test") -> str:
    """Returns how many rows a part has: `256 sentences`."""
    return numbers.counted(summary["rows"][part], summary["unit"])


def is_causal(summary: Mapping[str, Any]) -> bool:
    """Tells whether the model is one of next tokens, whose embeddings no one uses."""
    return summary["head"] == "causal_lm"


def has_language_head(summary: Mapping[str, Any]) -> bool:
    """Tells whether the head that is measured says tokens."""
    return summary["head"] in ("masked_lm", "causal_lm")


def has_new_head(summary: Mapping[str, Any]) -> bool:
    """Tells whether the labels were learned by a classifier that the checkpoint lacks."""
    known = summary["arms"][summary["reference"]]["head"]
    own = summary["head"] == "classifier" and "accuracy" in known
    return summary["loss"] == "labels" and not own


def length(summary: Mapping[str, Any]) -> str:
    """Returns how long and how often was tuned: `64 steps, 8 seeds`."""
    tuned = summary["tuned"]
    return (
        f"{numbers.counted(tuned['steps'], 'step')}, "
        f"{numbers.counted(tuned['seeds'], 'seed')}"
    )
