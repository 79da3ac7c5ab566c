"""`compare` from Python: what a run writes, that it repeats, and what it refuses."""

import contextlib
import csv
import dataclasses
import io
import json
import math
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tiny_runs import TINY

from research import compare
from research.errors import AllDiverged, ConfigError, InvalidComparison, Refusal
from research.experiment import lanes, observers
from research.experiment import run_folder as module
from research.records.events import ArmFinished, RunFinished, RunStarted
from research.records.folder import RunFolder
from research.training import run as training

COLUMNS = (
    "arm,learning_rate,seed,status,steps,test_accuracy,test_loss,test_accuracy_last,"
    "test_loss_last,validation_accuracy,validation_loss,best_epoch,zero_units,dead_units"
)
# Another plan changes rounding: by a few units in the last place after five epochs.
ROUNDING = 1e-6


@pytest.fixture(scope="module")
def unshown():
    """Runs without report and table, which have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.reporting.report.write_report", lambda root: {})
        patch.setattr(module, "print_verdict", lambda *args, **options: None)
        yield


@pytest.fixture(scope="module")
def run(unshown):
    """Returns a function that compares with some fields of the tiny config changed."""

    def run(workdir: Path, **changes: Any) -> dict[str, Any]:
        return compare(
            {**TINY, **changes},
            workdir=workdir,
            command="a test",
            console=Console(file=io.StringIO()),
        )

    return run


@pytest.fixture(scope="module")
def finished(run, tmp_path_factory):
    """A finished run: its folder and its summary."""
    root = tmp_path_factory.mktemp("finished")
    return RunFolder(root), json.loads(json.dumps(run(root)))


def rows_of(folder: RunFolder) -> list[dict[str, str]]:
    with folder.per_seed.open(newline="") as file:
        return list(csv.DictReader(file))


def without_times(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {
            name: without_times(value)
            for name, value in tree.items()
            if not name.endswith("_seconds")
        }
    return [without_times(item) for item in tree] if isinstance(tree, list) else tree


def test_the_folder_holds_what_it_should(finished):
    folder, summary = finished
    assert json.loads(folder.summary.read_text()) == summary
    assert folder.per_seed.read_text().splitlines()[0] == COLUMNS
    rows = rows_of(folder)
    assert [(row["arm"], int(row["seed"])) for row in rows] == [
        (arm, seed) for arm in ("relu", "gelu") for seed in range(8)
    ]
    assert {row["status"] for row in rows} == {"done"}
    assert {row["steps"] for row in rows} == {"35"}
    with np.load(folder.curves) as curves:
        assert curves["seeds"].tolist() == list(range(8))
        for arm in ("relu", "gelu"):
            for name in ("train_loss", "validation_loss", "validation_accuracy"):
                assert curves[f"{arm}/{name}"].shape == (8, 6)
                assert curves[f"{arm}/{name}"].dtype == np.float32
    with np.load(folder.test_correct) as correct:
        for arm in ("relu", "gelu"):
            means = [float(row["test_accuracy"]) for row in rows if row["arm"] == arm]
            np.testing.assert_allclose(correct[arm].mean(axis=1), means)
    with np.load(folder.figures) as figures:
        assert (
            figures["activation/gelu/derivative"].shape == figures["activation/x"].shape
        )
        assert figures["boundary/relu"].shape == (160, 160)
        assert 0 <= figures["boundary/relu"].min() < figures["boundary/relu"].max() <= 1
    manifest = json.loads(folder.manifest.read_text())
    assert manifest["command"] == "a test"
    assert set(manifest["data_sha256"]) == {"inputs", "targets"}
    assert "epoch 5" in folder.log.read_text()


def test_the_summary_follows_the_table(finished):
    folder, summary = finished
    assert summary["schema"] == 1
    assert list(summary["arms"]) == ["relu", "gelu"]
    assert summary["pairing"] == {
        "verified": True,
        "seeds_checked": 8,
        "weights_share_compared": 1.0,
        "weights_share_by_arm": {"relu": 1.0, "gelu": 1.0},
        "identical_arms": [],
    }
    scores = {
        arm: np.array(
            [
                float(row["test_accuracy"])
                for row in rows_of(folder)
                if row["arm"] == arm
            ]
        )
        for arm in summary["arms"]
    }
    for arm, values in scores.items():
        assert summary["arms"][arm]["mean"] == pytest.approx(values.mean())
        assert summary["arms"][arm]["std"] == pytest.approx(values.std(ddof=1))
        assert summary["arms"][arm]["parameters"] == 33
        assert summary["arms"][arm]["diverged"] == 0
    [comparison] = summary["comparisons"]
    assert (comparison["arm"], comparison["reference"]) == ("gelu", "relu")
    differences = scores["gelu"] - scores["relu"]
    np.testing.assert_allclose(comparison["differences"], differences, atol=1e-12)
    assert summary["trainings"] == 16
    assert comparison["noise"]["mean"] == pytest.approx(comparison["mean_difference"])
    assert summary["ceiling"] == pytest.approx(0.971, abs=1e-3)


def test_the_saved_config_gives_the_same_bytes_again(finished, unshown, tmp_path):
    folder, summary = finished
    again = RunFolder(tmp_path)
    repeated = compare(
        json.loads(folder.config.read_text()),
        workdir=tmp_path,
        console=Console(file=io.StringIO()),
    )
    for name in ("per_seed", "curves", "test_correct", "figures", "config"):
        mine, theirs = getattr(folder, name), getattr(again, name)
        assert mine.read_bytes() == theirs.read_bytes(), name
    assert without_times(json.loads(json.dumps(repeated))) == without_times(summary)


def test_the_ledger_is_written_before_the_scores(run, tmp_path, monkeypatch):
    compile_programs = lanes.compile_programs

    def crashing(*args):
        programs, data = compile_programs(*args)

        def score(*args):
            raise RuntimeError("crashed while scoring")

        scoring = Future()
        scoring.set_result(score)
        return dataclasses.replace(programs, scoring=scoring), data

    monkeypatch.setattr(lanes, "compile_programs", crashing)
    with pytest.raises(RuntimeError, match="crashed while scoring"):
        run(tmp_path)
    [opening] = json.loads(RunFolder(tmp_path).ledger.read_text())["openings"]
    assert (opening["arm"], opening["attempt"]) == ("relu", 1)
    assert opening["seeds"] == list(range(8))
    assert not RunFolder(tmp_path).per_seed.exists()


def test_a_folder_takes_one_run_alone(run, tmp_path):
    run(tmp_path)
    before = RunFolder(tmp_path).per_seed.read_bytes()
    with pytest.raises(ConfigError, match=r"another config.*first_seed"):
        run(tmp_path, first_seed=5)
    assert RunFolder(tmp_path).per_seed.read_bytes() == before


def test_a_model_that_drops_what_its_activation_gives_is_refused(run, tmp_path):
    net = tmp_path / "net.py"
    net.write_text(
        "import jax.numpy as jnp\n"
        "from flax import nnx\n\n"
        "class Net(nnx.Module):\n"
        "    def __init__(self, activation, inputs, outputs, rngs):\n"
        "        self.layer = nnx.Linear(inputs, outputs, rngs=rngs)\n"
        "        self.activation = activation\n\n"
        "    def __call__(self, x):\n"
        "        self.activation(x)\n"
        "        return self.layer(x)\n"
    )
    with pytest.raises(InvalidComparison, match="does not use what its activation"):
        run(tmp_path / "run", model={"name": f"{net}:Net"})


def test_one_function_under_two_names_is_called_identical(run, tmp_path):
    twin = tmp_path / "twin.py"
    twin.write_text(
        "import jax.numpy as jnp\n\ndef same(x):\n    return jnp.where(x <= 0, 0, x)\n"
    )
    summary = run(tmp_path / "run", activations=f"relu,{twin}:same")
    [comparison] = summary["comparisons"]
    assert comparison["arm"] == "twin.same"
    assert comparison["verdict"] == "equivalent"
    assert "identical" in comparison["note"]
    assert summary["pairing"]["identical_arms"] == [["relu", "twin.same"]]
    assert any("relu and twin.same" in warning for warning in summary["warnings"])


def test_arms_that_all_diverge_are_written_and_told(run, tmp_path):
    with pytest.raises(AllDiverged, match=r"all 8 lanes.*after 1 steps") as refusal:
        run(tmp_path, optimizer={"learning_rate": 1e30})
    assert refusal.value.exit_code == 5
    folder = RunFolder(tmp_path)
    summary = json.loads(folder.summary.read_text())
    rows = rows_of(folder)
    assert {row["status"] for row in rows} == {"diverged"}
    assert {row["steps"] for row in rows} == {"1"}
    assert {float(row["test_accuracy"]) for row in rows} == {0.5}
    for arm in summary["arms"].values():
        assert (arm["seeds"], arm["diverged"]) == (8, 8)
        assert arm["survivors"] == {"n": 0, "mean": None}
    assert summary["pairing"]["verified"]


def test_one_seed_gives_its_row_and_no_verdict(finished, run, tmp_path):
    summary = run(tmp_path, first_seed=5, seeds=1)
    [comparison] = summary["comparisons"]
    assert comparison["n"] == 1
    assert comparison["verdict"] == "undecided"
    assert "no verdict" in comparison["note"]
    assert summary["arms"]["relu"]["std"] is None
    # It is the row that the same seed has among eight.
    rows = rows_of(RunFolder(tmp_path))
    whole = [row for row in rows_of(finished[0]) if row["seed"] == "5"]
    for mine, theirs in zip(rows, whole, strict=True):
        for name in COLUMNS.split(","):
            if name in ("arm", "status", "seed", "steps", "best_epoch"):
                assert mine[name] == theirs[name]
            else:
                near = pytest.approx(float(theirs[name]), abs=ROUNDING)
                assert float(mine[name]) == near, name


def test_the_last_parameters_may_be_the_ones_that_count(finished, run, tmp_path):
    summary = run(tmp_path, selection="last")
    assert summary["primary_metric"] == "test_accuracy_last"
    assert rows_of(RunFolder(tmp_path)) == rows_of(finished[0])
    scores = [float(row["test_accuracy_last"]) for row in rows_of(RunFolder(tmp_path))]
    assert summary["arms"]["relu"]["mean"] == pytest.approx(np.mean(scores[:8]))


def test_a_broken_observer_never_stops_the_training(
    finished, run, tmp_path, monkeypatch
):
    def fails(event):
        raise OSError("the disk is full")

    broken = {
        "log_observer": lambda path: fails,
        "progress_observer": lambda console: contextlib.nullcontext(fails),
    }
    for name, observer in broken.items():
        monkeypatch.setattr(observers, name, observer)
    summary = run(tmp_path)
    assert (
        RunFolder(tmp_path).per_seed.read_bytes() == finished[0].per_seed.read_bytes()
    )
    assert [warning for warning in summary["warnings"] if "disk" in warning] == [
        f"{name} stopped: OSError: the disk is full" for name in ("progress", "log")
    ]


def test_observers_are_told_the_run_in_order(run, tmp_path, monkeypatch):
    seen: list = []
    monkeypatch.setattr(observers, "log_observer", lambda path: seen.append)
    summary = run(tmp_path)
    assert isinstance(seen[0], RunStarted)
    assert isinstance(seen[-1], RunFinished)
    assert seen[0].seeds == tuple(range(8))
    assert seen[-1].summary == summary
    arms = [event for event in seen if isinstance(event, ArmFinished)]
    assert [event.arm for event in arms] == ["relu", "gelu"]
    table = rows_of(RunFolder(tmp_path))
    assert [str(v) for v in arms[1].scores["test_loss"].tolist()] == [
        row["test_loss"] for row in table[8:]
    ]


def test_arms_that_are_not_paired_get_no_verdict(run, tmp_path, monkeypatch):
    def unpaired(problem, *args, arm, **options):
        for block in training.train_arm(problem, *args, arm=arm, **options):
            splits = block.splits + np.uint32(arm == "gelu")
            yield dataclasses.replace(block, splits=splits)

    monkeypatch.setattr(lanes, "train_arm", unpaired)
    with pytest.raises(InvalidComparison, match="gelu: the split differ") as refusal:
        run(tmp_path)
    assert refusal.value.exit_code == 4
    folder = RunFolder(tmp_path)
    assert len(rows_of(folder)) == 16  # what was trained is kept, without a verdict
    assert not folder.summary.exists()


OWN_MODELS = """
import jax, jax.numpy as jnp
from flax import linen, nnx

def pair(activation, init):
    def apply(params, state, x, *, key, train):
        return activation(x @ params["w"]).sum(axis=1, keepdims=True), state
    return init, apply

def deaf(*, activation, inputs, outputs):
    return pair(activation, lambda key: ({"w": jnp.ones((inputs, 4))}, ()))

def unwired(*, activation, inputs, outputs):
    draw = lambda key: ({"w": jax.random.normal(key, (inputs, 4))}, ())
    return pair(lambda x: x, draw)

class Net(nnx.Module):
    def __init__(self, activation, inputs, outputs, rngs):
        self.first = nnx.Linear(inputs, 4, rngs=rngs)
        self.last = nnx.Linear(4, outputs, rngs=rngs)
        self.activation = activation

    def __call__(self, x):
        return self.last(self.activation(self.first(x)))

def by_nnx(*, activation, inputs, outputs, rngs):
    return Net(activation, inputs, outputs, rngs)

class Flat(linen.Module):
    activation: object
    outputs: int

    @linen.compact
    def __call__(self, x):
        return linen.Dense(self.outputs)(self.activation(linen.Dense(4)(x)))

def by_linen(*, activation, inputs, outputs):
    return Flat(activation, outputs)
"""


@pytest.fixture
def own_models(tmp_path):
    path = tmp_path / "nets.py"
    path.write_text(OWN_MODELS)
    return path


def test_an_activation_that_is_never_called_is_no_comparison(run, own_models, tmp_path):
    with pytest.raises(InvalidComparison, match="never calls") as refusal:
        run(tmp_path / "run", model={"name": f"{own_models}:unwired"})
    assert refusal.value.exit_code == 4
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_an_init_that_ignores_its_key_is_no_comparison(run, own_models, tmp_path):
    with pytest.raises(InvalidComparison, match="does not use its key"):
        run(tmp_path / "run", model={"name": f"{own_models}:deaf"})


@pytest.mark.slow
@pytest.mark.parametrize("form", ["by_nnx", "by_linen"])
def test_own_models_are_compared(run, own_models, tmp_path, form):
    summary = run(tmp_path / "run", model={"name": f"{own_models}:{form}"})
    assert summary["pairing"]["verified"]
    assert summary["arms"]["gelu"]["parameters"] == 17
    assert summary["model"] == f"nets.{form}, 2 in and 1 out"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"activations": "relu"}, "two arms"),
        ({"activations": "relu,gleu"}, "did you mean gelu"),
        ({"seeds": 0}, "seeds=0"),
        ({"epocs": 3}, "did you mean epochs"),
        ({"optimizer": {"learning_rate": math.nan}}, "learning_rate=nan"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything(run, tmp_path, changes, words):
    with pytest.raises(ConfigError, match=words) as refusal:
        run(tmp_path / "run", **changes)
    assert isinstance(refusal.value, Refusal)
    assert not (tmp_path / "run").exists()
