"""The one table of families of published checkpoints, by config.json's model_type."""

from collections.abc import Mapping

from research.surgery.checkpoint import Checkpoint
from research.surgery.families.bert import BERT
from research.surgery.families.family import Family

FAMILIES: Mapping[str, Family] = {
    "bert": BERT,
}


def known_difference(checkpoint: Checkpoint) -> tuple[str, str] | None:
    """Returns the activation that such checkpoints were trained with, and how it is known.

    None where nothing is known that differs from config.json's.
    """
    known = FAMILIES[checkpoint.family].trained_as.get(checkpoint.hidden_act)
    return known(checkpoint) if known else None
