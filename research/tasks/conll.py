"""CoNLL-style files: a word, a tab and its tag on each line, a blank line between sentences."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from research.errors import DataError
from research.settings import shown
from research.tasks.files import read_text

PARTS = ("train", "dev", "test")


class Word(NamedTuple):
    """A word, its tag, and its line in the file."""

    text: str
    tag: str
    row: int


Sentence = tuple[Word, ...]


def find_part(folder: Path, part: str) -> Path:
    """Returns the only file of a folder with train, dev or test in its name.

    Raises:
      DataError: there is none, or more than one.
    """
    files = sorted(path for path in folder.iterdir() if path.is_file())
    named = [path for path in files if part in path.name.lower()]
    if len(named) == 1:
        return named[0]
    found = f"{len(named)} files have" if named else "no file has"
    names = ", ".join(path.name for path in (named or files)[:5])
    raise DataError(f"{folder}: {found} {part} in its name: {names or 'it is empty'}")


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """Returns the sentences of a file.

    Raises:
      DataError: no UTF-8, a line that is not a word, a tab and a tag, or no sentence.
    """
    sentences = tuple(_sentences(path))
    if not sentences:
        raise DataError(f"{path}: holds no sentence")
    return sentences


def _sentences(path: Path) -> Iterator[Sentence]:
    words: list[Word] = []
    # Not splitlines: tweets hold signs that it takes for the end of a line.
    for row, line in enumerate(read_text(path).split("\n"), start=1):
        line = line.removesuffix("\r")
        if line.strip():
            words.append(_word(path, row, line))
        elif words:
            yield tuple(words)
            words = []
    if words:
        yield tuple(words)


def _word(path: Path, row: int, line: str) -> Word:
    cells = line.split("\t")
    if len(cells) != 2 or not all(cells):
        raise DataError(
            f"{path}: row {row}: must be a word, a tab and its tag, not {shown(line)}"
        )
    return Word(cells[0], cells[1], row)
