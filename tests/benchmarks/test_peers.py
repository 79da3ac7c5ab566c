"""Every peer does the engine's work: as many steps, and what it learns is as good."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from benchmarks import contenders, job
from benchmarks.peers import engine

SEEDS, EPOCHS = range(4), 20
PEERS = sorted({contender.peer for contender in contenders.everyone()} - {"engine"})


@pytest.fixture(scope="module")
def ours() -> job.Curves:
    return engine.run(SEEDS, EPOCHS)


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_trains_as_long_and_learns_as_much(peer: str, ours: job.Curves):
    if peer.startswith("torch_"):
        pytest.importorskip("torch", reason="requirements-bench.txt is not installed")
    curves = importlib.import_module(f"benchmarks.peers.{peer}").run(SEEDS, EPOCHS)
    assert curves.steps.tolist() == ours.steps.tolist() == [EPOCHS * job.STEPS] * 4
    assert curves.loss.shape == curves.accuracy.shape == (EPOCHS, len(SEEDS))
    # Frameworks draw their weights a little differently.
    assert abs(curves.accuracy[-1].mean() - ours.accuracy[-1].mean()) < 0.02
    assert abs(curves.loss[-1].mean() - ours.loss[-1].mean()) < 0.03
    # Seeds are trainings of their own.
    assert len(set(curves.loss[-1].tolist())) == len(SEEDS)


def test_the_table_holds_every_peer():
    files = (Path(job.__file__).parent / "peers").glob("*.py")
    found = {path.stem for path in files if "\ndef run(" in path.read_text()}
    assert found == {*PEERS, "engine"}


def test_a_seeds_rows_are_its_own_and_standardised():
    parts, alone = job.parts(range(3)), job.parts([2])
    assert parts.train_inputs.shape == (3, job.TRAIN_ROWS, 2)
    np.testing.assert_allclose(parts.train_inputs.mean(axis=1), 0, atol=1e-5)
    np.testing.assert_allclose(parts.train_inputs.std(axis=1), 1, atol=1e-5)
    assert not np.array_equal(parts.train_inputs[0], parts.train_inputs[1])
    for one, other in zip(parts, alone, strict=True):
        assert np.array_equal(one[2], other[0])
