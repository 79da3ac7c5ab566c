"""What each command does. The heavy imports stand inside, after every check."""

import shlex
from pathlib import Path

from research.cli.workdir import Prepared, is_finished, remove_if_empty
from research.config import ExperimentConfig
from research.errors import ConfigError, DataError, Refusal, Stopped
from research.records.folder import read_mapping
from research.settings import shown
from research.stopping import Stopping


def compare(
    config: ExperimentConfig, prepared: Prepared, command: str, stopping: Stopping
) -> None:
    """Trains every arm into a folder and shows the verdict, or shows it again.

    Args:
      stopping: told of signals.

    Raises:
      Refusal: what `research.experiment.compare` refuses, or a signal.
    """
    workdir = prepared.workdir
    if prepared.finished:
        print(f"{workdir} holds this run, finished: nothing is trained.")
        report(workdir)
        return
    line = f"{command} {shlex.quote(f'--workdir={workdir}')}"
    try:
        from research.cli.terminal import Terminal
        from research.experiment import compare as train_and_judge

        try:
            train_and_judge(
                config,
                workdir=workdir,
                command=line,
                console=Terminal(),
                stopping=stopping,
            )
        except Refusal:
            remove_if_empty(workdir)
            raise
    except KeyboardInterrupt as signal:
        raise Stopped(
            f"stopped by {str(signal) or 'SIGINT'}; what was trained is kept; to go on, run "
            f"the same command again: {line}"
        ) from None


def report(workdir: Path | None) -> None:
    """Draws a finished run's report again and prints its verdict.

    Raises:
      ConfigError: no folder, or one without a finished run.
      DataError: a file of the run is missing or damaged.
    """
    if workdir is None:
        raise ConfigError("report: needs --workdir=DIR, the folder of a finished run")
    if not workdir.is_dir():
        raise ConfigError(f"--workdir={shown(str(workdir))[1:-1]}: no such folder")
    if not is_finished(workdir):
        raise ConfigError(
            f"--workdir={workdir}: holds no finished run (no results/summary.json)"
        )
    summary = read_mapping(workdir / "results/summary.json")
    from research.cli.terminal import Terminal
    from research.records.outcome import check_outcome
    from research.reporting.console import print_verdict
    from research.reporting.report import write_report

    try:
        write_report(workdir)
    except FileNotFoundError as error:
        raise DataError(f"--workdir={workdir}: {error.filename} is missing") from None
    print_verdict(summary, Terminal(), workdir=workdir)
    check_outcome(summary)
