"""Tagging: files read as published, words as features, and what counting reaches."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from baselines import most_frequent_tags

from research import prng
from research.errors import ConfigError, DataError
from research.task_configs import TaggingConfig
from research.tasks.conll import find_part, read_sentences
from research.tasks.tagging import load_tagging
from research.tasks.words import FEATURES, PADDING, WORD, features, shape, unknown

TWITTER = Path(__file__).parents[3] / "shared/data/twitter_pos"
TRAIN = "The\tD\ndog\tN\nruns\tV\n\nthe\tD\ncat\tN\n\n\nRun\tV\n"
DEV = "The\tD\nzebra\tN\nran\tV\nfar\tN\n"
TEST = "dogs\tN\nrun\tV\r\n\r\ncat\tN"


def write(folder, train=TRAIN, dev=DEV, test=TEST):
    for name, text in (("train", train), ("dev", dev), ("test", test)):
        content = text if isinstance(text, bytes) else text.encode()
        (folder / f"x.{name}.conll").write_bytes(content)
    return folder


def load(folder):
    return load_tagging(TaggingConfig(path=str(folder)))


def refusal(folder) -> str:
    with pytest.raises(DataError) as refused:
        load(folder)
    line = str(refused.value)
    assert "\n" not in line
    return line


def test_the_published_split_in_its_order(tmp_path):
    task = load(write(tmp_path))
    assert task.inputs["tokens"].shape == (6, 4, FEATURES)
    split = task.split(prng.stream_key("split", 3), None)
    assert [np.asarray(part).tolist() for part in split] == [[0, 1, 2], [3], [4, 5]]
    # Tags by their names: D, N, V.
    assert task.targets.tolist() == [
        [0, 1, 2, -1],
        [0, 1, -1, -1],
        [2, -1, -1, -1],
        [0, 1, 2, 1],
        [1, 2, -1, -1],
        [1, -1, -1, -1],
    ]
    assert np.array_equal(task.inputs["mask"], task.targets >= 0)
    assert task.weight(jnp.asarray(task.targets)).tolist() == [3, 2, 1, 4, 2, 1]
    assert task.outputs == (4, 3)
    assert "3 sentences with 6 words to train" in task.remarks[0]


def test_ids_tell_known_from_unknown_and_padding(tmp_path):
    task = load(write(tmp_path))
    tokens = task.inputs["tokens"]
    assert tokens[0, 0, WORD] == tokens[1, 0, WORD] == tokens[3, 0, WORD]  # the, twice
    assert tokens[0, 1, WORD] == tokens[3, 1, WORD] == unknown(WORD)  # dog, zebra
    assert (tokens[~task.inputs["mask"]] == PADDING).all()
    assert (tokens[task.inputs["mask"]] > 0).all()
    assert tokens.max() < task.vocabulary
    # Each place has ids of its own.
    used = [set(np.unique(tokens[:, :, i])) - {PADDING} for i in range(FEATURES)]
    assert sum(map(len, used)) == len(set.union(*used))


def test_the_constant_predictor_by_direct_count(tmp_path):
    task = load(write(tmp_path, train="a\tN\nb\tN\nc\tN\nd\tD\ne\tV\n"))
    assert task.metrics["accuracy"].constant_predictor == pytest.approx(2 / 3)
    wanted = -(2 * np.log(3 / 5) + np.log(1 / 5)) / 3
    assert task.metrics["loss"].constant_predictor == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("London", "Xx"),
        ("iPhone", "xXx"),
        ("won't", "x'x"),
        ("@someone_1", "@x_d"),
        ("9:30", "d:d"),
        ("!!!", "!"),
        ("http://t.co/aB", "url"),
        ("WWW.x.org", "url"),
        ("ß", "x"),
    ],
)
def test_shapes(word, wanted):
    assert shape(word) == wanted


def test_features_of_long_and_short_words():
    assert features("Walking") == ("walking", "g", "ng", "ing", "w", "wa", "Xx")
    assert len(features("a")) == len(features("")) == FEATURES


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"train": "a\tN\nb N\n"}, "x.train.conll: row 2: must be a word, a tab"),
        ({"train": "a\tN\textra\n"}, "row 1: must be a word"),
        ({"test": "a\tN\n\n\tN\n"}, "x.test.conll: row 3"),
        ({"dev": "a\t\n"}, "x.dev.conll: row 1"),
        ({"dev": "a\tN\n\nb\tQ\n"}, "x.dev.conll: row 3: the tag 'Q' is nowhere"),
        ({"dev": "\n\n"}, "x.dev.conll: holds no sentence"),
        ({"train": ""}, "x.train.conll: is empty"),
        ({"train": b"a\tN\n\xe9\tN\n"}, "row 2: is not UTF-8, byte 0xe9 at 4"),
    ],
)
def test_wrong_files_are_refused(tmp_path, changes, words):
    line = refusal(write(tmp_path, **changes))
    assert words in line
    assert str(tmp_path) in line


def test_missing_and_doubled_files_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"task\.path='': task\.name=tagging needs"):
        load_tagging(TaggingConfig())
    assert "does not exist" in refusal(tmp_path / "none")
    assert "no file has train in its name: it is empty" in refusal(tmp_path)
    write(tmp_path)
    assert "must be a folder" in refusal(tmp_path / "x.dev.conll")
    (tmp_path / "test.txt").write_text(TEST)
    assert "2 files have test in its name" in refusal(tmp_path)


def test_a_word_may_be_any_sign(tmp_path):
    write(tmp_path, test='\u00a0\tN\n\u2028\tV\n"\tN\n#\tN\n')
    [sentence] = read_sentences(tmp_path / "x.test.conll")
    assert [word.text for word in sentence] == ["\u00a0", "\u2028", '"', "#"]
    assert [word.row for word in sentence] == [1, 2, 3, 4]


@pytest.mark.skipif(not TWITTER.is_dir(), reason="no Twitter data beside the checkout")
def test_the_twitter_data():
    task = load(TWITTER)
    rows = (task.rows.train, task.rows.validation, task.rows.test)
    assert rows == (1000, 327, 500)
    words = np.asarray(task.weight(jnp.asarray(task.targets)))
    assert [words[:1000].sum(), words[1000:1327].sum(), words[1327:].sum()] == [
        14619,
        4823,
        7152,
    ]
    assert task.outputs == (38, 25)
    train, test = (
        read_sentences(find_part(TWITTER, part)) for part in ("train", "test")
    )
    assert most_frequent_tags(train, test) == pytest.approx(0.7037, abs=1e-4)
    # Hardly a word of the test part is unknown in all that is seen of it.
    tested = task.inputs["tokens"][1327:][task.inputs["mask"][1327:]]
    unseen = tested == np.arange(1, FEATURES + 1)
    assert unseen[:, WORD].mean() > 0.2
    assert unseen.all(axis=1).mean() < 0.01
