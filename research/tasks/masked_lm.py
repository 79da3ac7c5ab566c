"""Masked language modelling by characters.

15 % of the positions are predicted; of these 80 % are masked, 10 % replaced by a random
character and 10 % kept. J. Devlin et al., BERT, NAACL 2019; arXiv:1810.04805, section 3.1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from research import prng
from research.task_configs import MaskedLMConfig
from research.tasks.classes import constant_predictor
from research.tasks.contract import Task
from research.tasks.splits import in_order
from research.tasks.text import read_parts
from research.tasks.tokens import (
    NOTHING,
    fit_nothing,
    language_metrics,
    predicted,
    token_loss,
)

CHOSEN, MASKED, REPLACED = 0.15, 0.8, 0.1
# Of the masks of validation and test rows, the same in every run.
EVALUATION_SEED = 0


class Draws(NamedTuple):
    """What decides a position's fate: two numbers from 0 to 1, and a character."""

    choice: Float[Any, "rows context"]
    fate: Float[Any, "rows context"]
    character: Int[Any, "rows context"]


def load_masked_lm(config: MaskedLMConfig) -> Task:
    """Returns the task: training rows masked anew at each step, the others once.

    The constant predictor is the training part's unigrams, one added to each count.

    Raises:
      ConfigError: fractions that leave nothing to train on.
      DataError: a text that cannot be read, or is too short.
    """
    text = read_parts(config, least=config.context)
    letters, context = len(text.alphabet), config.context
    counts = [len(part) // context for part in text[:3]]
    tokens = np.concatenate(
        [
            part[: count * context].reshape(count, context)
            for part, count in zip(text[:3], counts, strict=True)
        ]
    )
    masked, targets = map(
        np.asarray, corrupt(tokens, _fixed_draws(tokens.shape, letters), mask=letters)
    )
    division = in_order(train=counts[0], validation=counts[1], test=counts[2])
    tested = targets[-counts[2] :]
    constant = constant_predictor(
        text.train, tested[tested != NOTHING], classes=letters, added=1
    )
    return Task(
        name="masked_lm",
        inputs={"tokens": tokens, "masked": masked},
        targets=targets,
        outputs=(context, letters),
        vocabulary=letters + 1,
        rows=division.rows,
        split=division.split,
        augment=_mask_anew(letters),
        weight=predicted,
        fit=fit_nothing,
        transform=lambda fitted, inputs: inputs["masked"],
        loss=token_loss,
        metrics=language_metrics(constant),
        primary="bits_per_character",
        remarks=(
            *text.remarks,
            "15 % of the characters are predicted: training rows are masked anew at "
            "each step, the same under every arm, validation and test rows once for "
            "all runs",
        ),
    )


def corrupt(
    tokens: Int[Any, "rows context"], draws: Draws, *, mask: int
) -> tuple[Int[Array, "rows context"], Int[Array, "rows context"]]:
    """Returns what the model reads, and the targets: the tokens of chosen positions.

    Args:
      mask: the id that stands for a masked character.
    """
    chosen = draws.choice < CHOSEN
    other = jnp.where(draws.fate < MASKED + REPLACED, draws.character, tokens)
    read = jnp.where(draws.fate < MASKED, mask, other)
    return jnp.where(chosen, read, tokens), jnp.where(chosen, tokens, NOTHING)


def _fixed_draws(shape: tuple[int, ...], letters: int) -> Draws:
    generator = np.random.default_rng(EVALUATION_SEED)
    return Draws(
        choice=generator.random(shape),
        fate=generator.random(shape),
        character=generator.integers(letters, size=shape, dtype=np.int32),
    )


def _mask_anew(letters: int) -> Callable:
    def augment(
        key: Key[Array, ""],
        inputs: dict[str, Int[Array, "batch context"]],
        targets: Int[Array, "batch context"],
    ) -> tuple[dict[str, Int[Array, "batch context"]], Int[Array, "batch context"]]:
        tokens = inputs["tokens"]
        draws = Draws(
            choice=jax.random.uniform(prng.at_path(key, "choice"), tokens.shape),
            fate=jax.random.uniform(prng.at_path(key, "fate"), tokens.shape),
            character=jax.random.randint(
                prng.at_path(key, "character"), tokens.shape, 0, letters, jnp.int32
            ),
        )
        masked, targets = corrupt(tokens, draws, mask=letters)
        return {"tokens": tokens, "masked": masked}, targets

    return augment
