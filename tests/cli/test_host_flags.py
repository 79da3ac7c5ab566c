"""The flags of a run that several processes train."""

import pytest

from research.cli.flags import read
from research.errors import ConfigError
from research.records.hosts import Joining

BY_HAND = ["--coordinator=a:1", "--process_id=1", "--process_count=2", "--workdir=w"]


def test_by_hand_or_by_jax():
    assert read(["--workdir=w"]).joining is None
    assert read(["--coordinator=auto", "--workdir=w"]).joining == Joining(
        coordinator="auto"
    )
    request = read(BY_HAND)
    assert request.joining == Joining(coordinator="a:1", process_id=1, process_count=2)
    assert "--process_id=1" in request.line


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--process_id=0"], "--process_id: needs --coordinator"),
        (["--coordinator=a:1"], "needs --process_id and --process_count"),
        (["--coordinator=a"], "must be HOST:PORT of process 0, or auto"),
        (["--coordinator=a:99999"], "must be HOST:PORT of process 0, or auto"),
        (["--coordinator=a:0"], "must be HOST:PORT of process 0, or auto"),
        ([*BY_HAND[:2], f"--process_count={'1' * 5000}", BY_HAND[3]], "1 to 99999"),
        ([*BY_HAND[:2], "--process_count=123456", BY_HAND[3]], "1 to 99999"),
        (["--coordinator=auto", "--process_id=0"], "finds the processes itself"),
        (["--coordinator=auto"], "needs --workdir=DIR, a folder that all"),
        ([*BY_HAND[:1], "--process_id=x", *BY_HAND[2:]], "a whole number from 0"),
        ([*BY_HAND[:1], "--process_id=2", *BY_HAND[2:]], "below --process_count=2"),
        ([*BY_HAND[:2], "--process_count=0", BY_HAND[3]], "a whole number from 1"),
        ([*BY_HAND, "--config.mode=variance"], "mode=variance: is trained by one"),
        (["surgery", "--coordinator=auto"], "does not belong to surgery"),
    ],
)
def test_what_cannot_be_is_refused(words, told):
    with pytest.raises(ConfigError, match=told):
        read(words)
