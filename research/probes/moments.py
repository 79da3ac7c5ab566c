"""Moments of an activation under a standard normal, by Gauss and Legendre's rule."""

import math
from dataclasses import dataclass

import numpy as np

from research.probes.curves import Curve

# Between whole numbers: the kinks of every function in the table are whole numbers, and
# one rule over all, Hermite's, would converge slowly there. Beyond 12 nothing is left.
_REACH = 12
_NODES = 48
# Where halves of them disagree there is a kink elsewhere, or a jump: many short steps.
_SHORT, _FEW_NODES = 512, 8
_AGREE, _RESOLVED = 1e-12, 1e-6


@dataclass(frozen=True, kw_only=True)
class Moments:
    """E f(Z), E f(Z)² and gain = 1/√(E f(Z)²), Z standard normal.

    Weights times the gain keep the second moment of what comes in (He et al. 2015,
    arXiv 1502.01852, for ReLU: √2). It is infinite where f is 0. All are None where a
    jump or a narrow feature leaves them open in the sixth digit.
    """

    mean: float | None
    second: float | None
    gain: float | None


def normal_moments(f: Curve) -> Moments:
    """Returns the moments of f(Z), Z standard normal, exact to float64's last digits.

    With a kink between two whole numbers they are right to six digits.
    """
    moments, halves = _moments(f, 1, _NODES), _moments(f, 2, _NODES)
    if not np.allclose(moments, halves, rtol=_AGREE, atol=1e-15):
        moments, halves = (
            _moments(f, steps, _FEW_NODES) for steps in (_SHORT, 2 * _SHORT)
        )
        if not np.allclose(moments, halves, rtol=_RESOLVED, atol=1e-15):
            return Moments(mean=None, second=None, gain=None)
    mean, second = moments
    gain = 1 / math.sqrt(second) if second > 0 else math.inf
    return Moments(mean=mean, second=second, gain=gain)


def _moments(f: Curve, steps: int, count: int) -> tuple[float, float]:
    """Returns E f(Z) and E f(Z)² by a rule of `count` nodes on 1/steps of a unit."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    ends = np.linspace(-_REACH, _REACH, 2 * _REACH * steps + 1)
    middle = (ends[:-1, None] + ends[1:, None]) / 2
    z = middle + nodes / (2 * steps)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    mass, y = weights / (2 * steps) * density, f(z)
    return math.fsum((mass * y).ravel()), math.fsum((mass * y * y).ravel())
