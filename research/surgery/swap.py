"""What a swap needs: a checkpoint's encoder, what is put into it, and tokens to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from research.surgery.arms import Arm, Layers, planned, swapped_in
from research.surgery.checkpoint import Checkpoint, read_checkpoint
from research.surgery.encoder import Pretrained
from research.surgery.reading import read_pretrained
from research.surgery.text import (
    Sentences,
    Tokens,
    read_sentences,
    read_tokenizer,
    tokenize,
    tokenizer_files,
)


@dataclass(frozen=True, kw_only=True)
class Swap:
    """A swap that is ready to be measured; sources: the files that it was read from."""

    checkpoint: Checkpoint
    pretrained: Pretrained
    arms: tuple[Arm, ...]
    layers: Layers
    sentences: Sentences
    tokens: Tokens
    sources: tuple[Path, ...]


def prepare_swap(
    folder: Path, words: Sequence[str], *, layers: Layers, text: Path | None
) -> Swap:
    """Reads a checkpoint and sentences, and settles what is swapped where.

    Args:
      words: the activations to swap in; the one as trained is the reference.
      text: a sentence a line; None for Python's own reference.

    Raises:
      ConfigError: nothing to swap in, or a layer that is not there.
      DataError: a file that cannot be used, or an activation that it has no place for.
    """
    checkpoint = read_checkpoint(folder)
    others = swapped_in(words, checkpoint.activation)
    sentences = read_sentences(text)
    tokenizer = read_tokenizer(folder)
    pretrained = read_pretrained(checkpoint)
    own = (checkpoint.config_path, *checkpoint.files, *tokenizer_files(folder))
    return Swap(
        checkpoint=checkpoint,
        pretrained=pretrained,
        arms=planned(
            pretrained.activation,
            others,
            layers=layers,
            depth=pretrained.config.depth,
        ),
        layers=layers,
        sentences=sentences,
        tokens=tokenize(
            sentences.texts,
            tokenizer,
            vocabulary=pretrained.vocabulary,
            length=pretrained.length,
        ),
        sources=(*own, text) if text else own,
    )
