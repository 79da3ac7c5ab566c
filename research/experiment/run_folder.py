"""An experiment in its folder: trained, judged, written, shown."""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console

from research.activations.names import canonical_config
from research.config import ExperimentConfig
from research.config_values import to_mapping
from research.experiment.lanes import Compiled, Run, finish, train, train_part
from research.experiment.memory import train_in_memory
from research.experiment.observers import Watch, log_observer, watching
from research.experiment.prepare import Experiment
from research.experiment.results import write_results
from research.experiment.sequential import train_sequentially
from research.experiment.started import describe_manifest, run_started
from research.records.events import Event, RunFinished
from research.records.folder import RunFolder, remove_unfinished, write_json
from research.records.hosts import ALONE, Hosts
from research.records.inside import check_inside
from research.records.lane_files import has_lanes, lane_files
from research.records.ledger import read_ledger, record_change, record_loss, take_over
from research.records.lock import Taken, locked
from research.records.reopening import (
    Change,
    changes,
    changes_verdict,
    check_changes,
    check_empty,
    check_sources,
    machine_changes,
    recorded_config,
)
from research.records.sums import write_sums
from research.reporting.console import print_verdict
from research.stopping import Stopping
from research.training.lanes import TrainedArm


def run_in(
    experiment: Experiment,
    folder: RunFolder,
    console: Console,
    *,
    command: str,
    compiled: Compiled | None = None,
    stopping: Stopping | None = None,
    hosts: Hosts = ALONE,
) -> dict[str, Any]:
    """Trains, judges and shows an experiment in a folder of its own.

    Args:
      hosts: the processes that share the seeds; this one leads them.
      compiled: programs of the same problems, which are used and added to.
      stopping: told by the launcher of a signal.
    """
    began = time.perf_counter()
    with opened(experiment, folder, command=command) as taken:
        if taken.note:
            console.print(taken.note, markup=False)
        there = frozenset(
            path for arm in experiment.problems for path in lane_files(folder, arm)
        )
        hosts.gather()
        with watching(
            folder,
            console,
            tensorboard_seeds=experiment.config.tensorboard.seeds,
            attempt=f"{int(time.time())}.{os.getpid()}",
        ) as watch:

            def observe(event: Event) -> None:
                taken.check()
                watch.observe(event)

            observe(run_started(experiment))
            run = Run(
                experiment=experiment,
                folder=folder,
                observe=observe,
                hosts=hosts,
                there=there,
                compiled={} if compiled is None else compiled,
                stopping=stopping or Stopping(),
            )
            try:
                run, trained = train_in_memory(run, _train)
                take_over(folder.ledger)
            except KeyboardInterrupt:
                _warn(console, run.damaged)
                raise
            taken.check()
            failures = (*run.damaged, *watch.failures)
            summary = write_results(run, trained, failures=failures, began=began)
            write_sums(folder)
            unwritten = _report(summary, folder, watch)
        print_verdict(summary, console, workdir=folder.root)
    _warn(console, [told for told in watch.failures if told not in failures])
    if unwritten is not None:
        raise unwritten
    return summary


def share_in(
    experiment: Experiment, folder: RunFolder, *, hosts: Hosts, stopping: Stopping
) -> None:
    """Trains this process's part of an experiment that process 0 has opened."""
    log = log_observer(folder.log_of(hosts.index))
    run = Run(
        experiment=experiment,
        folder=folder,
        observe=log,
        hosts=hosts,
        stopping=stopping,
    )
    train_in_memory(run, _train_part)


def _train_part(run: Run) -> None:
    if run.experiment.config.seeds_plan == "sequential":
        train_sequentially(run)
        return
    for arm in run.experiment.problems:
        train_part(run, arm, run.experiment.seeds_of(arm))


def _warn(console: Console, sentences: Sequence[str]) -> None:
    for told in sentences:
        console.print(f"Warning: {told}", markup=False)


@contextlib.contextmanager
def opened(
    experiment: Experiment, folder: RunFolder, *, command: str
) -> Iterator[Taken]:
    """Takes a folder for this process; what it holds must go with the experiment.

    Raises:
      ConfigError: another process is at work there, or it holds another run.
    """
    config = experiment.config
    check_inside(folder.root)
    with locked(folder.root) as taken:
        remove_unfinished(folder.root)
        read_ledger(folder.ledger)
        take_over(folder.ledger)
        there = recorded_config(folder.root)
        told = describe_manifest(experiment, command)
        if there is None:
            check_empty(folder.root)
            write_json(folder.config, to_mapping(config))
        else:
            found = changes(there, config, canonical_config)
            check_changes(folder.root, found)
            check_sources(folder, told)
            # The hashes of a finished run; from here on files are written anew.
            folder.sums.unlink(missing_ok=True)
            if not folder.ledger.is_file() and has_lanes(folder):
                record_loss(folder.ledger)
            _record(folder, machine_changes(folder, told))
            _change(folder, found, config)
        if not folder.manifest.is_file():
            write_json(folder.manifest, told)
        yield taken


def _change(
    folder: RunFolder, found: tuple[Change, ...], config: ExperimentConfig
) -> None:
    """Writes what is different from now on.

    A verdict that will be another one goes first: a run that is stopped here must not
    be taken for finished.
    """
    _record(folder, found)
    if changes_verdict(found):
        folder.summary.unlink(missing_ok=True)
    if found:
        write_json(folder.config, to_mapping(config))


def _record(folder: RunFolder, found: tuple[Change, ...]) -> None:
    for change in found:
        record_change(
            folder.ledger,
            field=change.field,
            there=change.there,
            now=change.now,
            verdict_seen=folder.summary.is_file(),
        )


def _train(run: Run) -> dict[str, TrainedArm]:
    if run.experiment.config.seeds_plan == "sequential":
        trained = train_sequentially(run)
        for arm, lanes in trained.items():
            finish(run, arm, lanes)
        return trained
    trained = {}
    for arm in run.experiment.problems:
        trained[arm] = train(run, arm, run.experiment.seeds_of(arm))
        finish(run, arm, trained[arm])
    return trained


def _report(
    summary: Mapping[str, Any], folder: RunFolder, watch: Watch
) -> OSError | None:
    """Draws the report; a disk that takes no more of it is told after the verdict."""
    # Matplotlib: half a second that no start has to wait for.
    from research.reporting.report import write_report

    try:
        figures = write_report(folder.root)
    except OSError as error:
        return error
    watch.observe(RunFinished(summary=summary, figures=figures))
    return None
