"""Records of the statistics, made again from the plain mappings of summary.json."""

from collections.abc import Mapping
from typing import Any

from research.statistics import (
    Component,
    Components,
    CrossedNoise,
    Drift,
    LuckScale,
    Spread,
)

_SPREADS = ("from_seeds", "from_examples", "from_both")


def components(told: Mapping[str, Any]) -> Components:
    """Returns what each source adds to a variance."""
    sources = {name: Component(**each) for name, each in told["sources"].items()}
    rest = {key: Component(**told[key]) for key in ("total", "interaction")}
    return Components(**{**told, **rest, "sources": sources})


def luck(told: Mapping[str, Any]) -> LuckScale:
    """Returns how far groups of the reference's own seeds drift apart."""
    lists = {
        "groups": tuple(Drift(**group) for group in told["groups"]),
        "differences": tuple(told["differences"]),
    }
    return LuckScale(**{**told, "halves": Drift(**told["halves"]), **lists})


def noise(told: Mapping[str, Any]) -> CrossedNoise:
    """Returns what seeds and test examples each add to a mean's uncertainty."""
    return CrossedNoise(**{**told, **{key: Spread(**told[key]) for key in _SPREADS}})
