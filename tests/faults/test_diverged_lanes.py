"""Lanes that blow up are frozen at their step, kept in every table, and touch no other."""

import csv
import io
import json
from pathlib import Path

import jax
import numpy as np
import pytest
from fault_runs import launch, one_line
from rich.console import Console
from tiny_runs import fixed_plan, numbers, tiny_experiment
from tiny_runs import train as train_lanes

from research.cli import main
from research.errors import AllDiverged
from research.experiment.variance import measure_variance
from research.records.folder import RunFolder
from research.reporting.figures import Drawn
from research.training.population import compile_programs
from research.training.problem import stream_ids

WIDTH = 4
RATES = (0.01, 1e30, 0.02, 1e38)


def lanes_of(experiment, rates):
    """Trains one chunk of lanes, each with its own rate; returns their states."""
    plan = fixed_plan(width=WIDTH, block=WIDTH, devices=1)
    problem = experiment.problems["relu"]
    programs, data = compile_programs(problem, plan, experiment.data)
    ids = stream_ids(range(WIDTH), vary=experiment.config.vary)
    lanes, states, *_ = programs.start((ids, np.float32(rates)), data)
    frozen = []
    for epoch in range(3):
        states, curves = programs.train(
            lanes, states, data, np.int32(epoch), np.int32(1)
        )
        frozen.append(jax.tree.map(np.asarray, states))
    scored = programs.score((lanes, states), data)
    return frozen, jax.tree.map(np.asarray, (curves, scored))


def test_a_lane_that_blows_up_touches_no_other_of_its_chunk(tiny):
    mixed, (curves, scored) = lanes_of(tiny, RATES)
    calm, (calm_curves, calm_scored) = lanes_of(tiny, (0.01, 0.02, 0.02, 0.01))
    assert mixed[-1].alive.tolist() == [True, False, True, False]
    for lane in (0, 2):
        for one, other in (
            (mixed[-1], calm[-1]),
            (curves, calm_curves),
            (scored, calm_scored),
        ):
            pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
            for mine, theirs in pairs:
                np.testing.assert_array_equal(mine[lane], theirs[lane])


def test_it_stays_bit_for_bit_as_it_was_at_its_step(tiny):
    states, (curves, _) = lanes_of(tiny, RATES)
    for lane in (1, 3):
        first = jax.tree.map(lambda leaf, lane=lane: leaf[lane], states[0])
        last = jax.tree.map(lambda leaf, lane=lane: leaf[lane], states[-1])
        assert not first.alive
        assert first.steps == last.steps < tiny.steps_per_epoch
        for name in ("params", "model_state", "best_params"):
            pairs = zip(
                jax.tree.leaves(getattr(first, name)),
                jax.tree.leaves(getattr(last, name)),
                strict=True,
            )
            for before, after in pairs:
                np.testing.assert_array_equal(before, after)
                assert np.isfinite(after).all()
        assert np.isnan(curves["validation_loss"][lane]).all()


def test_a_lane_is_the_same_alone(tiny):
    """A rate at which some seeds blow up and others do not, in a chunk and one by one."""
    rate = 1e19
    plan = fixed_plan(width=4, block=4, devices=1)
    together = numbers(
        train_lanes(tiny, "relu", seeds=range(4), plan=plan, learning_rate=rate)
    )
    for seed in range(2):
        alone = numbers(
            train_lanes(tiny, "relu", seeds=[seed], plan=plan, learning_rate=rate)
        )
        for name, values in alone.items():
            np.testing.assert_array_equal(values[0], together[name][seed], err_msg=name)


def rows(root: Path) -> list[dict[str, str]]:
    with RunFolder(root).per_seed.open(newline="") as file:
        return list(csv.DictReader(file))


DIVERGED = [
    "--config.activations=relu,gelu",
    "--config.epochs=2",
    "--config.batch_size=16",
    "--config.task.samples=200",
    "--config.task.test_samples=40",
    "--config.task.validation_samples=40",
    "--config.model.hidden=8,",
    "--config.compute.devices=2",
    "--config.compute.lanes_per_chunk=2",
    "--config.tensorboard.seeds=0",
    "--config.optimizer.learning_rate=1e30",
]


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr("research.reporting.report.draw_all", lambda root: Drawn())


@pytest.mark.parametrize(
    "words",
    [
        ["--config.seeds=4"],
        ["--config.seeds=4", "--config.mode=null"],
        pytest.param(
            ["--config.seeds=16", "--config.seeds_plan=sequential"],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["compare", "null", "sequential"],
)
def test_an_arm_that_diverged_whole_is_exit_5_with_its_results(
    words, tmp_path, undrawn, capsys
):
    argv = [*DIVERGED, *words, f"--workdir={tmp_path / 'run'}"]
    assert main(argv) == 5
    line = one_line(capsys.readouterr().err)
    assert "relu: all" in line
    assert "stopped being finite" in line
    assert "the results are written" in line
    found = rows(tmp_path / "run")
    arms = len({row["arm"] for row in found})
    assert len(found) == arms * (16 if "sequential" in words[-1] else 4)
    assert {row["status"] for row in found} == {"diverged"}
    # Scored as the best constant predictor: a lane that is lost earns nothing.
    assert {row["test_accuracy"] for row in found} == {"0.5"}
    summary = json.loads(RunFolder(tmp_path / "run").summary.read_text())
    for arm in summary["arms"].values():
        assert arm["diverged"] == arm["seeds"]
    for comparison in summary["comparisons"]:
        assert comparison["verdict"] not in ("better", "worse")
    for _ in range(2):
        assert main(["report", f"--workdir={tmp_path / 'run'}"]) == 5
        assert one_line(capsys.readouterr().err) == line
        assert main(argv) == 5
        assert one_line(capsys.readouterr().err) == line


@pytest.mark.slow
def test_a_sub_run_that_diverged_whole_is_named(tmp_path, undrawn):
    experiment = tiny_experiment(
        mode="variance", seeds=2, epochs=2, optimizer={"learning_rate": 1e30}
    )
    with pytest.raises(AllDiverged, match=r"run/all: relu: all 2 lanes .* written"):
        measure_variance(
            experiment,
            RunFolder(tmp_path / "run"),
            Console(file=io.StringIO()),
            command="python launch.py",
        )
    assert {row["status"] for row in rows(tmp_path / "run/all")} == {"diverged"}


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["10", "1e6"])
def test_a_rate_far_too_large_by_the_launcher(rate, tmp_path):
    words = [*DIVERGED[:-1], "--config.seeds=8"]
    argv = [*words, f"--config.optimizer.learning_rate={rate}", "--workdir=run"]
    done = launch(*argv, cwd=tmp_path)
    assert done.returncode in (0, 5)
    assert "Traceback" not in done.stderr
    assert len(rows(tmp_path / "run")) == 16
