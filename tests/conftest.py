"""How the whole suite runs: on CPU devices, with JAX as strict as this code allows.

Nothing of research is imported here, so that its annotations are checked at run time.
"""

import contextlib
import os
import shutil
import tempfile

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax

# The same programs are compiled by many tests; each is compiled once a session, whose
# processes inherit the place.
OWNER = "COMPILED_BY_TESTS" not in os.environ
COMPILED = os.environ.setdefault(
    "COMPILED_BY_TESTS", tempfile.mkdtemp(prefix="compiled-") if OWNER else ""
)


def pytest_configure() -> None:
    """Settles the devices before the first test, so that no test's order matters."""
    jax.config.update("jax_numpy_rank_promotion", "raise")
    jax.config.update("jax_compilation_cache_dir", COMPILED)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    with contextlib.suppress(RuntimeError):
        jax.config.update("jax_num_cpu_devices", 2)
    jax.devices()


def pytest_unconfigure() -> None:
    """Removes what was compiled, when the last process ends."""
    if OWNER:
        shutil.rmtree(COMPILED, ignore_errors=True)


@pytest.fixture(scope="session")
def tiny():
    """An experiment small enough to train in a test; see tiny_runs."""
    from tiny_runs import tiny_experiment

    return tiny_experiment()


@pytest.fixture(scope="session")
def tiny_arms(tiny):
    """Both arms of the tiny experiment, trained: 8 seeds, chunks of 4, two devices."""
    from tiny_runs import train

    return {slug: train(tiny, slug) for slug in tiny.problems}
