"""Any file as --scores or --table: a verdict, or one line that says what is wrong."""

import contextlib
import io
import random
import re
import shutil
from pathlib import Path

import pytest
from fault_runs import one_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research.cli import main
from research.reporting.figures import Drawn

LONG = b"""arm,seed,score
relu,0,0.91
relu,1,0.92
relu,2,0.9
gelu,0,0.93
gelu,1,0.9
gelu,2,0.94
"""
WIDE = b"seed,relu,gelu\n0,0.91,0.92\n1,0.9,0.94\n2,0.93,0.91\n"
TABLE = b"name,mean,std,n\nrelu,0.91,0.01,5\ngelu,0.92,0.02,5\n"
CELLS = (
    "",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e99",
    "1e-320",
    "0",
    "-0.0",
    "1_0",
    "0x1p3",
    "٣",
    "1,5",
    '"1\n2"',
    '"',
    "'",
    "=1+1",
    "relu",
    "seed",
    "x" * 200,
    "é",
    "\x00",
    "\ufeff",
    "<script>",
    "2" * 400,
)
FLAGS = st.sampled_from(
    ([], ["--margin=0.01"], ["--reference=gelu"], ["--lower_is_better"])
)
SLOW = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch):
    for name in ("draw_all", "draw_document"):
        stand = lambda *args: Drawn()  # noqa: E731
        monkeypatch.setattr(f"research.reporting.report.{name}", stand)


def judged_or_refused(content: bytes, folder: Path, flags: list[str]) -> None:
    path = folder / "scores.csv"
    path.write_bytes(content)
    for command in (
        ["analyse", f"--scores={path}"],
        ["check_table", f"--table={path}"],
    ):
        if command[0] == "check_table" and "--margin=0.01" in flags:
            continue
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*command, *flags, f"--workdir={folder / 'out'}"])
        shutil.rmtree(folder / "out", ignore_errors=True)
        assert code in (0, 2, 3), content
        if code:
            assert str(path) in one_line(err.getvalue()) or code == 2
            assert out.getvalue() == ""


@st.composite
def tables(draw) -> bytes:
    """Draws one of the files with some cells, rows, quotes or bytes changed."""
    base = draw(st.sampled_from((LONG, WIDE, TABLE)))
    rows = [line.split(",") for line in base.decode().splitlines()]
    for _ in range(draw(st.integers(1, 4))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        row[draw(st.integers(0, len(row) - 1))] = draw(st.sampled_from(CELLS))
    if draw(st.booleans()):
        rows.insert(draw(st.integers(0, len(rows))), draw(st.sampled_from(rows)))
    end = draw(st.sampled_from(("\n", "\r\n", "\r")))
    mark = draw(st.sampled_from(("", "\ufeff")))
    coding = draw(st.sampled_from(("utf-8", "utf-16", "latin-1")))
    return (mark + end.join(map(",".join, rows))).encode(coding, "ignore")


@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(content=st.one_of(tables(), st.binary(max_size=60)), flags=FLAGS)
def test_any_file_is_judged_or_refused(tmp_path, content, flags):
    judged_or_refused(content, tmp_path, flags)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=SLOW)
@given(content=st.one_of(tables(), st.binary(max_size=60)), flags=FLAGS)
def test_many_files(tmp_path, content, flags):
    judged_or_refused(content, tmp_path, flags)


@pytest.mark.parametrize("base", [LONG, WIDE, TABLE])
def test_a_byte_order_mark_and_other_line_ends_change_nothing(base, tmp_path, capsys):
    command = "check_table" if base is TABLE else "analyse"
    flag = "table" if base is TABLE else "scores"
    shown = []
    for content in (base, b"\xef\xbb\xbf" + base, base.replace(b"\n", b"\r\n")):
        path = tmp_path / "scores.csv"
        path.write_bytes(content)
        assert main([command, f"--{flag}={path}", f"--workdir={tmp_path / 'o'}"]) == 0
        shown.append(capsys.readouterr().out)
    told = {re.split(r"\n\d+ \w+ (?:judged|checked) in", text)[0] for text in shown}
    assert len(told) == 1


@pytest.mark.parametrize("base", [LONG, WIDE, TABLE])
def test_a_file_cut_anywhere_is_judged_or_refused(base, tmp_path):
    rng = random.Random(0)
    for at in rng.sample(range(len(base)), 12):
        judged_or_refused(base[:at], tmp_path, [])
