"""What a checkpoint with another activation learns: tasks of its rows."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from research import prng
from research.surgery.encoder import Batch
from research.surgery.material import Material
from research.tasks.classes import class_metrics, constant_predictor, cross_entropy
from research.tasks.contract import Metric, Task
from research.tasks.masked_lm import Draws, corrupt
from research.tasks.splits import in_order
from research.tasks.tokens import (
    NOTHING,
    fit_nothing,
    perplexity_metrics,
    predicted,
    token_loss,
)

# Of the masks of validation and test rows, the same in every run.
EVALUATION_SEED = 0
NAME = "recovery"


def distillation(material: Material, untrained_cosine: float) -> Task:
    """Returns the task to compute what the untouched model computes.

    Args:
      untrained_cosine: what a lane that diverged scores: that of the swap as it was.
    """
    targets = np.zeros(len(jax.tree.leaves(material.inputs)[0]), np.int32)
    return Task(
        targets=targets,
        outputs=(2,),
        loss=lambda outputs, targets: outputs[:, 0],
        metrics={
            "cosine": Metric(
                fn=lambda outputs, targets: outputs[:, 1],
                higher_is_better=True,
                constant_predictor=untrained_cosine,
                ceiling=1.0,
            ),
            "loss": Metric(
                fn=lambda outputs, targets: outputs[:, 0],
                higher_is_better=False,
                constant_predictor=1.0,
                ceiling=0.0,
            ),
        },
        primary="cosine",
        inputs=material.inputs,
        transform=lambda fitted, inputs: inputs,
        **_common(material),
    )


def labelled(material: Material) -> Task:
    """Returns the task to tell a row's class."""
    targets, train = material.targets, material.rows.train
    assert targets is not None
    constant = constant_predictor(
        targets[:train],
        targets[material.tested],
        classes=len(material.classes),
        added=1,
    )
    return Task(
        targets=targets,
        outputs=(len(material.classes),),
        loss=cross_entropy,
        metrics=class_metrics(constant),
        primary="accuracy",
        inputs=material.inputs,
        transform=lambda fitted, inputs: inputs,
        **_common(material),
    )


def next_tokens(material: Material, *, vocabulary: int) -> Task:
    """Returns the task to predict each next token of a sentence."""
    return _language(
        material,
        next_ids(material.inputs),
        vocabulary=vocabulary,
        inputs=material.inputs,
        transform=lambda fitted, inputs: inputs,
        causal=True,
    )


def next_ids(batch: Batch) -> Int[np.ndarray, "rows length"]:
    """Returns the token that follows each, and NOTHING where none does."""
    follows = np.zeros_like(batch.real)
    follows[:, :-1] = batch.real[:, 1:]
    ids = np.roll(batch.tokens, -1, axis=1)
    return np.where(follows, ids, NOTHING).astype(np.int32)


def masked_tokens(material: Material, *, vocabulary: int) -> Task:
    """Returns the task to predict masked tokens, 15 % of a sentence's own.

    Training rows are masked anew at each step, the others once.
    """
    batch: Batch = material.inputs
    assert material.mask is not None
    assert material.special is not None
    mask, own = material.mask, batch.real & ~material.special
    masked, targets = map(
        np.asarray, mask_once(batch.tokens, own, mask=mask, vocabulary=vocabulary)
    )
    return _language(
        material,
        targets,
        vocabulary=vocabulary,
        inputs={"batch": batch, "own": own, "masked": masked},
        transform=lambda fitted, inputs: inputs["batch"]._replace(
            tokens=inputs["masked"]
        ),
        augment=_mask_anew(mask, vocabulary),
    )


def mask_once(
    tokens: Int[np.ndarray, "rows length"],
    own: Bool[np.ndarray, "rows length"],
    *,
    mask: int,
    vocabulary: int,
) -> tuple[Int[Array, "rows length"], Int[Array, "rows length"]]:
    """Returns masked tokens and their targets, the same whenever it is called.

    Args:
      own: which positions may be chosen.
    """
    generator = np.random.default_rng(EVALUATION_SEED)
    return corrupt(
        tokens,
        Draws(
            choice=np.where(own, generator.random(own.shape), 1.0),
            fate=generator.random(own.shape),
            character=generator.integers(vocabulary, size=own.shape, dtype=np.int32),
        ),
        mask=mask,
    )


def _mask_anew(mask: int, vocabulary: int) -> Callable:
    def augment(
        key: Key[Array, ""], inputs: dict[str, Any], targets: Int[Array, "rows length"]
    ) -> tuple[dict[str, Any], Int[Array, "rows length"]]:
        tokens, own = inputs["batch"].tokens, inputs["own"]
        choice = jax.random.uniform(prng.at_path(key, "choice"), tokens.shape)
        draws = Draws(
            choice=jnp.where(own, choice, 1.0),
            fate=jax.random.uniform(prng.at_path(key, "fate"), tokens.shape),
            character=jax.random.randint(
                prng.at_path(key, "character"), tokens.shape, 0, vocabulary, jnp.int32
            ),
        )
        masked, targets = corrupt(tokens, draws, mask=mask)
        return {**inputs, "masked": masked}, targets

    return augment


def _language(
    material: Material,
    targets: Int[np.ndarray, "rows length"],
    *,
    vocabulary: int,
    **parts: Any,
) -> Task:
    train, test = targets[: material.rows.train], targets[material.tested]
    constant = constant_predictor(
        train[train != NOTHING], test[test != NOTHING], classes=vocabulary, added=1
    )
    return Task(
        targets=targets,
        outputs=(targets.shape[1], vocabulary),
        vocabulary=vocabulary,
        weight=predicted,
        loss=token_loss,
        metrics=perplexity_metrics(constant),
        primary="loss",
        **parts,
        **_common(material),
    )


def _common(material: Material) -> dict[str, Any]:
    rows = material.rows
    division = in_order(train=rows.train, validation=rows.validation, test=rows.test)
    return {
        "name": NAME,
        "rows": rows,
        "split": division.split,
        "fit": fit_nothing,
        "remarks": material.remarks,
    }
