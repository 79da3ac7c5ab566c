"""A masked language model of ours: trained a little, saved, operated on, read again."""

import json
from pathlib import Path

import jax
import pytest

from research.cli import main as launch
from research.config_values import from_mapping
from research.errors import ConfigError
from research.surgery import practice
from research.surgery.checkpoint import read_checkpoint
from research.surgery.reading import read_pretrained

SMALL = (
    "--config.seeds=2",
    "--config.epochs=2",
    "--config.task.length=16",
    "--config.task.train_samples=32",
    "--config.task.validation_samples=8",
    "--config.task.test_samples=16",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("practice") / "bert"
    small = {"hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 32}
    task = {**practice.TRAINING["task"], "length": 16, "train_samples": 64}
    training = {**practice.TRAINING, "task": task, "epochs": 60}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(practice, "PUBLISHED", practice.PUBLISHED | small)
        loss = practice.make(folder, from_mapping(training))
    # A model that knows nothing has ln 400, 5.99.
    assert 4 < loss < 5.9
    return folder


def test_a_model_of_ours_is_swapped_tuned_judged_and_saved(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    argv = ["surgery", f"--checkpoint={made}", "--activations=relu", *SMALL]
    assert launch([*argv, "--workdir=out"]) == 0
    told = json.loads(Path("out/results/summary.json").read_text())
    assert list(told["arms"]) == ["gelu", "relu", "relu~tuned", "gelu~tuned"]
    assert (told["loss"], told["head"]) == ("language", "masked_lm")
    [comparison] = told["tuned"]["comparisons"]
    assert (comparison["arm"], comparison["reference"]) == ("relu", "gelu")
    assert told["tuned"]["pairing"]["verified"]
    tuned = told["arms"]["relu~tuned"]["head"]["loss"]["value"]
    assert tuned != told["arms"]["relu"]["head"]["loss"]["value"]
    header, first, *_ = Path("out/tuned/results/per_seed.csv").read_text().splitlines()
    row = dict(zip(header.split(","), first.split(","), strict=True))
    assert row["arm"] == "gelu"
    kept = told["arms"]["gelu~tuned"]["head"]["loss"]["value"]
    assert float(row["test_loss"]) == pytest.approx(kept, rel=1e-5)
    saved = read_checkpoint(Path("out/models/relu"))
    assert saved.activation == "relu"
    before, after = (
        read_pretrained(each).params for each in (read_checkpoint(made), saved)
    )
    assert jax.tree.structure(before) == jax.tree.structure(after)
    moved = jax.tree.map(lambda x, y: bool((x != y).any()), before, after)
    assert all(jax.tree.leaves(moved["transformer"]["layers"]))


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path):
    (tmp_path / "mine").write_text("")
    with pytest.raises(ConfigError, match="must be a new or an empty folder"):
        practice.make(tmp_path, from_mapping(practice.TRAINING))
