"""A task whose targets are later inputs takes no model that sees ahead."""

import pytest
from tiny_runs import tiny_experiment

from research.errors import ConfigError

MODELS = """
import jax, jax.numpy as jnp


def build(activation, vocabulary, ahead):
    def init(key):
        return {"w": jax.random.normal(key, (vocabulary, vocabulary))}, {}

    def apply(params, state, tokens, *, key, train):
        hidden = activation(params["w"][tokens])
        seen = hidden.mean(axis=1, keepdims=True) if ahead else 0.0
        return hidden + seen, state

    return init, apply


def here(activation, inputs, outputs, vocabulary):
    return build(activation, vocabulary, ahead=False)


def ahead(activation, inputs, outputs, vocabulary):
    return build(activation, vocabulary, ahead=True)
"""


def experiment(folder, model):
    (folder / "text.txt").write_text("a quick brown fox jumps over the lazy dog; " * 30)
    (folder / "models.py").write_text(MODELS)
    return tiny_experiment(
        task={"name": "char_lm", "path": str(folder / "text.txt"), "context": 8},
        model={"name": model},
        vary="init,order",
    )


def test_the_masked_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"masked_lm: sees the .*use model.name=lm"):
        experiment(tmp_path, "masked_lm")


def test_a_model_of_ones_own_is_tried(tmp_path):
    own = tmp_path / "models.py"
    assert experiment(tmp_path, f"{own}:here").task.causal
    with pytest.raises(ConfigError, match="its outputs depend on later tokens"):
        experiment(tmp_path, f"{own}:ahead")
