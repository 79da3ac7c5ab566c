"""Elementwise, gated and parametric arms side by side, from config to verdict."""

import io
import json

import jax.numpy as jnp
import numpy as np
import pytest
from rich.console import Console

from research.activations.catalog import lookup
from research.config_values import from_mapping
from research.errors import ConfigError
from research.experiment import compare
from research.experiment.prepare import prepare
from research.reporting.sentences import held_equal

WORDS = "relu,swiglu,glu,prelu,swish,leaky_relu(negative_slope=0.3)"
SLUGS = ["relu", "swiglu", "glu", "prelu", "silu", "leaky_relu-negative_slope-0.3"]
TINY = {
    "activations": WORDS,
    "seeds": 3,
    "epochs": 2,
    "batch_size": 16,
    "task": {"samples": 200, "test_samples": 40, "validation_samples": 40},
    "model": {"hidden": (8,)},
    "compute": {"devices": 1},
    "tensorboard": {"seeds": 0},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds") / "run"
    compare(TINY, workdir=folder, console=Console(file=io.StringIO()))
    return folder


@pytest.fixture(scope="module")
def summary(run):
    return json.loads((run / "results/summary.json").read_text())


def test_every_arm_is_there_with_its_parameters(summary):
    assert list(summary["arms"]) == SLUGS
    counts = [arm["parameters"] for arm in summary["arms"].values()]
    # 2-8-1 has 33; gated, 2-5-1 has 2·15 + 6 = 36 and 2-4-1 has 29: 36 is nearer.
    assert counts == [33, 36, 36, 34, 33, 33]
    kinds = [arm["kind"] for arm in summary["arms"].values()]
    assert kinds == ["elementwise", *["gated"] * 2, "parametric", *["elementwise"] * 2]
    assert {c["verdict"] for c in summary["comparisons"]} == {"undecided"}


def test_pairing_says_what_was_compared(summary):
    pairing = summary["pairing"]
    assert pairing["verified"]
    shares = pairing["weights_share_by_arm"]
    assert shares["relu"] == shares["silu"] == 1
    assert shares["prelu"] == pytest.approx(33 / 34)
    assert shares["swiglu"] == pytest.approx(1 / 36)
    assert pairing["weights_share_compared"] == pytest.approx(1 / 36)
    told = held_equal(summary)
    assert "2.8 % of SwiGLU's" in told
    assert "initial weights of its own" in told


def test_what_a_reader_should_know_is_told(summary):
    told = " ".join(summary["warnings"])
    assert "swish is read as silu" in told
    assert "swiglu has 36 parameters (gated MLP 2-5-1), +9.1 % against 33" in told
    assert "prelu has 34 parameters (MLP 2-8-1), +3 % against 33 of relu" in told


def test_figures_show_the_curves(run):
    with np.load(run / "results/figures.npz") as pictures:
        x = jnp.asarray(pictures["activation/x"])
        for slug, word in zip(SLUGS, WORDS.split(","), strict=True):
            np.testing.assert_allclose(
                pictures[f"activation/{slug}/value"], lookup(word).curve(x), rtol=1e-6
            )
            slope = pictures[f"activation/{slug}/derivative"]
            assert np.isfinite(slope).all()
    assert (run / "figures/activations.png").is_file()
    assert "drawn over its gate" in (run / "report.html").read_text()


def test_silent_units_are_counted_for_every_kind(summary):
    zero = {slug: arm["zero_units"] for slug, arm in summary["arms"].items()}
    assert 0.2 < zero["relu"] < 0.8
    assert zero["swiglu"] == zero["prelu"] == 0


OWN = """
import jax, jax.numpy as jnp

def one(*, activation, inputs, outputs):
    def init(key):
        return {"w": jax.random.normal(key, (inputs, outputs))}, ()

    def apply(params, state, x, *, key, train):
        return activation(x @ params["w"]), state

    return init, apply

def gated(*, activation, inputs, outputs):
    init, _ = one(activation=activation, inputs=inputs, outputs=outputs)

    def apply(params, state, x, *, key, train):
        return activation(x @ params["w"], x @ params["w"]), state

    return init, apply
"""


def test_a_users_model_calls_each_kind_as_it_is(tmp_path):
    (tmp_path / "own.py").write_text(OWN)

    def config(function, activations):
        model = {"name": f"{tmp_path}/own.py:{function}"}
        return from_mapping({**TINY, "model": model, "activations": activations})

    with pytest.raises(ConfigError, match=r"swiglu is gated.*activation\(gate, value"):
        prepare(config("one", "relu,swiglu"))
    assert len(prepare(config("gated", "glu,swiglu")).problems) == 2
