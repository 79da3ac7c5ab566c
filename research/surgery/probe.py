"""The head that is measured: what it is given, what it should say, and what is read off."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from research.surgery.encoder import Batch
from research.surgery.recovery import mask_once, next_ids
from research.surgery.swap import Swap
from research.surgery.trainable import language_head
from research.tasks.tokens import NOTHING, token_accuracy, token_loss


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A head over the measured rows; a classifier's row has one position.

    targets: a class for each position, NOTHING where none is known. counted: which
    positions are looked at.
    """

    head: str
    inputs: Any
    targets: Int[np.ndarray, "rows positions"]
    counted: Bool[np.ndarray, "rows positions"]

    @property
    def labelled(self) -> bool:
        """Whether any target is known."""
        return bool((self.targets != NOTHING).any())


def probe_of(swap: Swap) -> Probe | None:
    """Returns what is read off the checkpoint's own head; None where it has none.

    A classifier where rows have its labels, else the language head, else a classifier.
    """
    pretrained, material = swap.pretrained, swap.material
    inputs = material.tested_inputs
    language = language_head(pretrained)
    labelled = material.targets is not None and not swap.new_head
    if "classifier" in pretrained.heads and (labelled or language is None):
        count = len(jax.tree.leaves(inputs)[0])
        targets = np.full((count, 1), NOTHING, np.int32)
        if labelled:
            assert material.targets is not None
            targets = material.targets[material.tested][:, None]
        counted = np.ones_like(targets, bool)
        return Probe(head="classifier", inputs=inputs, targets=targets, counted=counted)
    if language is None or (language == "masked_lm" and material.mask is None):
        return None
    if language == "causal_lm":
        targets = next_ids(inputs)
    else:
        inputs, targets = _masked(swap)
    counted = targets != NOTHING
    # Of sentences of a single token there is nothing to predict.
    if not counted.any():
        return None
    return Probe(head=language, inputs=inputs, targets=targets, counted=counted)


def _masked(swap: Swap) -> tuple[Batch, Int[np.ndarray, "rows length"]]:
    """Returns the measured rows with the masks that the tuned arms are tested on."""
    material, whole = swap.material, swap.material.inputs
    assert material.special is not None
    assert material.mask is not None
    read, targets = mask_once(
        whole.tokens,
        whole.real & ~material.special,
        mask=material.mask,
        vocabulary=swap.pretrained.vocabulary,
    )
    tested = material.tested
    masked = material.tested_inputs._replace(tokens=np.asarray(read)[tested])
    return masked, np.asarray(targets)[tested]


def read_head(
    logits: Float[Array, "rows *positions classes"],
    before: Float[Array, "rows *positions classes"],
    targets: Int[Array, "rows positions"],
    counted: Bool[Array, "rows positions"],
) -> dict[str, Float[Array, " rows"]]:
    """Returns each row's loss, accuracy, divergence from before, and agreement with it.

    loss: mean -log p(target), nats. kl: mean KL(before ‖ now), nats. agreement: share of
    positions whose likeliest class is the same. weight: how many positions count.
    """
    shape = (*targets.shape, logits.shape[-1])
    logits, before = logits.reshape(shape), before.reshape(shape)
    now, then = jax.nn.log_softmax(logits), jax.nn.log_softmax(before)
    weight = counted.sum(axis=1).astype(jnp.float32)

    def mean(values: Float[Array, "rows positions"]) -> Float[Array, " rows"]:
        return jnp.where(counted, values, 0).sum(axis=1) / jnp.maximum(weight, 1)

    same = logits.argmax(axis=-1) == before.argmax(axis=-1)
    return {
        "loss": token_loss(logits, targets),
        "accuracy": token_accuracy(logits, targets),
        "kl": mean((jnp.exp(then) * (then - now)).sum(axis=-1)),
        "agreement": mean(same.astype(jnp.float32)),
        "weight": weight,
    }
