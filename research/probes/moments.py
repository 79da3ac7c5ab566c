"""Moments of an activation under a standard normal, by Gauss and Legendre's rule."""

import math
from dataclasses import dataclass

import numpy as np

from research.probes.curves import Curve

# Between whole numbers: the kinks of every function in the table are whole numbers, and
# one rule over all, Hermite's, would converge slowly there. Beyond 12 nothing is left.
_ENDS = np.arange(-12, 13)
_NODES = 48


@dataclass(frozen=True, kw_only=True)
class Moments:
    """E f(Z), E f(Z)² and gain = 1/√(E f(Z)²), Z standard normal.

    Weights times the gain keep the second moment of what comes in (He et al. 2015,
    arXiv 1502.01852, for ReLU: √2). It is infinite where f is 0.
    """

    mean: float
    second: float
    gain: float


def normal_moments(f: Curve) -> Moments:
    """Returns the moments of f(Z), Z standard normal, exact to float64's last digits.

    A kink between two whole numbers costs some: the error is then about 1e-4.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    middle = (_ENDS[:-1, None] + _ENDS[1:, None]) / 2
    z = middle + nodes / 2
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    mass, y = weights / 2 * density, f(z)
    mean, second = math.fsum((mass * y).ravel()), math.fsum((mass * y * y).ravel())
    gain = 1 / math.sqrt(second) if second > 0 else math.inf
    return Moments(mean=mean, second=second, gain=gain)
