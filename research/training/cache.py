"""Compiled programs kept between runs, where a user asks for it."""

import os
import stat
from pathlib import Path

import jax
from jax.experimental.compilation_cache import compilation_cache

from research.errors import ConfigError

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def use_cache(folder: str | None) -> None:
    """Has JAX keep compiled programs in a folder that only this user may write to.

    What lies there is run as it is, so that a folder of somebody else's is refused.

    Args:
      folder: made, for this user alone, where there is none; None changes nothing.

    Raises:
      ConfigError: it is no folder, cannot be made, or others may write to it.
    """
    if folder is None:
        return
    path = Path(folder).expanduser().absolute()
    try:
        path.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
        found = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"compute.cache={folder}: must be a folder, {reason}"
        ) from None
    if found.st_uid != os.getuid() or found.st_mode & OTHERS_WRITE:
        raise ConfigError(
            f"compute.cache={folder}: must be your own folder, to which nobody else may "
            "write (chmod 700); what lies there is run as it is"
        )
    if jax.config.values["jax_compilation_cache_dir"] == str(path):
        return
    jax.config.update("jax_compilation_cache_dir", str(path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    compilation_cache.reset_cache()  # JAX settles on a folder at its first program
