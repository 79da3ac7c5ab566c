"""How arms are named, ordered and coloured, the same in every table and figure."""

from collections.abc import Mapping
from typing import Any

# As the papers write them; every other name is shown as the user gave it.
WRITTEN = {
    "relu": "ReLU",
    "relu6": "ReLU6",
    "leaky_relu": "Leaky ReLU",
    "prelu": "PReLU",
    "relu2": "ReLU²",
    "gelu": "GELU",
    "gelu_tanh": "GELU-tanh",
    "quick_gelu": "QuickGELU",
    "silu": "SiLU",
    "swish_beta": "Swish-β",
    "mish": "Mish",
    "elu": "ELU",
    "celu": "CELU",
    "selu": "SELU",
    "softplus": "Softplus",
    "squareplus": "Squareplus",
    "log_sigmoid": "LogSigmoid",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "soft_sign": "Softsign",
    "hard_tanh": "Hard tanh",
    "hard_sigmoid": "Hard sigmoid",
    "hard_swish": "Hard swish",
    "identity": "Identity",
    "glu": "GLU",
    "bilinear": "Bilinear",
    "reglu": "ReGLU",
    "geglu": "GEGLU",
    "geglu_tanh": "GEGLU-tanh",
    "swiglu": "SwiGLU",
}
# Names that mean different functions elsewhere say which one is meant.
FORMS = {"gelu": "(exact, erf)", "geglu": "(exact, erf)"}

# Ends the slug of a null run's second group, which is the reference with other seeds.
NULL = "~null"
OTHER_SEEDS = ", other seeds"

# Below it the time of a step is noise of the machine: arms differ by it alone.
LEAST_SECONDS = 1.0

# Okabe and Ito's colours for all kinds of colour vision (2008), with an olive of Tol's
# in place of their yellow, which is too pale on white.
PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#333333",
    "#999933",
)


def ordered(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the arms' slugs: the reference, then the others as they were compared."""
    compared = [comparison["arm"] for comparison in summary.get("comparisons", ())]
    return tuple(dict.fromkeys([summary["reference"], *compared, *summary["arms"]]))


def named(summary: Mapping[str, Any], slug: str) -> str:
    """Returns an arm's name as it was given: `gelu`."""
    return f"{summary['arms'][slug]['name']}{_group(slug)}"


def written(summary: Mapping[str, Any], slug: str) -> str:
    """Returns an arm's name as a sentence uses it: `GELU`."""
    name: str = summary["arms"][slug]["name"]
    return f"{WRITTEN.get(name, name)}{_group(slug)}"


def _group(slug: str) -> str:
    return OTHER_SEEDS if slug.endswith(NULL) else ""


def form(summary: Mapping[str, Any], slug: str) -> str:
    """Returns which function is meant where the name alone is ambiguous, or nothing."""
    arm = summary["arms"][slug]
    # Which GELU somebody else's scores are of is not known here.
    return FORMS.get(arm["name"], "") if arm["formula"] is not None else ""


def were_trained(summary: Mapping[str, Any]) -> bool:
    """Tells whether the scores are of trainings of ours, and not read from a file."""
    return summary["mode"] != "analyse"


def were_timed(summary: Mapping[str, Any]) -> bool:
    """Tells whether every arm trained long enough for the time of a step to be known."""
    seconds = [arm["train_seconds"] for arm in summary["arms"].values()]
    return all(each is not None and each >= LEAST_SECONDS for each in seconds)


def from_checkpoint(summary: Mapping[str, Any]) -> bool:
    """Tells whether the arms start from a checkpoint, with its activation swapped or not."""
    return summary["task"] == "recovery"


def colours(summary: Mapping[str, Any]) -> dict[str, str]:
    """Returns each arm's colour by slug; the reference has the first."""
    return {
        slug: PALETTE[position % len(PALETTE)]
        for position, slug in enumerate(ordered(summary))
    }
