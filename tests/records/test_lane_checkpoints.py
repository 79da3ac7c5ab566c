"""A checkpoint is restored bit for bit, or named; never restored wrongly."""

import errno
import os
import shutil
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from research.errors import DataError
from research.records.checkpoint import (
    belongs_to,
    checkpoints,
    read_checkpoint,
    remove_checkpoints,
    write_checkpoint,
)

OF = {"config": "0f", "arm": "relu", "seeds": [3, 4], "versions": {"jax": "1"}}
ARRAYS = {
    "state/0": np.linspace(0, 1, 24, dtype=np.float32).reshape(2, 12),
    "state/1": np.asarray([True, False]),
    "state/2": np.asarray([7, 2**32 - 1], np.uint32),
    "state/3": np.asarray([[0.1], [np.nan]], jnp.bfloat16),
    "state/4": np.zeros((2, 0), np.float32),
    "curves/train_loss": np.asarray([[np.nan, 0.5], [np.nan, 0.25]], np.float32),
    "epochs": np.asarray(5),
    "seconds": np.asarray(0.1),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A block's folder with one checkpoint."""
    block = tmp_path_factory.mktemp("written") / "3-4"
    write_checkpoint(block, 5, ARRAYS, of=OF)
    return block


def assert_restored(path: Path) -> None:
    found = read_checkpoint(path, of=OF)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_every_kind_of_array_comes_back(written):
    [path] = checkpoints(written)
    assert path.name == "5"
    assert_restored(path)
    assert belongs_to(path) == OF


def test_a_bit_flip_in_any_file_is_found(written, tmp_path):
    files = [path for path in (written / "5").rglob("*") if path.is_file()]
    assert len(files) > 5
    random = np.random.default_rng(0)
    for file in files:
        shutil.copytree(written, tmp_path / "copy", dirs_exist_ok=True)
        copy = tmp_path / "copy" / file.relative_to(written)
        content = bytearray(file.read_bytes())
        for _ in range(5):
            flipped = bytearray(content)
            flipped[random.integers(len(content))] ^= 1 << random.integers(8)
            copy.write_bytes(flipped)
            with pytest.raises(DataError, match="5"):
                read_checkpoint(tmp_path / "copy/5", of=OF)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(b""),
        lambda file: file.unlink(),
        lambda file: file.with_name("more").touch(),
    ],
    ids=["truncated", "emptied", "lost", "one more"],
)
def test_a_damaged_checkpoint_is_named(written, tmp_path, spoil):
    shutil.copytree(written, tmp_path / "copy")
    path = tmp_path / "copy/5"
    [file] = path.glob("arrays/manifest.ocdbt")
    spoil(file)
    with pytest.raises(DataError, match=f"{path}: is damaged, arrays/"):
        read_checkpoint(path, of=OF)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"config": "10"}, "is of another config"),
        ({"seeds": [3, 5]}, "is of other seeds"),
        ({"versions": {"jax": "2"}}, "is of other versions"),
    ],
)
def test_a_checkpoint_of_something_else_is_named(written, other, words):
    with pytest.raises(DataError, match=words):
        read_checkpoint(written / "5", of={**OF, **other})


def test_the_last_two_are_kept(tmp_path):
    for epoch in (8, 9, 10, 100):
        write_checkpoint(tmp_path, epoch, ARRAYS, of=OF)
    assert [path.name for path in checkpoints(tmp_path)] == ["100", "10"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["10", "100"]


def test_a_half_written_one_does_not_count_and_is_written_over(tmp_path):
    write_checkpoint(tmp_path, 1, ARRAYS, of=OF)
    write_checkpoint(tmp_path, 2, ARRAYS, of=OF)
    (tmp_path / "2/sha256.json").unlink()
    (tmp_path / "2/arrays.orbax-checkpoint-tmp").mkdir()
    assert [path.name for path in checkpoints(tmp_path)] == ["1"]
    write_checkpoint(tmp_path, 2, ARRAYS, of=OF)
    assert_restored(tmp_path / "2")
    remove_checkpoints(tmp_path)
    assert not tmp_path.exists()


def test_nothing_is_kept_where_there_is_nothing(tmp_path):
    assert checkpoints(tmp_path / "none") == []
    remove_checkpoints(tmp_path / "none")


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="asks for no room")
def test_a_full_disk_is_told_and_the_one_before_stays(tmp_path, monkeypatch, capfd):
    write_checkpoint(tmp_path, 5, ARRAYS, of=OF)
    asked = []

    def full(file, start, size):
        asked.append(size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        write_checkpoint(tmp_path, 6, ARRAYS, of=OF)
    written = sum(p.stat().st_size for p in (tmp_path / "5").rglob("*") if p.is_file())
    assert asked[0] >= written
    assert capfd.readouterr() == ("", "")
    [left] = checkpoints(tmp_path)
    assert left.name == "5"
    assert_restored(left)


def test_a_folder_in_place_of_its_hashes_is_damage(written, tmp_path):
    block = tmp_path / "3-4"
    shutil.copytree(written, block)
    sums = block / "5/sha256.json"
    sums.unlink()
    sums.mkdir()
    [path] = checkpoints(block)
    with pytest.raises(DataError, match="Is a directory"):
        read_checkpoint(path, of=OF)
    remove_checkpoints(block)
    assert not block.exists()
