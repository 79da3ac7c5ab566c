"""What a tagger sees of a word: ids of the word itself, its beginning, ending and shape.

The features are the usual ones of taggers that must read unknown words: A. Ratnaparkhi,
A Maximum Entropy Model for Part-of-Speech Tagging, EMNLP 1996, table 1.
"""

import collections
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Int

from research.tasks.conll import Sentence

PADDING = 0
FEATURES = 7
WORD = 0  # the place of the word itself among its features
_URL = re.compile(r"https?:|www\.", re.IGNORECASE)


def features(word: str) -> tuple[str, ...]:
    """Returns a word's features: itself, 3 endings, 2 beginnings, its shape."""
    lower = word.lower()
    endings = (lower[-1:], lower[-2:], lower[-3:])
    return (lower, *endings, lower[:1], lower[:2], shape(word))


def shape(word: str) -> str:
    """Returns what a word looks like: `Xx` for London, `@x` for a name, `d:d` for 9:30.

    Capitals are X, other letters x, digits d; equal neighbours count once.
    """
    if _URL.match(word):
        return "url"
    signs = [_sign(letter) for letter in word]
    return "".join(
        sign
        for sign, before in zip(signs, ["", *signs], strict=False)
        if sign != before
    )


def _sign(letter: str) -> str:
    if letter.isupper():
        return "X"
    if letter.isalpha():
        return "x"
    return "d" if letter.isdigit() else letter


def vocabulary(sentences: Iterable[Sentence]) -> dict[tuple[int, str], int]:
    """Returns an id for every feature, by its place and text, that was seen twice.

    Ids 1 to FEATURES stand for an unknown feature at each place: those seen once are
    what an unknown one is learned from.
    """
    counts = collections.Counter(
        pair
        for sentence in sentences
        for word in sentence
        for pair in enumerate(features(word.text))
    )
    known = sorted(pair for pair, count in counts.items() if count > 1)
    return {pair: number for number, pair in enumerate(known, start=FEATURES + 1)}


def unknown(place: int) -> int:
    """Returns the id of an unknown feature at this place."""
    return place + 1


def encode_words(
    sentences: Sequence[Sentence],
    known: Mapping[tuple[int, str], int],
    *,
    length: int,
) -> Int[np.ndarray, "rows length features"]:
    """Returns the ids of every word's features; PADDING behind a sentence's end."""
    ids = np.full((len(sentences), length, FEATURES), PADDING, np.int32)
    for row, sentence in enumerate(sentences):
        for position, word in enumerate(sentence):
            ids[row, position] = [
                known.get((place, text), unknown(place))
                for place, text in enumerate(features(word.text))
            ]
    return ids
