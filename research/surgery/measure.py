"""What an encoder computes with another activation in it, beside what it computed before."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from research.errors import ConfigError
from research.surgery.arms import Arm
from research.surgery.encoder import Batch, Pretrained, trace
from research.surgery.text import Tokens

ROWS = 32  # sentences at once


class Reduced(NamedTuple):
    """What is kept of one batch.

    pooled: the last layer, averaged over a sentence's tokens.
    drift: ‖h' - h‖/‖h‖ over a sentence's tokens, of each layer's output.
    zeros: share of a sentence's activations that are exactly 0, in each layer.
    fires: which units are other than 0 for a token of the batch.
    """

    pooled: Float[Any, "batch width"]
    drift: Float[Any, "batch layers"]
    zeros: Float[Any, "batch layers"]
    fires: Bool[Any, "layers ffn"]


Hidden = tuple[Float[Array, "batch length width"], ...]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What an arm makes of all sentences; `dead` is a share of each layer's units."""

    pooled: Float[np.ndarray, "sentences width"]
    drift: Float[np.ndarray, "sentences layers"]
    zeros: Float[np.ndarray, "sentences layers"]
    dead: Float[np.ndarray, " layers"]


def measure(
    pretrained: Pretrained,
    arms: Sequence[Arm],
    tokens: Tokens,
    *,
    tell: Callable[[str], None] = lambda step: None,
) -> dict[str, Measured]:
    """Runs every arm, the reference first, over the same batches of sentences.

    Args:
      tell: gets the name of each batch when it begins.

    Raises:
      ConfigError: an activation after which numbers are not finite.
    """
    reference, *others = [(arm.slug, _runner(pretrained, arm)) for arm in arms]
    kept: dict[str, list[Reduced]] = {arm.slug: [] for arm in arms}
    count = len(tokens.ids)
    # An accelerator's short products would add a drift of their own.
    with jax.default_matmul_precision("highest"):
        for number, batch in enumerate(_batches(tokens), start=1):
            tell(f"sentences {min(number * ROWS, count)} of {count}")
            slug, run = reference
            hidden, reduced = run(pretrained.params, batch, None)
            kept[slug].append(jax.device_get(reduced))
            for slug, run in others:
                kept[slug].append(
                    jax.device_get(run(pretrained.params, batch, hidden)[1])
                )
    return {arm.slug: _joined(arm, kept[arm.slug], count) for arm in arms}


def steps(tokens: Tokens) -> int:
    """Returns how often measure calls `tell`."""
    return -(-len(tokens.ids) // ROWS)


def _batches(tokens: Tokens) -> Iterator[Batch]:
    """Yields batches of one size; the last is filled up with the first sentences."""
    count = len(tokens.ids)
    for start in range(0, count, ROWS):
        rows = np.arange(start, start + ROWS) % count
        yield Batch(tokens.ids[rows], tokens.segments[rows], tokens.real[rows])


def _runner(pretrained: Pretrained, arm: Arm) -> Callable[..., tuple[Hidden, Reduced]]:
    @jax.jit
    def run(
        params: PyTree, batch: Batch, base: Hidden | None
    ) -> tuple[Hidden, Reduced]:
        found = trace(pretrained, params, batch, swaps=arm.swaps)
        real = batch.real[:, :, None]
        counted = jnp.sum(batch.real, axis=1).astype(jnp.float32)
        states = list(zip(found.hidden[1:], (base or found.hidden)[1:], strict=True))
        silent = [jnp.where(real, units == 0, True) for units in found.units]
        padding = batch.real.shape[1] - counted
        return found.hidden, Reduced(
            pooled=jnp.sum(jnp.where(real, found.hidden[-1], 0), axis=1)
            / counted[:, None],
            drift=jnp.stack([_drift(*pair, real) for pair in states], axis=1),
            zeros=jnp.stack(
                [(each.mean(-1).sum(-1) - padding) / counted for each in silent], axis=1
            ),
            fires=jnp.stack([~each.all((0, 1)) for each in silent]),
        )

    return run


def _drift(
    after: Float[Array, "batch length width"],
    before: Float[Array, "batch length width"],
    real: Bool[Array, "batch length 1"],
) -> Float[Array, " batch"]:
    def norm(x: Float[Array, "batch length width"]) -> Float[Array, " batch"]:
        return jnp.sqrt(jnp.sum(jnp.where(real, jnp.square(x), 0), axis=(1, 2)))

    return norm(after - before) / norm(before)


def _joined(arm: Arm, batches: Sequence[Reduced], count: int) -> Measured:
    pooled, drift, zeros = (
        np.concatenate([getattr(each, name) for each in batches])[:count]
        for name in ("pooled", "drift", "zeros")
    )
    if not np.isfinite(pooled).all() or not np.isfinite(drift).all():
        layer = int(np.argmin(np.isfinite(drift).all(axis=0)))
        raise ConfigError(
            f"--activations={arm.activation.name}: the model's numbers are not finite "
            f"with it, from layer {layer} on"
        )
    fires = np.any([each.fires for each in batches], axis=0)
    return Measured(
        pooled=pooled, drift=drift, zeros=zeros, dead=1 - fires.mean(axis=1)
    )
