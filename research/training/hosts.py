"""Joining the processes of a cluster: SLURM's, a TPU pod's, or those named by hand."""

import jax

from research.errors import ConfigError
from research.records.hosts import AUTO, Joining
from research.training.devices import claim_devices
from research.training.meeting import meet


def join(joining: Joining, *, devices: int | None) -> tuple[int, int]:
    """Joins the others and claims this process's devices; returns its number and theirs.

    Raises:
      ConfigError: JAX finds no cluster, or process 0 was told other numbers.
      Stopped: processes that were told their numbers do not come.
    """
    index, count = joining.process_id, joining.process_count
    if index is None or count is None:
        return _join_cluster(devices)
    meet(joining.coordinator, index=index, count=count)
    claim_devices(devices)
    return index, count


def _join_cluster(devices: int | None) -> tuple[int, int]:
    """Lets JAX find this process's number.

    Its connection is closed again once every process knows itself and its devices: lanes
    need no word between hosts, and JAX aborts every process when one is gone.
    """
    # It would take SIGTERM for itself, upon which this process saves its lanes.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        jax.distributed.initialize()
    except (RuntimeError, ValueError) as error:
        raise ConfigError(f"--coordinator={AUTO}: cannot be joined, {error}") from None
    claim_devices(devices)
    index, count = jax.process_index(), jax.process_count()
    jax.distributed.shutdown()
    return index, count
