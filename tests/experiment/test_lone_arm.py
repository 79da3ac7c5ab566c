"""An arm alone, as a single swap that is distilled, is trained and told without a verdict."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console
from tiny_runs import tiny_experiment

from research.experiment.prepare import assemble
from research.experiment.run_folder import run_in
from research.records.folder import RunFolder


@pytest.mark.slow
def test_an_arm_alone_has_scores_and_a_report_but_no_verdict(tmp_path):
    whole = tiny_experiment(epochs=2, seeds=4)
    experiment = assemble(
        whole.config, whole.task, whole.kind, names=["relu"], reference="relu"
    )
    folder = RunFolder(tmp_path / "run")
    folder.root.mkdir()
    console = Console(width=100, file=io.StringIO())
    summary = run_in(experiment, folder, console, command="test")
    with folder.per_seed.open(newline="") as file:
        scores = [float(row["test_accuracy"]) for row in csv.DictReader(file)]
    assert summary["comparisons"] == []
    assert list(summary["arms"]) == ["relu"]
    assert summary["arms"]["relu"]["mean"] == pytest.approx(np.mean(scores))
    assert "nothing is compared" in console.file.getvalue().replace("\n", " ")
    assert "relu alone" in (folder.root / "report.html").read_text("utf-8").lower()
