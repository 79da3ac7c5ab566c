"""MNIST-1D: what is made of its package, and what is said where it is not there."""

import sys
import types

import numpy as np
import pytest

from research import prng
from research.errors import DataError
from research.task_configs import Mnist1dConfig
from research.tasks.mnist1d import load_mnist1d


@pytest.fixture
def package(monkeypatch):
    """A stand-in for the package: 40 + 20 curves of which each holds its own number."""
    data = types.ModuleType("mnist1d.data")
    number = np.arange(60.0)
    curves = np.repeat(number[:, None], 40, axis=1)
    made = {
        "x": curves[:40],
        "x_test": curves[40:],
        "y": number[:40].astype(int) % 10,
        "y_test": number[40:].astype(int) % 10,
    }
    data.get_dataset_args = dict  # type: ignore[attr-defined]
    data.make_dataset = lambda args: print("noise") or made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mnist1d", types.ModuleType("mnist1d"))
    monkeypatch.setitem(sys.modules, "mnist1d.data", data)


def test_the_published_test_set_stays_apart(package, capsys):
    task = load_mnist1d(Mnist1dConfig(validation_samples=10))
    assert capsys.readouterr().out == ""
    assert task.inputs.shape == (60, 40)
    assert task.outputs == (10,)
    split = task.split(prng.stream_key("split", 0), None)
    assert sorted(np.asarray(split.test).tolist()) == list(range(40, 60))
    assert [len(part) for part in split] == [30, 10, 20]
    assert np.array_equal(task.inputs[:, 0].astype(int) % 10, task.targets)


def test_without_the_package_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mnist1d", None)
    with pytest.raises(DataError, match="pip install mnist1d") as refusal:
        load_mnist1d(Mnist1dConfig())
    assert "\n" not in str(refusal.value)


@pytest.mark.filterwarnings("ignore")
def test_the_real_package_makes_the_published_numbers():
    pytest.importorskip("mnist1d", reason="the optional package mnist1d is not there")
    task = load_mnist1d(Mnist1dConfig())
    assert task.inputs.shape == (5000, 40)
    assert np.bincount(task.targets).tolist() == [500] * 10
    assert task.inputs.mean() == pytest.approx(0, abs=1e-5)
    assert task.inputs.std() == pytest.approx(1, abs=1e-5)
