"""Tagging: the part of speech, or another tag, of every word of a sentence."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int

from research.errors import DataError
from research.settings import shown
from research.task_configs import TaggingConfig
from research.tasks.classes import constant_predictor
from research.tasks.conll import PARTS, Sentence, find_part, read_sentences
from research.tasks.contract import Task
from research.tasks.files import given_folder
from research.tasks.splits import in_order
from research.tasks.tokens import (
    NOTHING,
    fit_nothing,
    predicted,
    token_loss,
    token_metrics,
)
from research.tasks.words import (
    FEATURES,
    PADDING,
    WORD,
    encode_words,
    vocabulary,
)


def load_tagging(config: TaggingConfig) -> Task:
    """Returns the task: inputs {"tokens", "mask"}, the published split.

    Raises:
      ConfigError: no path.
      DataError: files that are not there or do not hold what they should.
    """
    folder = given_folder(
        config.path, task="tagging", what="a folder of train, dev and test files"
    )
    files = {part: find_part(folder, part) for part in PARTS}
    parts = {part: read_sentences(path) for part, path in files.items()}
    tags = _tags(files, parts)
    sentences = [sentence for part in parts.values() for sentence in part]
    length = max(map(len, sentences))
    known = vocabulary(parts["train"])
    tokens = encode_words(sentences, known, length=length)
    targets = _encode_tags(sentences, tags, length=length)
    train, validation, test = map(len, parts.values())
    division = in_order(train=train, validation=validation, test=test)
    constant = constant_predictor(
        _given(targets[:train]), _given(targets[-test:]), classes=len(tags)
    )
    return Task(
        name="tagging",
        inputs={"tokens": tokens, "mask": tokens[:, :, WORD] != PADDING},
        targets=targets,
        outputs=(length, len(tags)),
        vocabulary=1 + FEATURES + len(known),
        rows=division.rows,
        split=division.split,
        weight=predicted,
        fit=fit_nothing,
        transform=lambda fitted, inputs: inputs,
        loss=token_loss,
        metrics=token_metrics(constant),
        primary="accuracy",
        remarks=_remarks(folder, parts, len(tags)),
    )


def _tags(
    files: Mapping[str, Path], parts: Mapping[str, Sequence[Sentence]]
) -> dict[str, int]:
    """Returns the numbers of the training part's tags.

    Raises:
      DataError: another part has a tag that the training part lacks.
    """
    names = sorted({word.tag for sentence in parts["train"] for word in sentence})
    for part, sentences in parts.items():
        for word in (word for sentence in sentences for word in sentence):
            if word.tag not in names:
                raise DataError(
                    f"{files[part]}: row {word.row}: the tag {shown(word.tag)} is "
                    f"nowhere in {files['train'].name}"
                )
    return {name: number for number, name in enumerate(names)}


def _encode_tags(
    sentences: Sequence[Sentence], tags: Mapping[str, int], *, length: int
) -> Int[np.ndarray, "rows length"]:
    targets = np.full((len(sentences), length), NOTHING, np.int32)
    for row, sentence in enumerate(sentences):
        targets[row, : len(sentence)] = [tags[word.tag] for word in sentence]
    return targets


def _given(targets: Int[np.ndarray, "rows length"]) -> Int[np.ndarray, " words"]:
    return targets[targets != NOTHING]


def _remarks(
    folder: Path, parts: Mapping[str, Sequence[Sentence]], tags: int
) -> tuple[str, ...]:
    counts = ", ".join(
        f"{len(sentences):,} sentences with {sum(map(len, sentences)):,} words to {use}"
        for sentences, use in zip(
            parts.values(), ("train", "validate", "test"), strict=True
        )
    )
    return (
        f"the split is the published one of {folder.name}: {counts}; {tags} tags",
        "accuracy and loss are means over words",
    )
