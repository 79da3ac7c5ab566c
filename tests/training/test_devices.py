"""Devices: as many as there are cores, and a sentence where JAX has others already."""

import os

import jax
import pytest

from research.errors import ConfigError
from research.training.devices import claim_devices, physical_cores, seed_mesh


def test_cores_are_counted():
    assert 1 <= physical_cores() <= (os.cpu_count() or 1)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="is about CPU devices")
def test_where_jax_runs_already_it_is_said():
    here = jax.device_count()
    told = claim_devices(here + 3)
    assert told is not None
    assert f"already running on {here} CPU device(s)" in told
    assert told.endswith(f"would use {here + 3}")
    assert claim_devices(here) is None
    assert jax.device_count() == here


def test_more_accelerators_than_there_are_is_refused(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    here = jax.device_count()
    assert claim_devices(None) is None
    assert claim_devices(here) is None
    with pytest.raises(ConfigError, match=f"compute.devices={here + 1}: .*most {here}"):
        claim_devices(here + 1)


def test_a_mesh_has_one_axis():
    mesh = seed_mesh(1)
    assert (mesh.axis_names, mesh.size) == (("seeds",), 1)
