"""What a model computes with another activation in it, beside what it computed before."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from research.errors import ConfigError
from research.surgery.arms import Arm
from research.surgery.encoder import Pretrained, Trace, trace
from research.surgery.probe import Probe, read_head
from research.surgery.readings import embeddings, squared_drift, tokens

# Rows at once; of a language head fewer, for each of their tokens has all the logits.
ROWS, LANGUAGE_ROWS = 32, 8


class Reduced(NamedTuple):
    """What is kept of one batch.

    pooled: the last layer, averaged over a row's positions.
    drift: ‖h' - h‖/‖h‖ over a row's positions, of each layer's output.
    zeros: share of a row's activations that are exactly 0, in each layer.
    fires: which units are other than 0 for a position of the batch.
    head: what `read_head` gives; empty without a head.
    """

    pooled: Float[Any, "batch width"]
    drift: Float[Any, "batch layers"]
    zeros: Float[Any, "batch layers"]
    fires: Bool[Any, "layers ffn"]
    head: dict[str, Float[Any, " batch"]]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A model that is measured: an arm, and the parameters that it has now."""

    slug: str
    arm: Arm
    params: PyTree
    tuned: bool = False


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a subject makes of all rows; `dead` is a share of each layer's units."""

    pooled: Float[np.ndarray, "rows width"]
    drift: Float[np.ndarray, "rows layers"]
    zeros: Float[np.ndarray, "rows layers"]
    dead: Float[np.ndarray, " layers"]
    head: dict[str, Float[np.ndarray, " rows"]]


class Given(NamedTuple):
    """One batch: the inputs, and the head's with its targets; () without a head."""

    inputs: Any
    probe: Any


class Before(NamedTuple):
    """What the untouched model computes: its layers' outputs, and its head's logits."""

    hidden: tuple[Float[Array, "batch length width"], ...]
    logits: Any


def measure(
    pretrained: Pretrained,
    subjects: Sequence[Subject],
    inputs: PyTree,
    probe: Probe | None,
    *,
    tell: Callable[[str], None] = lambda step: None,
) -> dict[str, Measured]:
    """Runs every subject over the same batches of rows, beside the untouched model.

    Args:
      tell: gets the name of each batch when it begins.

    Raises:
      ConfigError: an activation after which numbers are not finite.
    """
    head = None if probe is None else probe.head
    untouched = jax.jit(lambda params, given: _before(pretrained, params, given, head))
    runners = {each.slug: _runner(pretrained, each.arm, head) for each in subjects}
    kept: dict[str, list[Reduced]] = {slug: [] for slug in runners}
    count = len(jax.tree.leaves(inputs)[0])
    # An accelerator's short products would add a drift of their own.
    with jax.default_matmul_precision("highest"):
        for number, given in enumerate(_batches(inputs, probe), start=1):
            tell(f"rows {min(number * _rows(probe), count)} of {count}")
            before = untouched(pretrained.params, given)
            for each in subjects:
                found = runners[each.slug](each.params, given, before)
                kept[each.slug].append(jax.device_get(found))
    return {each.slug: _joined(each, kept[each.slug], count) for each in subjects}


def steps(inputs: PyTree, probe: Probe | None) -> int:
    """Returns how often measure calls `tell`."""
    return -(-len(jax.tree.leaves(inputs)[0]) // _rows(probe))


def _rows(probe: Probe | None) -> int:
    return ROWS if probe is None or probe.head == "classifier" else LANGUAGE_ROWS


def _batches(inputs: PyTree, probe: Probe | None) -> Iterator[Given]:
    """Yields batches of one size; the last is filled up with the first rows."""
    whole = Given(inputs, (probe.inputs, probe.targets, probe.counted) if probe else ())
    count, size = len(jax.tree.leaves(inputs)[0]), _rows(probe)
    for start in range(0, count, size):
        rows = np.arange(start, start + size) % count
        yield jax.tree.map(lambda each, rows=rows: each[rows], whole)


def _before(
    pretrained: Pretrained, params: PyTree, given: Given, head: str | None
) -> Before:
    found = trace(pretrained, params, given.inputs, swaps={})
    if head is None:
        return Before(found.hidden, ())
    logits = trace(pretrained, params, given.probe[0], swaps={}).outputs[head]
    return Before(found.hidden, logits)


def _runner(
    pretrained: Pretrained, arm: Arm, head: str | None
) -> Callable[..., Reduced]:
    @jax.jit
    def run(params: PyTree, given: Given, before: Before) -> Reduced:
        found = trace(pretrained, params, given.inputs, swaps=arm.swaps)
        real = tokens(given.inputs, found)
        read: dict[str, Array] = {}
        if head is not None:
            probed, targets, counted = given.probe
            logits = trace(pretrained, params, probed, swaps=arm.swaps).outputs[head]
            read = read_head(logits, before.logits, targets, counted)
        pairs = zip(found.hidden[1:], before.hidden[1:], strict=True)
        drifts = [jnp.sqrt(squared_drift(*pair, real)) for pair in pairs]
        zeros, fires = _silence(found, real)
        return Reduced(
            pooled=embeddings(given.inputs, found),
            drift=jnp.stack(drifts, axis=1),
            zeros=zeros,
            fires=fires,
            head=read,
        )

    return run


def _silence(
    found: Trace, real: Bool[Array, "batch length"]
) -> tuple[Float[Array, "batch layers"], Bool[Array, "layers ffn"]]:
    """Returns each layer's share of zeros in a row, and which of its units ever fire."""
    silent = [jnp.where(real[:, :, None], units == 0, True) for units in found.units]
    counted = jnp.sum(real, axis=1).astype(jnp.float32)
    padding = real.shape[1] - counted
    zeros = [(each.mean(-1).sum(-1) - padding) / counted for each in silent]
    fires = [~each.all((0, 1)) for each in silent]
    return jnp.stack(zeros, axis=1), jnp.stack(fires)


def _joined(subject: Subject, batches: Sequence[Reduced], count: int) -> Measured:
    pooled, drift, zeros, head = jax.tree.map(
        lambda *parts: np.concatenate(parts)[:count],
        *[(each.pooled, each.drift, each.zeros, each.head) for each in batches],
    )
    if not np.isfinite(pooled).all() or not np.isfinite(drift).all():
        layer = int(np.argmin(np.isfinite(drift).all(axis=0)))
        raise ConfigError(
            f"--activations={subject.arm.activation.name}: the model's numbers are not "
            f"finite with it, from layer {layer} on"
        )
    fires = np.any([each.fires for each in batches], axis=0)
    dead = 1 - fires.mean(axis=1)
    return Measured(pooled=pooled, drift=drift, zeros=zeros, dead=dead, head=head)
