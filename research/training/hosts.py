"""Joining the processes of a cluster: SLURM's, a TPU pod's, or those named by hand."""

import jax

from research.errors import ConfigError
from research.records.hosts import AUTO, Joining
from research.training.devices import claim_devices


def join(joining: Joining, *, devices: int | None) -> tuple[int, int]:
    """Joins the others and claims this process's devices; returns its number and theirs.

    JAX's connection is closed again once every process knows itself and its devices:
    lanes need no word between hosts, and JAX aborts every process when one is gone.

    Raises:
      ConfigError: JAX finds no cluster, or the others do not come.
    """
    named = joining.coordinator != AUTO
    # It would take SIGTERM for itself, upon which this process saves its lanes.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        jax.distributed.initialize(
            coordinator_address=joining.coordinator if named else None,
            num_processes=joining.process_count,
            process_id=joining.process_id,
        )
    except (RuntimeError, ValueError) as error:
        raise ConfigError(
            f"--coordinator={joining.coordinator}: cannot be joined, {error}"
        ) from None
    claim_devices(devices)
    index, count = jax.process_index(), jax.process_count()
    jax.distributed.shutdown()
    return index, count
