"""Language modelling by characters: the text, its parts, its masks, its baselines."""

import hashlib
import itertools
import math
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from baselines import trigram_bits
from hypothesis import given
from hypothesis import strategies as st

from research import prng
from research.errors import ConfigError, DataError
from research.task_configs import CharLMConfig, MaskedLMConfig
from research.tasks.char_lm import load_char_lm, next_characters
from research.tasks.masked_lm import load_masked_lm
from research.tasks.text import encode, read_parts
from research.tasks.tokens import token_accuracy, token_loss

ROOT = Path(__file__).parents[2]
# The text of Python 3.11, of which the trials speak.
KNOWN = "2a95af4ac93f5b719944030ce3769070ddf827d847cba42192afa8da989e5dc4"


@pytest.fixture(scope="module")
def char_lm():
    return load_char_lm(CharLMConfig())


@pytest.fixture(scope="module")
def masked_lm():
    return load_masked_lm(MaskedLMConfig())


def parts_of(task):
    return task.split(prng.stream_key("split", 0), None)


def write(tmp_path, content) -> str:
    path = tmp_path / "a.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def refusal(load, config) -> str:
    with pytest.raises(DataError) as refused:
        load(config)
    assert "\n" not in str(refused.value)
    return str(refused.value)


# The text.


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_ids_and_alphabet_give_the_text_back(text):
    ids, alphabet = encode(text)
    assert "".join(alphabet[i] for i in ids) == text
    assert list(alphabet) == sorted(set(text))


def test_parts_follow_one_another_and_are_complete(tmp_path):
    text = "".join(map(chr, range(300, 400)))
    config = CharLMConfig(path=write(tmp_path, text), context=4, test_fraction=0.15)
    parts = read_parts(config, least=5)
    assert [len(part) for part in parts[:3]] == [75, 10, 15]
    assert "".join(parts.alphabet[i] for i in np.concatenate(parts[:3])) == text
    assert any("100 characters" in remark for remark in parts.remarks)
    assert any("training part lacks" in remark for remark in parts.remarks)


def test_line_ends_and_a_byte_order_mark(tmp_path):
    text = "one\r\ntwo\u2028three\n" * 20
    path = write(tmp_path, b"\xef\xbb\xbf" + text.encode())
    parts = read_parts(CharLMConfig(path=path, context=4), least=5)
    assert "".join(parts.alphabet[i] for i in np.concatenate(parts[:3])) == text
    assert hashlib.sha256(text.encode()).hexdigest() in parts.remarks[0]


def test_the_default_text_is_the_same_in_every_process(char_lm):
    program = (
        "from research.task_configs import CharLMConfig as C\n"
        "from research.tasks.text import read_parts\n"
        "print(read_parts(C(), least=65).remarks[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == char_lm.remarks[0]
    assert f"Python 3.{sys.version_info.minor}'s pydoc_data" in char_lm.remarks[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a\nb\xff", "row 2: is not UTF-8, byte 0xff at 3"),
        (b"short", "is too short, its training part has 4 of 5 characters"),
        (
            b"a" * 200,
            "its validation part has 20 of 200 characters and one row needs 65",
        ),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "b.txt"])
def test_texts_that_cannot_be_read_are_refused(tmp_path, content, words, name):
    path = write(tmp_path, content)
    if name == "a.txt":
        line = refusal(load_char_lm, CharLMConfig(path=path))
        assert words in line
        assert path in line
    else:
        line = refusal(load_char_lm, CharLMConfig(path=str(tmp_path / name)))
        assert "b.txt: does not exist; did you mean a.txt?" in line


def test_a_folder_and_fractions_that_leave_nothing_are_refused(tmp_path):
    assert "cannot be read" in refusal(load_char_lm, CharLMConfig(path=str(tmp_path)))
    with pytest.raises(ConfigError, match=r"task\.test_fraction=0\.5"):
        load_char_lm(CharLMConfig(test_fraction=0.5, validation_fraction=0.5))


# The next character.


def test_every_character_is_predicted_once_from_the_one_before(char_lm):
    parts = read_parts(CharLMConfig(), least=65)
    rows = parts_of(char_lm)
    assert np.concatenate(rows).tolist() == list(range(len(char_lm.inputs)))
    for part, own in zip(parts[:3], rows, strict=True):
        own = np.asarray(own)
        flat = char_lm.targets[own].reshape(-1)
        assert np.array_equal(flat, part[1 : len(flat) + 1])
        assert np.array_equal(char_lm.inputs[own].reshape(-1), part[: len(flat)])
        assert 0 <= len(part) - 1 - len(flat) < 64


def test_a_part_of_one_row_has_one():
    inputs, targets = next_characters(np.arange(9), context=8)
    assert inputs.tolist() == [list(range(8))]
    assert targets.tolist() == [list(range(1, 9))]


def test_shapes_and_vocabulary(char_lm, masked_lm):
    letters = char_lm.vocabulary
    assert char_lm.outputs == masked_lm.outputs == (64, letters)
    assert masked_lm.vocabulary == letters + 1
    assert char_lm.inputs.dtype == masked_lm.targets.dtype == np.int32
    assert masked_lm.transform((), masked_lm.inputs).max() == letters  # the mask


@pytest.mark.parametrize("name", ["char_lm", "masked_lm"])
def test_constant_predictors_are_the_unigrams(name, request):
    task = request.getfixturevalue(name)
    parts = read_parts(CharLMConfig(), least=65)
    counts = np.ones(len(parts.alphabet))
    for letter in parts.train:
        counts[letter] += 1
    tested = task.targets[np.asarray(parts_of(task).test)].reshape(-1)
    tested = tested[tested >= 0]
    bits = np.mean([-math.log2(counts[i] / counts.sum()) for i in tested])
    known = {name: m.constant_predictor for name, m in task.metrics.items()}
    assert task.primary == "bits_per_character"
    assert known["bits_per_character"] == pytest.approx(bits)
    assert known["loss"] == pytest.approx(bits * math.log(2))
    assert known["perplexity"] == pytest.approx(2**bits)
    assert known["accuracy"] == (tested == counts.argmax()).mean()


def test_a_trigram_model_is_far_better_than_unigrams(char_lm):
    parts = read_parts(CharLMConfig(), least=65)
    bits = trigram_bits(parts.train, parts.test, letters=len(parts.alphabet))
    if KNOWN in char_lm.remarks[0]:
        assert bits == pytest.approx(2.57, abs=0.01)
    assert 1.5 < bits < char_lm.metrics["bits_per_character"].constant_predictor - 1


def test_metrics_are_those_of_the_formulas(char_lm):
    logits = jnp.log(jnp.asarray([[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]]))
    targets = jnp.asarray([[0, 2]])
    nats = -(math.log(0.5) + math.log(0.1)) / 2
    metrics = char_lm.metrics
    known = {
        "loss": nats,
        "bits_per_character": nats / math.log(2),
        "perplexity": math.exp(nats),
        "accuracy": 0.5,
    }
    for name, value in known.items():
        mean = metrics[name].fn(logits, targets).mean()
        assert float(metrics[name].of_mean(mean)) == pytest.approx(value, rel=1e-5)
        assert metrics[name].higher_is_better == (name == "accuracy")


def test_perplexity_stays_finite_where_the_loss_does(char_lm):
    of_mean = char_lm.metrics["perplexity"].of_mean
    for mean in (np.asarray([1.0, 5000.0]), jnp.asarray([1.0, 5000.0])):
        np.testing.assert_allclose(of_mean(mean), np.exp([1, 80]), rtol=1e-5)
    assert np.isnan(of_mean(jnp.asarray(np.nan)))


def test_positions_without_a_target_do_not_count():
    logits = jax.random.normal(jax.random.key(0), (2, 3, 5))
    targets = jnp.asarray([[1, -1, 4], [-1, -1, -1]])
    both = jnp.asarray([[1, 4]])
    alone = logits[:1, jnp.asarray([0, 2])]
    for fn in (token_loss, token_accuracy):
        value = fn(logits, targets)
        assert float(value[0]) == pytest.approx(float(fn(alone, both)[0]), rel=1e-6)
        assert float(value[1]) == 0


# Masks.


def check_masks(tokens, masked, targets, *, mask):
    """Checks the shares of a text's masks within five standard deviations."""
    chosen = targets != -1
    assert np.array_equal(targets[chosen], tokens[chosen])
    assert np.array_equal(masked[~chosen], tokens[~chosen])

    def near(count, of, share):
        return abs(count - of * share) < 5 * math.sqrt(of * share * (1 - share))

    n = int(chosen.sum())
    assert near(n, tokens.size, 0.15)
    assert near((masked[chosen] == mask).sum(), n, 0.8)
    # A random character is the old one once in `mask` times.
    changed = chosen & (masked != mask) & (masked != tokens)
    assert near(changed.sum(), n, 0.1 * (1 - 1 / mask))
    assert len(np.unique(masked[changed])) == mask


def test_evaluation_masks_are_fixed(masked_lm):
    again = load_masked_lm(MaskedLMConfig())
    assert np.array_equal(again.inputs["masked"], masked_lm.inputs["masked"])
    assert np.array_equal(again.targets, masked_lm.targets)
    tokens, masked = masked_lm.inputs["tokens"], masked_lm.inputs["masked"]
    check_masks(tokens, masked, masked_lm.targets, mask=masked_lm.vocabulary - 1)


def test_training_masks_are_drawn_by_the_key(masked_lm):
    inputs = jax.tree.map(jnp.asarray, masked_lm.inputs)
    targets = jnp.asarray(masked_lm.targets)
    augment = jax.jit(masked_lm.augment)
    draws = [augment(prng.stream_key("dropout", i), inputs, targets) for i in (0, 0, 1)]
    made = [np.asarray(masked_lm.transform((), each)) for each, _ in draws]
    assert np.array_equal(made[0], made[1])
    assert (made[0] != made[2]).mean() > 0.1
    for masked, (_, new) in zip(made, draws, strict=True):
        check_masks(
            masked_lm.inputs["tokens"],
            masked,
            np.asarray(new),
            mask=masked_lm.vocabulary - 1,
        )


def test_a_row_weighs_its_masks(masked_lm):
    weights = np.asarray(masked_lm.weight(jnp.asarray(masked_lm.targets)))
    assert np.array_equal(weights, (masked_lm.targets >= 0).sum(axis=1))


def test_masked_rows_hold_every_character_once(masked_lm):
    parts = read_parts(MaskedLMConfig(), least=64)
    for part, rows in zip(parts[:3], parts_of(masked_lm), strict=True):
        flat = masked_lm.inputs["tokens"][np.asarray(rows)].reshape(-1)
        assert np.array_equal(flat, part[: len(flat)])
    ends = [np.asarray(rows) for rows in parts_of(masked_lm)]
    assert all(a[-1] + 1 == b[0] for a, b in itertools.pairwise(ends))
