"""The lock of a run folder: one process, whatever comes between two of its steps."""

import fcntl

import pytest

from research.errors import ConfigError
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
    with locked(tmp_path) as note:
        assert note is None


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
