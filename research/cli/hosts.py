"""The flags of a run that several processes train."""

import re
from collections.abc import Mapping

from research.errors import ConfigError
from research.records.hosts import AUTO, Joining
from research.settings import shown

HOST_FLAGS = ("coordinator", "process_id", "process_count")
# More processes than any cluster has.
MOST = 99_999
_ADDRESS = re.compile(r"\S+:([0-9]{1,5})")
_NUMBER = re.compile(r"[0-9]{1,5}")


def read_hosts(given: Mapping[str, str], *, workdir: bool) -> Joining | None:
    """Reads the flags of several processes; None where there are none.

    Args:
      workdir: whether one was named, which all processes must share.

    Raises:
      ConfigError: a value that cannot be used, or flags that do not go together.
    """
    if not given:
        return None
    where = given.get("coordinator")
    if where is None:
        raise ConfigError(f"--{next(iter(given))}: needs --coordinator=HOST:PORT")
    if where == AUTO and len(given) > 1:
        raise ConfigError(
            "--coordinator=auto: finds the processes itself; leave out --process_id "
            "and --process_count"
        )
    if where != AUTO and not _is_address(where):
        raise ConfigError(
            f"--coordinator={shown(where)}: must be HOST:PORT of process 0, or auto"
        )
    if where != AUTO and len(given) < 3:
        raise ConfigError(
            "--coordinator=HOST:PORT: needs --process_id and --process_count; or let "
            "JAX find them by --coordinator=auto"
        )
    if not workdir:
        raise ConfigError(
            "--coordinator: needs --workdir=DIR, a folder that all processes share"
        )
    if where == AUTO:
        return Joining(coordinator=AUTO)
    count = _number("process_count", given["process_count"], least=1)
    index = _number("process_id", given["process_id"], least=0)
    if index >= count:
        raise ConfigError(
            f"--process_id={index}: must be below --process_count={count}, counted "
            "from 0"
        )
    return Joining(coordinator=where, process_id=index, process_count=count)


def _number(flag: str, text: str, *, least: int) -> int:
    # As many digits as a number within the limits has: int() takes no more than 4300.
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= MOST:
        raise ConfigError(
            f"--{flag}={shown(text)}: must be a whole number from {least} to {MOST}"
        )
    return int(text)


def _is_address(text: str) -> bool:
    found = _ADDRESS.fullmatch(text)
    return found is not None and 0 < int(found[1]) < 2**16
