"""Language modelling by characters: each position's target is the next character."""

import numpy as np
from jaxtyping import Int

from research.task_configs import CharLMConfig
from research.tasks.classes import constant_predictor
from research.tasks.contract import Task
from research.tasks.splits import in_order
from research.tasks.text import read_parts
from research.tasks.tokens import fit_nothing, language_metrics, token_loss


def load_char_lm(config: CharLMConfig) -> Task:
    """Returns the task: rows of `context` characters, none of which is in two rows.

    The constant predictor is the training part's unigrams, one added to each count.

    Raises:
      ConfigError: fractions that leave nothing to train on.
      DataError: a text that cannot be read, or is too short.
    """
    text = read_parts(config, least=config.context + 1)
    rows = [next_characters(part, context=config.context) for part in text[:3]]
    inputs, targets = (np.concatenate(arrays) for arrays in zip(*rows, strict=True))
    counts = [len(inputs) for inputs, _ in rows]
    division = in_order(train=counts[0], validation=counts[1], test=counts[2])
    constant = constant_predictor(
        text.train, rows[2][1].reshape(-1), classes=len(text.alphabet), added=1
    )
    return Task(
        name="char_lm",
        inputs=inputs,
        targets=targets,
        outputs=(config.context, len(text.alphabet)),
        vocabulary=len(text.alphabet),
        rows=division.rows,
        split=division.split,
        fit=fit_nothing,
        transform=lambda fitted, inputs: inputs,
        loss=token_loss,
        metrics=language_metrics(constant),
        primary="bits_per_character",
        causal=True,
        remarks=text.remarks,
    )


def next_characters(
    ids: Int[np.ndarray, " characters"], *, context: int
) -> tuple[Int[np.ndarray, "rows context"], Int[np.ndarray, "rows context"]]:
    """Returns a part's whole rows, and the character that follows each of theirs."""
    used = (len(ids) - 1) // context * context
    return ids[:used].reshape(-1, context), ids[1 : used + 1].reshape(-1, context)
