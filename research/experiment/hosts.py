"""A comparison that several processes train: one leads, the others share the seeds."""

from pathlib import Path

from research.activations.names import canonical_config
from research.config import ExperimentConfig
from research.errors import ConfigError, DataError
from research.experiment.prepare import Experiment, prepare, ready
from research.experiment.run_folder import share_in
from research.experiment.started import describe_manifest, recorded_plan
from research.records.folder import RunFolder, read_mapping
from research.records.hosts import Hosts, Joining
from research.records.reopening import Change, changes, differing, recorded_config
from research.stopping import Stopping
from research.training.hosts import join


def join_hosts(config: ExperimentConfig, workdir: Path, joining: Joining) -> Hosts:
    """Joins the processes of a run; returns this one among them.

    Raises:
      ConfigError: they cannot be joined.
    """
    index, count = join(joining, devices=config.compute.devices)
    return Hosts(workdir, index=index, count=count)


def share(
    config: ExperimentConfig, workdir: Path, *, hosts: Hosts, stopping: Stopping
) -> int:
    """Trains this process's part, and returns the exit code that process 0 ends with.

    Raises:
      Refusal: what `compare` refuses, another config than process 0's, or a process that
        is gone.
    """
    ready(config)
    hosts.gather()
    there = recorded_config(workdir)
    if there is not None:
        _check_same(changes(there, config, canonical_config), hosts)
    log = RunFolder(workdir).log_of(hosts.index)
    print(
        f"process {hosts.index} of {hosts.count} trains its seeds; see {log}",
        flush=True,
    )
    recorded = recorded_plan(workdir)
    experiment = prepare(config, recorded=recorded, processes=hosts.count)
    _check_same_sources(experiment, workdir, hosts)
    share_in(experiment, RunFolder(workdir), hosts=hosts, stopping=stopping)
    return hosts.until_ended()


def _check_same(found: tuple[Change, ...], hosts: Hosts) -> None:
    """Passes the config of process 0, whose run folder it is."""
    if found:
        raise ConfigError(
            f"process {hosts.index} of {hosts.count}: has another config than process 0 "
            f"in {', '.join(change.field for change in found)}; give all the same command"
        )


def _check_same_sources(experiment: Experiment, workdir: Path, hosts: Hosts) -> None:
    """Passes the data and the code of process 0, in the run folder's manifest."""
    there = read_mapping(RunFolder(workdir).manifest)
    now = describe_manifest(experiment, "")
    for part in ("data_sha256", "source_sha256"):
        for name in differing(there.get(part, {}), now[part]):
            raise DataError(
                f"process {hosts.index} of {hosts.count}: {name} is not that of process "
                "0; give all the same files"
            )
