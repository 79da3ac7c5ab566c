"""mode=variance: its sub-runs are runs of their own, and its numbers are theirs."""

import io
import json

import numpy as np
import pytest
from rich.console import Console
from tiny_runs import TINY

from research import compare
from research.config_values import from_mapping
from research.experiment.variance import sub_runs
from research.records.folder import RunFolder
from research.records.score_table import read_scores

VARIANCE = {
    **TINY,
    "mode": "variance",
    "vary": "init,split",
    "seeds": 3,
    "epochs": 1,
    "compute": {"devices": 1, "lanes_per_chunk": 3},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A small run, its reports left out: folder and summary."""
    folder = tmp_path_factory.mktemp("variance")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("research.reporting.report.write_report", lambda root: {})
        console = Console(file=io.StringIO())
        return folder, compare(VARIANCE, workdir=folder, console=console)


def test_every_sub_run_varies_one_source_over_seeds_of_its_own():
    config = from_mapping({**VARIANCE, "seeds": 5})
    runs = dict(sub_runs(config))
    assert list(runs) == [
        "all",
        *(f"init-{place}" for place in range(8)),
        *(f"split-{place}" for place in range(8)),
    ]
    seeds = [range(each.first_seed, each.first_seed + 5) for each in runs.values()]
    assert len({seed for each in seeds for seed in each}) == 5 * 17
    assert runs["all"].vary == ("init", "split")
    assert runs["split-3"].vary == ("split",)
    assert runs["split-3"].background == 3
    assert {each.mode for each in runs.values()} == {"compare"}
    # More seeds leave the ids of the others as they are.
    more = dict(sub_runs(from_mapping({**VARIANCE, "seeds": 6})))
    assert more["split-3"].first_seed == runs["split-3"].first_seed


def test_the_components_are_those_of_the_sub_runs(run):
    folder, summary = run
    for name in summary["runs"]:
        told = json.loads(RunFolder(folder / name).summary.read_text())
        assert told["mode"] == "compare"
        assert told["pairing"]["verified"]
    assert summary["trainings"] == 17 * 2 * 3
    tables = [
        read_scores(RunFolder(folder / f"init-{place}").per_seed, "test_accuracy")
        for place in range(8)
    ]
    gelu = np.mean([np.var(table["gelu"], ddof=1) for table in tables])
    between = np.mean([np.var(t["gelu"] - t["relu"], ddof=1) for t in tables])
    told = summary["arms"]["gelu"]["components"]["sources"]["init"]["variance"]
    assert told == pytest.approx(gelu, rel=1e-9)
    found = summary["differences"]["gelu"]["sources"]["init"]["variance"]
    assert found == pytest.approx(between, rel=1e-9)


def test_a_background_holds_all_else_still(run):
    folder, _ = run
    config = json.loads(RunFolder(folder / "split-2").config.read_text())
    assert config["background"] == 2
    with np.load(RunFolder(folder / "split-2").curves) as curves:
        # Equal weights score apart at epoch 0 only because the validation rows differ.
        split = curves["relu/validation_loss"][:, 0]
    with np.load(RunFolder(folder / "init-2").curves) as curves:
        init = curves["relu/validation_loss"][:, 0]
    assert np.ptp(split) < np.ptp(init)
