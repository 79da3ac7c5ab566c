"""Training that goes on from a checkpoint ends where it would have ended, bit for bit."""

import contextlib
from dataclasses import dataclass, field

import numpy as np
import pytest
from tiny_runs import fixed_plan, numbers, train

from research.errors import DataError
from research.training.keeper import Keeper


@dataclass
class Shelf:
    """Keeps every checkpoint in memory; gives out those of one epoch.

    stop_after: how often the training may ask before it is told to stop.
    """

    at: int | None = None
    stop_after: int | None = None
    every: int | None = 1
    kept: dict[tuple[int, int], dict[str, np.ndarray]] = field(default_factory=dict)

    def keeper(self) -> Keeper:
        return Keeper(
            restore=lambda seeds: self.kept.get((seeds[0], self.at or -1)),
            save=self._save,
            held_back=self._held_back,
            every_epochs=self.every,
        )

    def _save(self, seeds, epochs, arrays):
        assert all(len(x) == len(seeds) for x in arrays.values() if x.ndim)
        copies = {name: np.array(x) for name, x in arrays.items()}
        self.kept[int(seeds[0]), epochs] = copies

    @contextlib.contextmanager
    def _held_back(self):
        asked = 0

        def stopping() -> bool:
            nonlocal asked
            asked += 1
            return self.stop_after is not None and asked > self.stop_after

        yield stopping
        if self.stop_after is not None:
            raise KeyboardInterrupt


def assert_same(mine, theirs):
    mine, theirs = numbers(mine), numbers(theirs)
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert np.asarray(mine[name]).tobytes() == np.asarray(theirs[name]).tobytes()


@pytest.fixture(scope="module")
def shelf(tiny):
    """What was kept at the end of each epoch, of two blocks, the second half empty."""
    shelf = Shelf()
    train(tiny, "relu", seeds=range(12), keeper=shelf.keeper())
    assert sorted(shelf.kept) == [(seed, n) for seed in (0, 8) for n in (1, 2, 3, 4)]
    return shelf


@pytest.fixture(scope="module")
def whole(tiny):
    """The same lanes, trained without a keeper."""
    return train(tiny, "relu", seeds=range(12))


@pytest.mark.parametrize("epoch", [1, 2, 3, 4])
def test_going_on_from_any_round_changes_no_bit(tiny, shelf, whole, epoch):
    told: list = []
    again = Shelf(at=epoch, every=None, kept=dict(shelf.kept))
    arm = train(
        tiny, "relu", seeds=range(12), keeper=again.keeper(), observe=told.append
    )
    assert_same(arm, whole)
    assert arm.train_seconds > float(shelf.kept[0, epoch]["seconds"])
    # Every epoch is told once, what is restored at one go.
    for block in (range(8), range(8, 12)):
        mine = [event for event in told if event.seeds == tuple(block)]
        columns = [event.curves["validation_loss"].shape[1] for event in mine]
        assert columns[0] == epoch + 1
        assert sum(columns) == 6
        assert [event.first_epoch for event in mine] == [
            sum(columns[:place]) for place in range(len(mine))
        ]


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_stop_saves_the_round_that_runs(tiny, whole, rounds):
    shelf = Shelf(stop_after=rounds, every=None)
    with pytest.raises(KeyboardInterrupt):
        train(tiny, "relu", seeds=range(12), keeper=shelf.keeper())
    [(first, epochs)] = shelf.kept
    assert first == 0
    assert epochs == (1 if rounds == 1 else 5)
    shelf.stop_after, shelf.at = None, epochs
    arm = train(tiny, "relu", seeds=range(12), keeper=shelf.keeper())
    assert_same(arm, whole)


def test_other_devices_go_on_within_rounding(tiny, shelf, whole):
    again = Shelf(at=2, kept=dict(shelf.kept))
    plan = fixed_plan(devices=1, width=3, block=9)
    arm = train(tiny, "relu", seeds=range(8), plan=plan, keeper=again.keeper())
    mine, theirs = numbers(arm), numbers(whole)
    for name in mine.keys() - {"final_checksum"}:
        one, other = np.asarray(mine[name]), np.asarray(theirs[name])[:8]
        drawn = np.issubdtype(one.dtype, np.integer) or one.dtype == bool
        np.testing.assert_allclose(one, other, 0, 0 if drawn else 1e-6, err_msg=name)


def test_lanes_of_another_model_are_refused(tiny, shelf):
    kept = {
        name: x[..., :1] if x.ndim > 2 else x for name, x in shelf.kept[0, 2].items()
    }
    again = Shelf(at=2, kept={(0, 2): kept})
    with pytest.raises(DataError, match="lanes of another model"):
        train(tiny, "relu", keeper=again.keeper())
