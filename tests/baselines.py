"""What simple counting reaches on a text or on tagged sentences: what a model must beat."""

import collections
import math

import numpy as np

# Of the prior of each conditional distribution, which is the shorter context's.
STRENGTH = 5.0


def trigram_bits(train: np.ndarray, test: np.ndarray, *, letters: int) -> float:
    """Returns the bits per character of a trigram model of the training ids on the test.

    Interpolated by Dirichlet priors, p(z|xy) = (n(xyz) + s p(z|y)) / (n(xy) + s), down to
    unigrams with one added to each count. D. MacKay, L. Peto, A hierarchical Dirichlet
    language model, Natural Language Engineering 1, 1995.
    """
    ones = np.bincount(train, minlength=letters) + 1
    two = _counts(train, 2)
    three = _counts(train, 3)
    before_one = collections.Counter(train[:-1].tolist())
    before_two = _counts(train[:-1], 2)
    total = 0.0
    windows = np.lib.stride_tricks.sliding_window_view(test, 3).tolist()
    for x, y, z in windows:
        p = ones[z] / ones.sum()
        p = (two[y, z] + STRENGTH * p) / (before_one[y] + STRENGTH)
        p = (three[x, y, z] + STRENGTH * p) / (before_two[x, y] + STRENGTH)
        total -= math.log2(p)
    return total / len(windows)


def most_frequent_tags(train: tuple, test: tuple) -> float:
    """Returns the accuracy of each word's commonest training tag on the test sentences.

    Capitals do not count; an unknown word has the commonest tag of all words.
    """
    by_word = collections.defaultdict(collections.Counter)
    for word in (word for sentence in train for word in sentence):
        by_word[word.text.lower()][word.tag] += 1
    overall = sum(by_word.values(), collections.Counter()).most_common(1)[0][0]
    best = {word: tags.most_common(1)[0][0] for word, tags in by_word.items()}
    words = [word for sentence in test for word in sentence]
    return sum(
        best.get(word.text.lower(), overall) == word.tag for word in words
    ) / len(words)


def _counts(ids: np.ndarray, length: int) -> collections.Counter:
    windows = np.lib.stride_tricks.sliding_window_view(ids, length).tolist()
    return collections.Counter(map(tuple, windows))
