"""The lock of a run folder: one process, whatever comes between two of its steps."""

import fcntl
import json
import shutil

import pytest

from research.errors import ConfigError, DataError
from research.records import lock
from research.records.lock import locked


def test_a_lock_on_a_file_that_was_removed_is_no_lock(tmp_path, monkeypatch):
    """A leaves between B's opening of the file and B's lock; C then takes the folder."""
    first = locked(tmp_path)
    first.__enter__()
    third = locked(tmp_path)
    flock, calls = fcntl.flock, []

    def slow(file, how):
        calls.append(how)
        if len(calls) == 1:
            first.__exit__(None, None, None)
            third.__enter__()
        flock(file, how)

    monkeypatch.setattr(lock.fcntl, "flock", slow)
    with pytest.raises(ConfigError, match="is in use by process"), locked(tmp_path):
        pass
    third.__exit__(None, None, None)
    with locked(tmp_path) as taken:
        assert taken.note is None


def test_a_lock_whose_file_is_gone_is_taken_anew(tmp_path, monkeypatch):
    first = locked(tmp_path)
    first.__enter__()
    flock, calls = fcntl.flock, []

    def slow(file, how):
        calls.append(how)
        if len(calls) == 1:
            first.__exit__(None, None, None)
        flock(file, how)

    monkeypatch.setattr(lock.fcntl, "flock", slow)
    with locked(tmp_path):
        assert (tmp_path / lock.NAME).is_file()
        with pytest.raises(ConfigError), locked(tmp_path):
            pass


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"pid": "x", "host": "y"}',
        b"5",
        json.dumps({"pid": 1, "host": "\x1b[31m"}).encode(),
    ],
    ids=["no text", "nested", "no number", "no mapping", "colour"],
)
def test_a_damaged_lock_of_nobody_is_taken_over(tmp_path, content):
    (tmp_path / lock.NAME).write_bytes(content)
    with locked(tmp_path) as taken:
        assert taken.note == "took the folder over from another process, which is gone"
    assert not (tmp_path / lock.NAME).exists()


def test_a_folder_in_place_of_the_lock_is_named(tmp_path):
    (tmp_path / lock.NAME).mkdir()
    with pytest.raises(DataError, match=r"\.lock: is a folder"), locked(tmp_path):
        pass


def test_a_folder_that_became_anothers_is_let_alone(tmp_path):
    root = tmp_path / "run"
    with locked(root) as first:
        first.check()
        shutil.rmtree(root)
        with pytest.raises(DataError, match="was removed, or taken over"):
            first.check()
        second = locked(root)
        second.__enter__()
        with pytest.raises(DataError, match="was removed, or taken over"):
            first.check()
    assert (root / lock.NAME).is_file()  # the second's
    with pytest.raises(ConfigError, match="is in use"), locked(root):
        pass
    second.__exit__(None, None, None)
