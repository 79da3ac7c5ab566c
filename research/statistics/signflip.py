"""The sign-flip (randomisation) test of a mean paired difference."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from scipy import special

LARGEST_EXACT = 20  # 2^19 sums, 4 MiB
LARGEST_SAMPLED = 5_000
DRAWS = 100_000
_TIE = 1e-9  # of Σ|d|: without it, steps of 1/400 make exact p wrong by rounding
_SIGNS_AT_ONCE = 8  # one random byte picks the signs of eight differences


@dataclass(frozen=True)
class SignFlip:
    """Two-sided p, the smallest p the data could have given, and how p was found."""

    p_value: float
    smallest_p: float
    method: str


def sign_flip_test(
    differences: Float64[np.ndarray, "seeds"], generator: np.random.Generator
) -> SignFlip:
    """Two-sided p of H0: the differences are symmetric about 0.

    The share of sign patterns s with |Σ s_i |d_i|| >= |Σ d_i| (Fisher 1935, "The Design
    of Experiments", section 21). Over all patterns of the non-zero differences up to
    20 of them; above that over 100,000 drawn ones, p = (1 + hits)/(1 + draws) (Phipson
    and Smyth 2010); above 5000 by the normal limit Σd/sqrt(Σd²).
    """
    nonzero = differences[differences != 0]
    if len(nonzero) == 0:
        return SignFlip(1.0, 1.0, "exact sign-flip")
    scale = np.abs(nonzero).max()
    sizes = np.sort(np.abs(nonzero)) / scale
    observed = abs(math.fsum(nonzero / scale)) - _TIE * math.fsum(sizes)
    attainable = max(2.0 ** (1 - len(sizes)), float(np.finfo(float).tiny))
    if len(sizes) <= LARGEST_EXACT:
        sums = sizes[-1] + _signed_sums(sizes[:-1])  # the mirrored half adds nothing
        p = float(np.mean(np.abs(sums) >= observed))
        return SignFlip(p, attainable, "exact sign-flip")
    if len(sizes) <= LARGEST_SAMPLED:
        hits = int(np.sum(np.abs(_drawn_sums(sizes, generator)) >= observed))
        p, method = (1 + hits) / (1 + DRAWS), f"sign-flip, {DRAWS} draws"
        return SignFlip(p, max(attainable, 1 / (1 + DRAWS)), method)
    z = observed / math.sqrt(math.fsum(sizes**2))
    p = float(2 * special.ndtr(-max(z, 0.0)))
    return SignFlip(max(p, attainable), attainable, "normal limit of the sign-flip")


def _signed_sums(
    sizes: Float64[np.ndarray, "sizes"],
) -> Float64[np.ndarray, "patterns"]:
    """Σ s_i · size_i for all 2^n sign patterns s."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _drawn_sums(
    sizes: Float64[np.ndarray, "sizes"], generator: np.random.Generator
) -> Float64[np.ndarray, "draws"]:
    """Σ s_i · size_i for drawn sign patterns, by tables of eight signs each."""
    sums = np.zeros(DRAWS)
    for start in range(0, len(sizes), _SIGNS_AT_ONCE):
        table = _signed_sums(sizes[start : start + _SIGNS_AT_ONCE])
        sums += table[generator.integers(len(table), size=DRAWS, dtype=np.uint8)]
    return sums
