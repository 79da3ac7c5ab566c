"""Memory: what is free is seen, and a device that runs out of it gets fewer lanes."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest
from fault_runs import results, train

from research.errors import ConfigError
from research.experiment import lanes
from research.records.folder import RunFolder
from research.records.ledger import read_ledger
from research.training import free_memory
from research.training.free_memory import free_bytes
from research.training.out_of_memory import smaller
from research.training.plan import Plan

GIB = 2**30
PLAN = Plan(devices=2, lanes_per_chunk=16, lanes_per_block=96, rule="a test's")


def spent() -> jax.errors.JaxRuntimeError:
    return jax.errors.JaxRuntimeError(
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9 bytes.\n  at x"
    )


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with 64 GiB and no limit; the files that say so can be added to."""
    monkeypatch.setattr(free_memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(free_memory, "OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(free_memory, "GROUPS", tmp_path / "groups")
    (tmp_path / "meminfo").write_text(
        f"MemTotal: 1 kB\nMemAvailable: {64 * GIB // 1024} kB\n"
    )
    return tmp_path


def group(place: Path, names: tuple[str, str], limit: object, used: int, cached: int):
    place.mkdir(parents=True, exist_ok=True)
    (place / names[0]).write_text(f"{limit}\n")
    (place / names[1]).write_text(f"{used}\n")
    (place / "memory.stat").write_text(
        f"anon 1\ninactive_file {cached}\ntotal_inactive_file {cached}\n"
    )


V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")
V2 = ("memory.max", "memory.current")


def test_without_a_limit_the_machine_s_is_free(machine):
    assert free_bytes() == 64 * GIB
    (machine / "own").write_text("0::/\n")
    group(machine / "groups", V2, "max", 5 * GIB, 0)
    assert free_bytes() == 64 * GIB


def test_the_narrowest_group_of_v2_counts_without_its_cache_of_files(machine):
    (machine / "own").write_text("0::/slurm/job_7/step\n")
    group(machine / "groups", V2, 40 * GIB, 30 * GIB, 0)
    group(machine / "groups/slurm/job_7", V2, 8 * GIB, 6 * GIB, 3 * GIB)
    group(machine / "groups/slurm/job_7/step", V2, "max", 6 * GIB, 0)
    assert free_bytes() == 5 * GIB


def test_the_limit_of_v1_is_seen_in_a_container(machine):
    (machine / "own").write_text("9:cpu:/x\n4:memory:/docker/abc\n0::/\n")
    # In the container the host's path is not there.
    group(machine / "groups/memory", V1, 4 * GIB, 2 * GIB, GIB)
    assert free_bytes() == 3 * GIB


def test_what_is_free_is_never_nothing(machine):
    (machine / "own").write_text("0::/\n")
    group(machine / "groups", V2, GIB, 2 * GIB, 0)
    assert free_bytes() == free_memory.LEAST_BYTES
    (machine / "meminfo").unlink()
    assert free_bytes() >= free_memory.LEAST_BYTES


def test_half_as_many_lanes_until_there_is_one():
    plan, widths, blocks = PLAN, [], []
    for _ in range(4):
        plan = smaller(plan, spent())
        widths.append(plan.lanes_per_chunk)
        blocks.append(plan.lanes_per_block)
    assert widths == [8, 4, 2, 1]
    assert blocks == [48, 24, 12, 6]
    with pytest.raises(ConfigError, match=r"one lane alone .*RESOURCE_EXHAUSTED"):
        smaller(plan, spent())


def test_another_fault_of_the_device_is_raised_as_it_is():
    fault = jax.errors.JaxRuntimeError("INTERNAL: a bus fell off")
    with pytest.raises(jax.errors.JaxRuntimeError, match="a bus fell off"):
        smaller(PLAN, fault)


@pytest.mark.parametrize(
    "where",
    [
        pytest.param("compile", marks=pytest.mark.slow),
        pytest.param("first arm", marks=pytest.mark.slow),
        "second arm",
    ],
)
def test_a_run_that_runs_out_of_memory_goes_on(where, tmp_path, monkeypatch):
    whole, root = tmp_path / "whole", tmp_path / "run"
    train(whole, seeds=4)
    tries = []
    compile_programs, train_arm = lanes.compile_programs, lanes.train_arm

    def compiling(problem, plan, data):
        tries.append(plan.lanes_per_chunk)
        if where == "compile" and len(tries) == 1:
            raise spent()
        return compile_programs(problem, plan, data)

    def training(problem, plan, *args, arm, **options):
        blocks = train_arm(problem, plan, *args, arm=arm, **options)
        late = arm == "gelu" or where == "first arm"
        if plan.lanes_per_chunk == 2 and where != "compile" and late:
            raise spent()
        yield from blocks

    monkeypatch.setattr(lanes, "compile_programs", compiling)
    monkeypatch.setattr(lanes, "train_arm", training)
    summary, shown = train(root, fresh=True, seeds=4)
    assert tries[-1] == 1
    words = "the device ran out of memory with 2 lanes at once"
    assert any(words in told for told in summary["warnings"])
    assert words in " ".join((root / "report.md").read_text().split())
    plan = json.loads(RunFolder(root).manifest.read_text())["plan"]
    assert (plan["lanes_per_chunk"], plan["devices"]) == (1, 2)
    # No lane is lost, none is scored twice, and only rounding differs.
    openings = read_ledger(RunFolder(root).ledger)["openings"]
    scored = [(o["arm"], seed) for o in openings for seed in o["seeds"]]
    assert sorted(scored) == sorted((a, s) for a in ("relu", "gelu") for s in range(4))
    with (
        np.load(RunFolder(whole).curves) as mine,
        np.load(root / "results/curves.npz") as other,
    ):
        for name in mine.files:
            np.testing.assert_allclose(mine[name], other[name], rtol=1e-4, atol=1e-5)
    assert results(root).keys() == results(whole).keys()
    assert shown.count("gelu: done") == 1
    assert shown.count("relu: done") == 1


def test_one_lane_that_does_not_fit_is_told(tmp_path, monkeypatch):
    def compiling(problem, plan, data):
        raise spent()

    monkeypatch.setattr(lanes, "compile_programs", compiling)
    with pytest.raises(ConfigError, match="one lane alone does not fit"):
        train(tmp_path / "run", fresh=True)
