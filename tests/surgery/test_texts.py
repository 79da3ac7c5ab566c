"""Sentences and their tokens: the published tokenizer's ids, padding, and refusals."""

import json

import numpy as np
import pytest
import tiny_checkpoint
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordLevel

from research.errors import DataError
from research.surgery.text import (
    FEWEST,
    mask_id,
    read_sentences,
    read_tokenizer,
    tokenize,
)

SENTENCES = (
    "The cat sat on a mat.",
    "It returns the value of this object, and 3 others!",
    "Is naïve text UNREAD?",
)


@pytest.fixture
def folder(tmp_path):
    return tiny_checkpoint.copied(tmp_path / "tiny")


def test_a_vocabulary_gives_the_published_ids():
    arrays = tiny_checkpoint.published()
    tokenizer = read_tokenizer(tiny_checkpoint.FOLDER)
    tokens = tokenize(SENTENCES, tokenizer, vocabulary=170, most=48)
    np.testing.assert_array_equal(tokens.ids, arrays["sentences_input_ids"])
    np.testing.assert_array_equal(tokens.segments, arrays["sentences_token_type_ids"])
    np.testing.assert_array_equal(tokens.real, arrays["sentences_attention_mask"] == 1)
    assert tokens.cut == 0
    added = np.isin(tokens.ids, [tokenizer.token_to_id(w) for w in ("[CLS]", "[SEP]")])
    np.testing.assert_array_equal(tokens.special, added & tokens.real)
    assert mask_id(tokenizer) == tokenizer.token_to_id("[MASK]")


def test_a_tokenizer_file_gives_the_same_and_its_own_padding_is_put_off(folder):
    tokenizer = read_tokenizer(folder)
    tokenizer.enable_padding(length=99)
    tokenizer.enable_truncation(4)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").unlink()
    tokens = tokenize(SENTENCES, read_tokenizer(folder), vocabulary=170, most=48)
    arrays = tiny_checkpoint.published()
    np.testing.assert_array_equal(tokens.ids, arrays["sentences_input_ids"])


def test_long_sentences_are_cut_and_counted():
    tokenizer = read_tokenizer(tiny_checkpoint.FOLDER)
    tokens = tokenize(SENTENCES, tokenizer, vocabulary=170, most=12)
    assert tokens.ids.shape == (3, 12)
    assert tokens.cut == 2
    separator = tokenizer.token_to_id("[SEP]")
    assert [
        row[real][-1] for row, real in zip(tokens.ids, tokens.real, strict=True)
    ] == [separator] * 3


def test_case_is_kept_where_the_tokenizer_says_so(folder):
    settings = folder / "tokenizer_config.json"
    settings.write_text(json.dumps({"do_lower_case": False}))
    kept = read_tokenizer(folder).encode("The").tokens
    assert kept == ["[CLS]", "[UNK]", "[SEP]"]
    settings.unlink()
    assert read_tokenizer(folder).encode("The").tokens == ["[CLS]", "the", "[SEP]"]


def test_a_vocabulary_of_another_model_is_refused():
    tokenizer = read_tokenizer(tiny_checkpoint.FOLDER)
    with pytest.raises(DataError, match=r"gives token 158, 'mat'.*vocab_size=158"):
        tokenize(SENTENCES[:1], tokenizer, vocabulary=158, most=48)


def test_a_sentence_that_cannot_be_tokenized_is_refused():
    tokenizer = Tokenizer(BPE({"w": 0}, []))
    with pytest.raises(DataError, match="no token for the sentence 'other'"):
        tokenize(("w", "other"), tokenizer, vocabulary=1, most=48)
    tokenizer = Tokenizer(WordLevel({"word": 0}))
    with pytest.raises(DataError, match=r"fails on the sentences, .*UNK"):
        tokenize(("word", "other"), tokenizer, vocabulary=1, most=48)


def test_damaged_and_missing_vocabularies(folder):
    (folder / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(DataError, match=r"tokenizer\.json: is damaged"):
        read_tokenizer(folder)
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("[UNK]\nword\n")
    with pytest.raises(DataError, match=r"vocab.txt: lacks \[CLS\], \[SEP\]"):
        read_tokenizer(folder)
    (folder / "vocab.txt").unlink()
    with pytest.raises(DataError, match=r"neither tokenizer.json nor vocab.txt"):
        read_tokenizer(folder)


def test_the_default_text_is_whole_different_sentences():
    found = read_sentences(None, most=256)
    assert FEWEST < len(found.texts) <= 256
    assert len(set(found.texts)) == len(found.texts)
    for text in found.texts:
        assert text[0].isupper()
        assert text.endswith(".")
        assert "\n" not in text
        assert 6 <= len(text.split()) <= 40
    assert "pydoc_data" in found.remarks[0]


def test_lines_of_a_file_are_taken_once_and_spread_evenly(tmp_path):
    path = tmp_path / "lines.txt"
    lines = [f"line {n}" for n in range(2 * 256)]
    path.write_text("\n".join(["line 0", "", "  ", *lines]))
    found = read_sentences(path, most=256)
    assert found.texts == tuple(lines[::2])
    assert "256 of the 512" in found.remarks[0]
    path.write_text("one\ntwo\none\n")
    with pytest.raises(DataError, match=r"has 2 different sentences"):
        read_sentences(path, most=256)
