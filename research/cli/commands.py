"""What each command does. The heavy imports stand inside, after every check."""

import contextlib
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from research.cli.workdir import Prepared, is_finished, prepare, remove_if_empty
from research.config import ExperimentConfig
from research.errors import ConfigError, DataError, Refusal, Stopped
from research.own_code import is_own, load_function, reason
from research.records.folder import RunFolder, read_mapping
from research.records.hosts import ALONE, KEPT, Hosts, Joining
from research.records.inside import check_inside
from research.records.reopening import check_sources
from research.records.sources import SOFTWARE, source_sha256
from research.settings import shown
from research.stopping import Stopping


def compare(
    config: ExperimentConfig,
    prepared: Prepared,
    command: str,
    stopping: Stopping,
    hosts: Hosts = ALONE,
) -> None:
    """Trains every arm into a folder and shows the verdict, or shows it again.

    Args:
      stopping: told of signals.
      hosts: the processes that share the seeds; this one leads them.

    Raises:
      Refusal: what `research.experiment.compare` refuses, or a signal; of a finished run,
        that its own code is another now, or cannot be loaded.
    """
    workdir = prepared.workdir
    if prepared.finished:
        _check_own_code(config, workdir)
        print(f"{workdir} holds this run, finished: nothing is trained.")
        report(workdir)
        return
    line = _whole_line(command, workdir)
    with _stop_told(line, workdir, hosts):
        from research.cli.terminal import Terminal
        from research.experiment import compare as train_and_judge

        try:
            train_and_judge(
                config,
                workdir=workdir,
                command=line,
                console=Terminal(),
                stopping=stopping,
                hosts=hosts,
            )
        except Refusal:
            remove_if_empty(workdir)
            raise


def _check_own_code(config: ExperimentConfig, workdir: Path) -> None:
    """Passes a finished run whose own functions are those that it trained."""
    fields = dict.fromkeys(config.activations, "activations")
    fields[config.model.name] = "model.name"
    for word, field in fields.items():
        if is_own(word):
            load_function(word, field=field)  # what it imports is known then
    own = source_sha256(fields)
    own.pop(SOFTWARE)
    check_sources(RunFolder(workdir), {"data_sha256": {}, "source_sha256": own})


def compare_on_hosts(
    config: ExperimentConfig,
    workdir: Path,
    joining: Joining,
    command: str,
    stopping: Stopping,
) -> None:
    """Trains this process's part of a comparison; process 0 shows the verdict.

    Raises:
      Refusal: what `compare` refuses, a process that is gone, or how process 0 ended.
    """
    from research.experiment.hosts import join_hosts, share

    hosts, code = join_hosts(config, workdir, joining), Refusal.exit_code
    try:
        prepared = prepare(workdir, config, workdir.name)
        if hosts.leads:
            compare(config, prepared, command, stopping, hosts)
            code = 0
        elif not prepared.finished:
            line = _whole_line(command, workdir)
            with _stop_told(line, workdir, hosts):
                code = share(config, workdir, hosts=hosts, stopping=stopping)
            if code:
                raise _as_process_0(code)
    except Refusal as refusal:
        code = refusal.exit_code
        raise
    finally:
        hosts.end(code)


def _as_process_0(code: int) -> Refusal:
    refusal = Refusal(f"process 0 has ended with exit code {code}")
    refusal.exit_code = code
    return refusal


def _whole_line(command: str, workdir: Path) -> str:
    return f"{command} {shlex.quote(f'--workdir={workdir}')}"


@contextlib.contextmanager
def _stop_told(line: str, workdir: Path, hosts: Hosts) -> Iterator[None]:
    """Turns a stop, by a signal or for another process, into a line that tells how to go on."""
    try:
        yield
    except KeyboardInterrupt as signal:
        remove_if_empty(workdir)
        if hosts.lost is not None:
            raise Stopped(hosts.lost) from None
        told = f"stopped by {str(signal) or 'SIGINT'}"
        if hosts.count > 1:
            raise Stopped(f"{told}; {KEPT}") from None
        raise Stopped(
            f"{told}; what was trained is kept; to go on, run the same command again: {line}"
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
    check_inside(workdir)
    summary = read_mapping(workdir / "results/summary.json")
    from research.cli.terminal import Terminal
    from research.records.gaps import gaps
    from research.records.outcome import check_outcome
    from research.records.sums import altered
    from research.reporting.console import print_verdict
    from research.reporting.report import write_report

    console = Terminal()
    try:
        write_report(workdir)
        print_verdict(summary, console, workdir=workdir)
        folder = RunFolder(workdir)
        missing = gaps(folder, summary) if _trained(summary) else []
        for told in (*altered(folder), *missing):
            console.print(
                f"Warning: {told}", style="yellow", markup=False, soft_wrap=True
            )
        check_outcome(summary)
    except Refusal:
        raise
    except FileNotFoundError as error:
        raise DataError(f"--workdir={workdir}: {error.filename} is missing") from None
    # All that is shown comes from the summary, which anybody may have written.
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise DataError(
            f"{workdir / 'results/summary.json'}: is damaged or of another version, "
            f"{reason(error)}"
        ) from error


def _trained(summary: Mapping[str, Any]) -> bool:
    return summary.get("mode") in ("compare", "null")
