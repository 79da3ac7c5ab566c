"""The configs of vision, language and speech through the real launcher: what they reach."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from baselines import most_frequent_tags, trigram_bits

from research.task_configs import CharLMConfig
from research.tasks.conll import find_part, read_sentences
from research.tasks.text import read_parts

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared/data"


def scores(workdir: Path, config: str, metric: str, *flags: str) -> np.ndarray:
    """Trains two seeds of two arms of a config and returns their scores."""
    words = [
        f"--config=configs/{config}.py",
        "--config.seeds=2",
        f"--workdir={workdir}",
    ]
    done = subprocess.run(
        [sys.executable, "launch.py", *words, *flags],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    with (workdir / "results/per_seed.csv").open() as lines:
        return np.array([float(row[metric]) for row in csv.DictReader(lines)])


@pytest.mark.slow
def test_the_vit_reads_digits(tmp_path):
    assert scores(tmp_path, "digits_vit", "test_accuracy").mean() >= 0.94


@pytest.mark.slow
def test_the_language_model_beats_trigrams_of_the_same_text(tmp_path):
    parts = read_parts(CharLMConfig(), least=1)
    trigram = trigram_bits(parts.train, parts.test, letters=len(parts.alphabet))
    two = "--config.activations=gelu,relu"
    assert scores(tmp_path, "char_lm", "test_bits_per_character", two).max() < trigram


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "twitter_pos").is_dir(), reason="no Twitter data")
def test_the_tagger_beats_the_most_frequent_tags(tmp_path):
    path = SHARED / "twitter_pos"
    train, test = (read_sentences(find_part(path, part)) for part in ("train", "test"))
    least = most_frequent_tags(train, test) + 0.05
    flags = (f"--config.task.path={path}", "--config.activations=relu,gelu")
    assert scores(tmp_path, "tagging", "test_accuracy", *flags).mean() >= least


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "spoken_digits").is_dir(), reason="no recordings")
def test_spoken_digits_are_heard(tmp_path):
    path = f"--config.task.path={SHARED / 'spoken_digits'}"
    assert scores(tmp_path, "spoken_digits", "test_accuracy", path).mean() >= 0.9
