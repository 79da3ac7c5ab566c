"""Arms that share their programs: compiled once for all, a little slower to run."""

from collections.abc import Mapping, Sequence

import jax

from research.activations.catalog import Activation
from research.training.cost import step_flops
from research.training.plan import Plan
from research.training.problem import Data, Problem

# Measured on CPUs: the least that an arm's programs take to compile; by how much of
# their time lanes train slower; the products that a core does beside all else.
COMPILE_SECONDS, SLOWER, FLOPS_A_SECOND = 2.0, 0.1, 3e10


def sharing(activations: Mapping[str, Activation]) -> tuple[str, ...]:
    """Returns the arms that can share their programs: what they call differs alone."""
    arms = [slug for slug, each in activations.items() if each.kind == "elementwise"]
    return tuple(arms) if len(arms) > 1 else ()


def pays(
    arms: Sequence[str],
    problem: Problem,
    data: Data,
    plan: Plan,
    *,
    steps: int,
) -> bool:
    """Tells whether compiling once saves more seconds than training then takes longer.

    Not on an accelerator: what a device chooses there costs it a word with the host.

    Args:
      problem: of any of the arms.
      steps: of all lanes of all arms.
    """
    if len(arms) < 2 or jax.default_backend() != "cpu":
        return False
    training = steps * step_flops(problem, data) / (plan.devices * FLOPS_A_SECOND)
    return SLOWER * training < (len(arms) - 1) * COMPILE_SECONDS
