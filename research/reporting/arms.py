"""How arms are named, ordered and coloured, the same in every table and figure."""

from collections.abc import Mapping
from typing import Any

# As the papers write them; every other name is shown as the user gave it.
WRITTEN = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU-tanh",
    "quick_gelu": "QuickGELU",
    "silu": "SiLU",
    "mish": "Mish",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "softplus": "Softplus",
    "elu": "ELU",
    "selu": "SELU",
    "leaky_relu": "Leaky ReLU",
    "relu2": "ReLU²",
    "identity": "Identity",
}
# Names that mean different functions elsewhere say which one is meant.
FORMS = {"gelu": "(exact, erf)"}

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
    compared = [comparison["arm"] for comparison in summary["comparisons"]]
    return tuple(dict.fromkeys([summary["reference"], *compared, *summary["arms"]]))


def written(summary: Mapping[str, Any], slug: str) -> str:
    """Returns an arm's name as a sentence uses it: `GELU`."""
    name: str = summary["arms"][slug]["name"]
    return WRITTEN.get(name, name)


def form(summary: Mapping[str, Any], slug: str) -> str:
    """Returns which function is meant where the name alone is ambiguous, or nothing."""
    arm = summary["arms"][slug]
    # Which GELU somebody else's scores are of is not known here.
    return FORMS.get(arm["name"], "") if arm["formula"] is not None else ""


def were_trained(summary: Mapping[str, Any]) -> bool:
    """Tells whether the scores are of trainings of ours, and not read from a file."""
    return summary["mode"] != "analyse"


def colours(summary: Mapping[str, Any]) -> dict[str, str]:
    """Returns each arm's colour by slug; the reference has the first."""
    return {
        slug: PALETTE[position % len(PALETTE)]
        for position, slug in enumerate(ordered(summary))
    }
