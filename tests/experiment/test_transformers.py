"""Transformers as models of an experiment, from config to verdict."""

import io
import json

import pytest
from rich.console import Console

from research.config_values import from_mapping
from research.errors import ConfigError
from research.experiment import compare
from research.experiment.prepare import prepare
from research.training.cost import step_flops

TINY = {
    "activations": "relu,gelu,swiglu",
    "seeds": 2,
    "epochs": 2,
    "batch_size": 16,
    "task": {"samples": 120, "test_samples": 40, "validation_samples": 40},
    # The two coordinates of a row of make_moons are its two frames.
    "model": {
        "name": "vit",
        "width": 8,
        "depth": 1,
        "heads": 2,
        "ffn": 48,
        "patch": 1,
        "dropout": 0.1,
    },
    "compute": {"devices": 1},
    "tensorboard": {"seeds": 0},
}


@pytest.mark.slow
def test_arms_are_trained_and_paired(tmp_path):
    folder = tmp_path / "run"
    compare(TINY, workdir=folder, console=Console(file=io.StringIO()))
    summary = json.loads((folder / "results/summary.json").read_text())
    told = "ViT 1×8, 2 heads, FFN 48, pre-norm, 2 patches of 1 frames"
    assert summary["model"] == told
    assert summary["initializer"] == "lecun_normal"
    assert summary["pairing"]["verified"]
    counts = [arm["parameters"] for arm in summary["arms"].values()]
    assert counts[0] == counts[1]
    assert abs(counts[2] - counts[0]) < 0.01 * counts[0]
    shares = summary["pairing"]["weights_share_by_arm"]
    assert shares["gelu"] == 1
    assert 0 < shares["swiglu"] < 1


def test_every_arm_is_a_problem_whose_step_costs_alike():
    experiment = prepare(from_mapping(TINY))
    costs = [step_flops(p, experiment.data) for p in experiment.problems.values()]
    assert costs[0] == costs[1]
    assert abs(costs[2] - costs[0]) < 0.03 * costs[0]


@pytest.mark.parametrize(
    ("task", "model", "told"),
    [
        ("digits", "vit", "16 patches of 2×2"),
        ("char_lm", "lm", "8 tokens of 5"),
        ("masked_lm", "masked_lm", "8 tokens of 6"),
    ],
)
def test_each_model_fits_its_task(tmp_path, task, model, told):
    (tmp_path / "text.txt").write_text("abcde" * 100)
    text = {"path": str(tmp_path / "text.txt"), "context": 8}
    changes = {
        "activations": "gelu,prelu",
        "vary": "init,order",
        "task": {"name": task} | ({} if task == "digits" else text),
        "model": {"name": model, "width": 8, "depth": 1, "heads": 2, "ffn": 12},
    }
    experiment = prepare(from_mapping({**TINY, **changes}))
    assert experiment.describe().endswith(told)
    for problem in experiment.problems.values():
        assert step_flops(problem, experiment.data) > 0


@pytest.mark.parametrize("name", ["lm", "masked_lm", "tagger"])
def test_a_model_of_tokens_is_refused_on_rows_of_numbers(name):
    model = {"name": name}
    with pytest.raises(ConfigError, match=f"model.name={name}: takes"):
        prepare(from_mapping({**TINY, "model": model}))
