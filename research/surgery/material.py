"""The rows that a checkpoint is measured and tuned on: to train, to validate, to test."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool, Int

from research.errors import DataError
from research.settings import shown
from research.surgery.encoder import Batch, Images, Pretrained
from research.surgery.images import Pictures, read_images
from research.surgery.labelled import read_labelled
from research.surgery.text import (
    FEWEST,
    Tokens,
    mask_id,
    read_sentences,
    read_tokenizer,
    tokenize,
    tokenizer_files,
)
from research.task_configs import RecoveryConfig
from research.tasks.contract import Rows
from research.tasks.files import existing

# Of the order in which rows are divided, the same in every run.
SEED = 0
# Of fewer rows hardly any would be left to train on.
FEWEST_TO_TUNE = 30


@dataclass(frozen=True, kw_only=True)
class Material:
    """Rows of a model's inputs, the parts one after another.

    special: which positions hold what a tokenizer adds; None of images. mask: the id of
    a masked token, where there is one. targets: each row's class, of labelled rows.
    unit: what one row is.
    """

    inputs: Any
    rows: Rows
    unit: str
    special: Bool[np.ndarray, "rows length"] | None
    mask: int | None
    targets: Int[np.ndarray, " rows"] | None
    classes: tuple[str, ...]
    remarks: tuple[str, ...]
    sources: tuple[Path, ...]

    @property
    def tested(self) -> slice:
        """Where the rows are that are measured, and never trained on."""
        first = self.rows.train + self.rows.validation
        return slice(first, first + self.rows.test)

    @property
    def tested_inputs(self) -> Any:
        """The inputs of these rows."""
        return jax.tree.map(lambda each: each[self.tested], self.inputs)


def read_text_material(
    pretrained: Pretrained, folder: Path, config: RecoveryConfig, *, trains: bool
) -> Material:
    """Reads sentences, with labels where the config names a file of them.

    Args:
      folder: the checkpoint's, for its tokenizer.
      trains: whether a part is kept to train on; else all rows are measured.

    Raises:
      DataError: a file that cannot be used, or a vocabulary that does not fit.
    """
    tokenizer = read_tokenizer(folder)
    wanted = _wanted(config, trains=trains)
    if config.labels is not None:
        found = read_labelled(existing(config.labels), most=wanted)
    else:
        path = None if config.path is None else existing(config.path)
        found = read_sentences(path, most=wanted)
    order = np.random.default_rng(SEED).permutation(len(found.texts))
    tokens = tokenize(
        tuple(found.texts[place] for place in order),
        tokenizer,
        vocabulary=pretrained.vocabulary,
        most=min(pretrained.length, config.length),
    )
    kept, alike = _different(tokens.ids)
    rows = _rows(len(kept), config, unit="sentence", trains=trains)
    targets = None if found.labels is None else found.labels[order][kept]
    if targets is not None and trains:
        _check_classes(targets[: rows.train], found.classes, config)
    return Material(
        inputs=Batch(tokens.ids[kept], tokens.segments[kept], tokens.real[kept]),
        rows=rows,
        unit="sentence",
        special=tokens.special[kept],
        mask=mask_id(tokenizer),
        targets=targets,
        classes=found.classes,
        remarks=(*found.remarks, *_cut(tokens), *alike),
        sources=(*tokenizer_files(folder), *found.files),
    )


def read_image_material(
    pretrained: Pretrained, folder: Path, config: RecoveryConfig, *, trains: bool
) -> Material:
    """Reads images, with labels where the config names a file of them.

    Args:
      folder: the checkpoint's, for how it scales images.
      trains: whether a part is kept to train on; else all rows are measured.

    Raises:
      DataError: a file that cannot be used.
    """
    assert pretrained.image is not None
    path = config.path if config.labels is None else config.labels
    file = None if path is None else existing(path)
    found = read_images(file, folder, image=pretrained.image)
    order = np.random.default_rng(SEED).permutation(len(found.pixels))
    order = order[: _wanted(config, trains=trains)]
    kept, alike = _different(found.pixels[order].reshape(len(order), -1))
    order = order[kept]
    rows = _rows(len(order), config, unit="image", trains=trains)
    targets, classes = None, ()
    if config.labels is not None:
        targets, classes = _image_classes(found, config)
        targets = targets[order]
        if trains:
            _check_classes(targets[: rows.train], classes, config)
    return Material(
        inputs=Images(found.pixels[order]),
        rows=rows,
        unit="image",
        special=None,
        mask=None,
        targets=targets,
        classes=classes,
        remarks=(*found.remarks, *alike),
        sources=() if file is None else (file,),
    )


def _image_classes(
    found: Pictures, config: RecoveryConfig
) -> tuple[Int[np.ndarray, " rows"], tuple[str, ...]]:
    if found.labels is None:
        raise DataError(f"{config.labels}: has no array labels")
    names, targets = np.unique(found.labels, return_inverse=True)
    if len(names) < 2:
        raise DataError(f"{config.labels}: has a single label; two are needed")
    return targets.astype(np.int32), tuple(map(str, names))


def _wanted(config: RecoveryConfig, *, trains: bool) -> int:
    """Returns how many rows the config asks for in all."""
    if not trains:
        return config.test_samples
    return config.train_samples + config.validation_samples + config.test_samples


def _rows(count: int, config: RecoveryConfig, *, unit: str, trains: bool) -> Rows:
    """Divides rows as the config asks, in proportion where there are fewer."""
    least = FEWEST_TO_TUNE if trains else FEWEST
    if count < least:
        hint = " (--config.task.loss=none measures without tuning)" * trains
        raise DataError(
            f"{count} different {unit}s are too few to {'tune on some and ' * trains}"
            f"measure{' others' * trains}: it takes {least}{hint}"
        )
    if not trains:
        return Rows(train=0, validation=0, test=count)
    share = min(1.0, count / _wanted(config, trains=True))
    test = max(int(share * config.test_samples), FEWEST)
    validation = max(int(share * config.validation_samples), 1)
    validation = min(validation, count - test - 1)
    train = min(config.train_samples, count - test - validation)
    return Rows(train=train, validation=validation, test=test)


def _different(rows: np.ndarray) -> tuple[Int[np.ndarray, " kept"], tuple[str, ...]]:
    """Returns the places of rows unlike any before, and what is to be said of the others.

    One in training and again among those that are measured would not be a test.
    """
    _, first = np.unique(rows, axis=0, return_index=True)
    left_out = len(rows) - len(first)
    told = f"{left_out} that are the same as another to the model are left out"
    return np.sort(first), (told,) if left_out else ()


def _check_classes(
    train: Int[np.ndarray, " train"], classes: tuple[str, ...], config: RecoveryConfig
) -> None:
    missing = np.setdiff1d(np.arange(len(classes)), train)
    if missing.size:
        raise DataError(
            f"{config.labels}: label {shown(classes[missing[0]])} has no row in the "
            "training part; give it more rows"
        )


def _cut(tokens: Tokens) -> Iterator[str]:
    if tokens.cut:
        yield f"{tokens.cut} sentences are cut at {tokens.ids.shape[1]} tokens"
