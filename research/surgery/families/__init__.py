"""The one table of families of published checkpoints, by config.json's model_type."""

from collections.abc import Mapping

from research.surgery.checkpoint import Checkpoint
from research.surgery.families.bert import BERT
from research.surgery.families.distilbert import DISTILBERT
from research.surgery.families.family import Family
from research.surgery.families.gpt2 import GPT2
from research.surgery.families.roberta import ROBERTA
from research.surgery.families.vit import VIT

FAMILIES: Mapping[str, Family] = {
    "bert": BERT,
    "roberta": ROBERTA,
    "distilbert": DISTILBERT,
    "gpt2": GPT2,
    "vit": VIT,
}


def known_difference(checkpoint: Checkpoint) -> tuple[str, str] | None:
    """Returns the activation that such checkpoints were trained with, and how it is known.

    None where nothing is known, or it is taken as trained with that one.
    """
    known = FAMILIES[checkpoint.family].trained_as.get(checkpoint.hidden_act)
    return None if known is None or known[0] == checkpoint.activation else known
