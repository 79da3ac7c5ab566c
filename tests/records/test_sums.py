"""The hashes of a finished run: every edit is told, and what was not hashed is not."""

import pytest

from research.errors import DataError
from research.records.folder import RunFolder, write_bytes
from research.records.sums import altered, check_unaltered, write_sums


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    folder = RunFolder(tmp_path)
    for path in (folder.config, folder.summary, folder.per_seed, folder.ledger):
        write_bytes(path, b"as written")
    return folder


def test_an_edited_file_is_named(folder):
    write_sums(folder)
    check_unaltered(folder)
    for path in (folder.config, folder.per_seed, folder.summary):
        write_bytes(path, b"as edited")
    names = ["config.json", "results/per_seed.csv", "results/summary.json"]
    assert altered(folder) == [f"{name} is not as the run wrote it" for name in names]
    with pytest.raises(DataError, match=r": config\.json is not as the run wrote it"):
        check_unaltered(folder)


def test_the_ledger_and_an_older_run_are_not_judged(folder):
    write_sums(folder)
    write_bytes(folder.ledger, b"with one more entry")
    assert altered(folder) == []
    folder.sums.unlink()
    write_bytes(folder.summary, b"as edited")
    assert altered(folder) == []


def test_damaged_hashes_are_named(folder):
    write_bytes(folder.sums, b"{")
    with pytest.raises(DataError, match=r"sha256\.json: is damaged"):
        check_unaltered(folder)
