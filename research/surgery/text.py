"""Sentences, and what a checkpoint's own tokenizer makes of them."""

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int
from tokenizers import BertWordPieceTokenizer, Encoding, Tokenizer

from research.errors import DataError
from research.records.folder import read_mapping
from research.settings import shown
from research.tasks.files import read_text
from research.tasks.text import own_prose, sha256

TOKENIZER, WORDS = "tokenizer.json", "vocab.txt"
SETTINGS = "tokenizer_config.json"
# Fewer sentences leave hardly an interval or a neighbour.
FEWEST = 10
# How a masked token is written, by BERT and by RoBERTa.
MASKS = ("[MASK]", "<mask>")
# What a vocabulary must have.
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
_WORDS = range(6, 41)
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """Different sentences, and what a reader must know of them.

    labels: each one's class, as a place in `classes`. files: what they were read from.
    """

    texts: tuple[str, ...]
    remarks: tuple[str, ...]
    labels: Int[np.ndarray, " sentences"] | None = None
    classes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Sentences as token ids, padded behind; cut: how many were too long.

    real: which positions are no padding. special: which hold what the tokenizer adds.
    """

    ids: Int[np.ndarray, "sentences length"]
    segments: Int[np.ndarray, "sentences length"]
    real: Bool[np.ndarray, "sentences length"]
    special: Bool[np.ndarray, "sentences length"]
    cut: int


def read_sentences(path: Path | None, *, most: int) -> Sentences:
    """Returns the lines of a file, or sentences of Python's own reference.

    Args:
      most: so many at most, spread evenly.

    Raises:
      DataError: a file that cannot be read, or fewer than ten different sentences.
    """
    if path is None:
        version = ".".join(platform.python_version_tuple()[:2])
        prose, source = own_prose(), f"Python {version}'s pydoc_data/topics.py"
        found = dict.fromkeys(_prose_sentences(prose))
    else:
        text, source = read_text(path), str(path)
        found = dict.fromkeys(filter(None, map(str.strip, text.splitlines())))
    if len(found) < FEWEST:
        raise DataError(
            f"{source}: has {len(found)} different sentences, one a line; at least "
            f"{FEWEST} are needed"
        )
    texts = spread(tuple(found), most=most)
    taken = "all" if len(texts) == len(found) else f"{len(texts)} of the {len(found):,}"
    digest = sha256("\n".join(texts))
    remark = f"the sentences are {taken} different ones of {source}, sha256 {digest}"
    files = () if path is None else (path,)
    return Sentences(texts=texts, remarks=(remark,), files=files)


def _prose_sentences(prose: str) -> Iterator[str]:
    """Yields whole sentences of the paragraphs that are neither code nor headings."""
    for paragraph in re.split(r"\n\s*\n", prose):
        if paragraph[:1].isupper():
            for sentence in _ENDS.split(" ".join(paragraph.split())):
                if sentence.endswith(".") and len(sentence.split()) in _WORDS:
                    yield sentence


def spread(texts: tuple[str, ...], *, most: int) -> tuple[str, ...]:
    """Returns so many of the texts at most, evenly spaced."""
    if len(texts) <= most:
        return texts
    return tuple(texts[len(texts) * n // most] for n in range(most))


def tokenizer_files(folder: Path) -> tuple[Path, ...]:
    """Returns the files that read_tokenizer reads."""
    if (folder / TOKENIZER).is_file():
        return (folder / TOKENIZER,)
    settings = folder / SETTINGS
    return (folder / WORDS, settings) if settings.is_file() else (folder / WORDS,)


def read_tokenizer(folder: Path) -> Tokenizer:
    """Returns the tokenizer of a checkpoint's tokenizer.json or vocab.txt.

    Raises:
      DataError: neither is there, or one is damaged.
    """
    path, words = folder / TOKENIZER, folder / WORDS
    if path.is_file():
        try:
            return Tokenizer.from_str(read_text(path))
        # The package raises Exception itself.
        except Exception as error:
            if isinstance(error, DataError):
                raise
            told = str(error).splitlines()[0]
            raise DataError(f"{path}: is damaged, {told}") from None
    if not words.is_file():
        raise DataError(f"{folder}: holds neither {TOKENIZER} nor {WORDS}")
    # A token may be one of the signs at which splitlines would divide.
    lines = read_text(words).removesuffix("\n").split("\n")
    known = {line.rstrip("\r"): number for number, line in enumerate(lines)}
    missing = [word for word in SPECIAL if word not in known]
    if missing:
        raise DataError(f"{words}: lacks {', '.join(missing)}")
    settings = folder / SETTINGS
    lower = (read_mapping(settings) if settings.is_file() else {}).get("do_lower_case")
    return Tokenizer.from_str(
        BertWordPieceTokenizer(known, lowercase=lower is not False).to_str()
    )


def _encoded(tokenizer: Tokenizer, texts: tuple[str, ...]) -> list[Encoding]:
    try:
        return tokenizer.encode_batch(list(texts))
    # The package raises Exception itself.
    except Exception as error:
        told = str(error).splitlines()[0]
        raise DataError(f"the tokenizer fails on the sentences, {told}") from None


def tokenize(
    texts: tuple[str, ...], tokenizer: Tokenizer, *, vocabulary: int, most: int
) -> Tokens:
    """Returns the sentences' ids with the tokenizer's own special tokens.

    Args:
      vocabulary: how many tokens the model knows.
      most: tokens after which a sentence is cut.

    Raises:
      DataError: a token that the model does not know, a sentence without any, or one
        that the tokenizer fails on.
    """
    tokenizer.no_padding()
    tokenizer.no_truncation()
    whole = [len(each.ids) for each in _encoded(tokenizer, texts)]
    tokenizer.enable_truncation(most)
    encoded = _encoded(tokenizer, texts)
    widest = max(len(each.ids) for each in encoded)
    for text, each in zip(texts, encoded, strict=True):
        if not each.ids:
            raise DataError(
                f"the tokenizer gives no token for the sentence {shown(text)}"
            )
    ids, segments = np.zeros((2, len(texts), widest), np.int32)
    real, special = np.zeros((2, *ids.shape), bool)
    for row, each in enumerate(encoded):
        ids[row, : len(each.ids)] = each.ids
        segments[row, : len(each.ids)] = each.type_ids
        real[row, : len(each.ids)] = True
        special[row, : len(each.ids)] = each.special_tokens_mask
    largest = int(ids.max())
    if largest >= vocabulary:
        raise DataError(
            f"the tokenizer gives token {largest}, {tokenizer.id_to_token(largest)!r}, and "
            f"config.json says vocab_size={vocabulary}"
        )
    cut = sum(size > most for size in whole)
    return Tokens(ids=ids, segments=segments, real=real, special=special, cut=cut)


def mask_id(tokenizer: Tokenizer) -> int | None:
    """Returns the id that stands for a masked token; None where there is none."""
    known = (tokenizer.token_to_id(word) for word in MASKS)
    return next((number for number in known if number is not None), None)
