"""A text as character ids, its parts one after another: train, validation, test."""

import hashlib
import platform
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from research.errors import ConfigError, DataError
from research.settings import shown
from research.task_configs import CharLMConfig
from research.tasks.files import existing, read_text


class Parts(NamedTuple):
    """A text's parts as ids into its alphabet, and what a reader must know of them.

    alphabet: the characters of the whole text, in the order of Unicode. That of the
      training part alone would leave characters without an id; which ones occur is all
      that is learned of the other parts, and no count is.
    """

    train: Int[np.ndarray, " train"]
    validation: Int[np.ndarray, " validation"]
    test: Int[np.ndarray, " test"]
    alphabet: str
    remarks: tuple[str, ...]


def read_parts(config: CharLMConfig, *, least: int) -> Parts:
    """Returns the parts of the text that the config names.

    Args:
      least: characters that every part must have.

    Raises:
      ConfigError: fractions that leave nothing to train on.
      DataError: a text that cannot be read, or is too short.
    """
    held_out = config.validation_fraction + config.test_fraction
    if held_out >= 1:
        raise ConfigError(
            f"task.test_fraction={config.test_fraction:g}: with "
            f"task.validation_fraction={config.validation_fraction:g} it must be below "
            "1, or nothing is left to train on"
        )
    text, name = _read(config.path)
    ids, alphabet = encode(text)
    # Rounded to the thousandth of a character: 1 - 0.1 - 0.1 is not quite 0.8.
    first = int(round(len(ids) * (1 - held_out), 3))
    second = int(round(len(ids) * (1 - config.test_fraction), 3))
    parts = (ids[:first], ids[first:second], ids[second:])
    for part, words in zip(parts, ("training", "validation", "test"), strict=True):
        if len(part) < least:
            raise DataError(
                f"{name}: is too short, its {words} part has {len(part)} of "
                f"{len(ids)} characters and one row needs {least} "
                f"(task.context={config.context})"
            )
    made = Parts(*parts, alphabet, ())
    return made._replace(remarks=tuple(_remarks(name, text, made)))


def encode(text: str) -> tuple[Int[np.ndarray, " characters"], str]:
    """Returns each character's place in the text's alphabet, and the alphabet."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    letters, ids = np.unique(points, return_inverse=True)
    return ids.astype(np.int32), "".join(map(chr, letters))


def sha256(text: str) -> str:
    """Returns the hash of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: str | None) -> tuple[str, str]:
    """Returns the text, and its name in messages."""
    if path is None:
        version = ".".join(platform.python_version_tuple()[:2])
        return own_prose(), f"Python {version}'s pydoc_data/topics.py"
    found = existing(path)
    return read_text(found), str(found)


def own_prose() -> str:
    """Returns the chapters of Python's reference that its help() shows, by their names."""
    try:
        from pydoc_data.topics import topics
    except ImportError:
        raise DataError(
            "this Python has no pydoc_data/topics.py, the default text; give the path of "
            "one, as task.path or --text"
        ) from None
    return "\n".join(topics[name] for name in sorted(topics))


def _remarks(name: str, text: str, parts: Parts) -> Iterator[str]:
    yield (
        f"the text is {name}, {len(text):,} characters, {len(parts.alphabet)} of them "
        f"different, sha256 {sha256(text)}"
    )
    yield (
        f"its parts follow one another: {len(parts.train):,} characters to train, "
        f"{len(parts.validation):,} to validate, {len(parts.test):,} to test"
    )
    unseen = np.setdiff1d(np.concatenate([parts.validation, parts.test]), parts.train)
    if unseen.size:
        letters = shown("".join(parts.alphabet[i] for i in unseen))
        yield f"characters of the other parts that the training part lacks: {letters}"
