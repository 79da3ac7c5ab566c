"""What to do where a device has less memory than the plan took it to have."""

import dataclasses

import jax

from research.errors import ConfigError
from research.training.plan import Plan


def is_out_of_memory(error: BaseException) -> bool:
    """Tells whether an error says that a device's memory is used up."""
    return isinstance(error, jax.errors.JaxRuntimeError) and any(
        words in str(error) for words in ("RESOURCE_EXHAUSTED", "Out of memory")
    )


def smaller(plan: Plan, error: Exception) -> Plan:
    """Returns the plan with half the lanes a chunk and a block, for a second try.

    Raises:
      ConfigError: a chunk is one lane already.
      JaxRuntimeError: the error, where it says something else.
    """
    if not is_out_of_memory(error):
        raise error
    if plan.lanes_per_chunk == 1:
        told = str(error).splitlines()[0]
        raise ConfigError(
            "compute.lanes_per_chunk=1: one lane alone does not fit the device's memory "
            f"({told}); use a smaller model or batch_size, or compute.remat=full"
        )
    width = plan.lanes_per_chunk // 2
    stride = plan.devices * width
    return dataclasses.replace(
        plan,
        lanes_per_chunk=width,
        lanes_per_block=max(plan.lanes_per_block // 2 // stride, 1) * stride,
        rule="half as many as ran out of memory",
    )
