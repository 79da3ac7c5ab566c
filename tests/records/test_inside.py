"""What may lie in a run folder that anybody may have made."""

import os
import socket

import pytest

from research.errors import DataError
from research.records.inside import check_inside


def test_files_folders_and_links_inside_pass(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/a.csv").write_text("a")
    (tmp_path / "b.csv").symlink_to("results/a.csv")
    (tmp_path / "gone").symlink_to("results/missing")
    check_inside(tmp_path)


@pytest.mark.parametrize("target", ["../other", "/etc/hostname", "..", "results/../.."])
def test_a_link_that_leads_out_is_named(tmp_path, target):
    root = tmp_path / "run"
    root.mkdir()
    (root / "link").symlink_to(target)
    with pytest.raises(DataError, match="link: is a link that leads out of the run"):
        check_inside(root)


@pytest.mark.parametrize("around", [["a"], ["a", "b"]])
def test_a_link_in_a_circle_is_named(tmp_path, around):
    for name, target in zip(around, [*around[1:], around[0]], strict=True):
        (tmp_path / name).symlink_to(target)
    with pytest.raises(DataError, match="a: is a link that leads in a circle"):
        check_inside(tmp_path)


def test_what_would_be_waited_for_is_named(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "log.txt")
    with pytest.raises(DataError, match=r"log\.txt: is no file but a pipe"):
        check_inside(tmp_path)
    (tmp_path / "log.txt").unlink()
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        with pytest.raises(DataError, match="socket: is no file"):
            check_inside(tmp_path)
