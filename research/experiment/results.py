"""What a run found, written under results/: the summary last."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from research.errors import InvalidComparison
from research.experiment.lanes import Run
from research.experiment.pictures import (
    activation_pictures,
    boundary_pictures,
    same_function,
)
from research.experiment.prepare import Experiment
from research.experiment.scores import per_example, table
from research.experiment.summary import Results, summarise
from research.own_code import reason
from research.records.folder import RunFolder, write_arrays, write_json, write_table
from research.records.ledger import read_ledger
from research.training.cost import step_flops
from research.training.lanes import TrainedArm
from research.training.pairing import Pairing, check_pairing


def write_results(
    run: Run,
    trained: Mapping[str, TrainedArm],
    *,
    failures: Sequence[str],
    began: float,
) -> dict[str, Any]:
    """Writes everything under results/, the summary last, and returns the summary.

    Raises:
      InvalidComparison: the pairing does not hold; all but the summary is written.
    """
    experiment, folder = run.experiment, run.folder
    config, task = experiment.config, experiment.task
    columns = {slug: arm.columns for slug, arm in trained.items()}
    seeds = {slug: arm.seeds.tolist() for slug, arm in trained.items()}
    header, rows = table(columns, seeds=seeds, learning_rate=experiment.learning_rate)
    write_table(folder.per_seed, header, rows)
    curves = {
        f"{slug}/{name}": values
        for slug, arm in trained.items()
        for name, values in arm.curves.items()
    }
    base = trained[experiment.reference]
    write_arrays(folder.curves, {"seeds": base.seeds, **curves})
    write_arrays(folder.test_correct, _test_values(experiment, trained))
    pairing = None
    if config.mode != "null":
        pairing = check_pairing(
            trained, vary=config.vary, reference=experiment.reference
        )
        _check_valid(experiment, trained, pairing, folder)
    pictures, undrawn = _pictures(experiment, trained)
    write_arrays(folder.figures, pictures)
    summary = summarise(
        Results(
            config=config,
            task=task,
            model=experiment.describe(),
            reference=experiment.reference,
            activations=experiment.activations,
            trained=trained,
            columns=columns,
            pairing=pairing,
            steps=config.epochs * experiment.steps_per_epoch,
            one_program=experiment.plan.one_program,
            trained_now=sum(run.trained),
            total_seconds=time.perf_counter() - began,
            flops={
                slug: step_flops(problem, experiment.data)
                for slug, problem in experiment.problems.items()
            },
            ledger=read_ledger(folder.ledger),
            warnings=(*experiment.notes, *failures, *undrawn),
        )
    )
    write_json(folder.summary, summary)
    return summary


def _test_values(
    experiment: Experiment, trained: Mapping[str, TrainedArm]
) -> dict[str, np.ndarray]:
    """Returns each arm's primary metric by seed and test row; right or wrong as bits.

    `rows` says which rows these are: of every seed its own where the test set is redrawn.
    """
    last = experiment.config.selection == "last"
    values = {
        slug: per_example(experiment.task, arm, last=last)
        for slug, arm in trained.items()
    }
    bits = all(np.isin(value, (0, 1)).all() for value in values.values())
    rows = np.asarray(trained[experiment.reference].scored.test_rows)
    redrawn = "test_split" in experiment.config.vary
    return {
        "rows": rows if redrawn else rows[0],
        **{
            slug: value.astype(bool if bits else np.float32)
            for slug, value in values.items()
        },
    }


def _check_valid(
    experiment: Experiment,
    trained: Mapping[str, TrainedArm],
    pairing: Pairing,
    folder: RunFolder,
) -> None:
    """Raises InvalidComparison for arms that are not paired, or not really different."""
    if not pairing.verified:
        raise InvalidComparison(
            f"the arms are not paired: {'; '.join(pairing.problems)} (see {folder.root})"
        )
    for names in pairing.identical_arms:
        functions = [experiment.activations[name] for name in names]
        if trained[names[0]].scored.alive.any() and not same_function(functions):
            raise InvalidComparison(
                f"{' and '.join(names)} are different functions, but were trained "
                "bit-equal on every seed: the model does not use what its activation "
                f"gives (see {folder.root})"
            )


def _pictures(
    experiment: Experiment, trained: Mapping[str, TrainedArm]
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Returns what the figures show, and what could not be: never worth the results."""
    try:
        pictures = activation_pictures(experiment.activations)
        pictures |= boundary_pictures(experiment.task, experiment.problems, trained)
    except Exception as error:
        return {}, (f"the activations could not be drawn: {reason(error)}",)
    return pictures, ()
