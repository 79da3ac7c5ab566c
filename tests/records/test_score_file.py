"""Anybody's CSV: what is read, and what is refused by row and column."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.errors import DataError
from research.records.published_table import read_table
from research.records.score_file import check_pairs, read_scores


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_long_files_are_read_by_arm_in_their_order(tmp_path):
    text = "seed,arm,score\n1,relu,0.5\n0,relu,0.25\n1,gelu,1e-3\n0,gelu,-2\n"
    found = read_scores(written(tmp_path, text))
    assert list(found) == ["relu", "gelu"]
    assert found["relu"].scores.tolist() == [0.5, 0.25]
    assert found["relu"].seeds == ("1", "0")
    assert found["gelu"].rows == (4, 5)


def test_wide_files_are_read_by_column(tmp_path):
    text = "relu,seed,gelu\n0.5,7,0.6\n0.4,8,0.7\n"
    found = read_scores(written(tmp_path, text))
    assert list(found) == ["relu", "gelu"]
    assert found["gelu"].scores.tolist() == [0.6, 0.7]
    assert found["gelu"].seeds == ("7", "8")


def test_without_seeds_nothing_is_matched_and_columns_may_end_early(tmp_path):
    found = read_scores(written(tmp_path, "relu,gelu\n0.5,0.6\n0.4,0.7\n,0.8\n"))
    assert found["relu"].seeds is found["gelu"].seeds is None
    assert [len(each.scores) for each in found.values()] == [2, 3]
    long = read_scores(written(tmp_path, "arm,score\na,1\na,2\nb,3\nb,4\n"))
    assert long["a"].seeds is None


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffArm,Seed,Score\r\na,1,1\r\na,2,2\r\nb,1.0,3\r\nb, 2,4\r\n",
        '"arm","seed","score"\n"a","1","1"\na,2,2\n\n,,\nb,1,3\nb,2,4',
    ],
)
def test_what_spreadsheets_write_is_understood(text, tmp_path):
    path = written(tmp_path, text)
    found = read_scores(path)
    assert found["b"].scores.tolist() == [3, 4]
    assert found["a"].seeds == found["b"].seeds
    check_pairs(path, found, "a")


LONG = "arm,seed,score\n"
REFUSED = {
    "empty": ("", ["is empty"]),
    "blank": ("\n \n,,\n", ["is empty"]),
    "header alone": ("arm,seed,score\n", ["a header and no rows"]),
    "not utf-8": (b"arm,score\nrelu,1\ng\xe9lu,2\n", ["row 3", "not UTF-8", "0xe9"]),
    "utf-16": ("arm,score\n".encode("utf-16"), ["row 1", "not UTF-8"]),
    "zero byte": (b"a,b\n1,2\n\0,3\n", ["row 3", "zero byte"]),
    "no header": ("0.5,0.6\n0.4,0.7\n", ["row 1, column 1", "'0.5' is a number"]),
    "no name": (",relu,gelu\n0,1,2\n", ["row 1, column 1", "has no name"]),
    "name twice": ("relu,gelu,relu\n1,2,3\n", ["column 3", "names two columns"]),
    "odd name": ("relu,g\x07\n1,2\n", ["column 2", "printable"]),
    "no score": ("arm,seed,accuracy\na,1,1\n", ["has no column score", "accuracy"]),
    "foreign": ("arm,seed,score,lr\na,1,1,1\n", ["column lr", "not known"]),
    "semicolons": ("arm;seed;score\na;1;1\n", ["column arm;seed;score"]),
    "ragged": (LONG + "a,1,1\na,2\n", ["row 3", "2 cells, the header 3"]),
    "text": (LONG + "a,1,1\na,2,high\n", ["row 3, column score", "'high'"]),
    "comma": (LONG + 'a,1,"0,5"\n', ["row 2, column score", "with a point"]),
    "underscore": (LONG + "a,1,1_0\n", ["row 2, column score", "not a number"]),
    "nan": (LONG + "a,1,nan\n", ["row 2, column score", "not finite"]),
    "infinite": ("relu,gelu\n1,2\n3,-inf\n", ["row 3, column gelu", "not finite"]),
    "huge": ("relu,gelu\n1,1e200\n", ["row 2, column gelu", "beyond 1e100"]),
    "empty score": (LONG + "a,1,\n", ["row 2, column score", "is empty"]),
    "empty arm": (LONG + ",1,2\n", ["row 2, column arm", "is empty"]),
    "empty seed": (LONG + "a,,2\n", ["row 2, column seed", "is empty"]),
    "hole": ("relu,gelu\n1,2\n,3\n4,5\n", ["row 3, column relu", "follow below"]),
    "seed twice": (LONG + "a,1,1\na,1.0,2\n", ["row 3, column seed", "row 2 already"]),
    "wide twice": ("seed,a,b\n1,1,1\n1,2,2\n", ["row 3, column seed", "row 2 already"]),
    "one arm": (LONG + "a,1,1\na,2,2\n", ["one arm (a)", "takes two"]),
    "wide one arm": ("seed,a\n1,1\n2,2\n", ["one arm (a)"]),
    "seeds alone": ("seed\n1\n2\n", ["no arm"]),
    "one run": (LONG + "a,1,8\nb,1,5\nb,2,5\n", ["column a", "1 run (row 2)", "few"]),
    "no run": ("a,b\n1,\n2,\n", ["column b", "no runs"]),
    "open quote": ('arm,score\n"a,1\n', ["row 2", "unexpected end"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_row_and_column(case, tmp_path):
    content, words = REFUSED[case]
    with pytest.raises(DataError) as refusal:
        read_scores(written(tmp_path, content))
    told = str(refusal.value)
    assert told.startswith(str(tmp_path / "scores.csv"))
    for word in words:
        assert word in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            LONG + "a,1,1\na,2,2\nb,1,3\nb,3,4\n",
            ["row 5: b has seed 3, arm a has none", "2 seeds lack their pair"],
        ),
        (
            "seed,a,b\n1,1,1\n2,2,\n3,3,3\n",
            ["row 3: a has seed 2, arm b has none", "1 seed lacks its pair"],
        ),
    ],
)
def test_missing_pairs_are_named(text, words, tmp_path):
    path = written(tmp_path, text)
    found = read_scores(path)
    with pytest.raises(DataError) as refusal:
        check_pairs(path, found, "a")
    for word in words:
        assert word in str(refusal.value)


def test_seeds_of_their_own_for_each_arm_are_no_missing_pairs(tmp_path):
    path = written(tmp_path, "seed,a,b\n1,1,\n2,2,\n3,,1\n4,,2\n")
    found = read_scores(path)
    check_pairs(path, found, "a")
    assert (found["a"].seeds, found["b"].seeds) == (("1", "2"), ("3", "4"))


TABLES = {
    "no column": ("name,mean,sd,n\na,1,1,3\n", ["has no column std"]),
    "foreign": ("name,mean,std,n,p\na,1,1,3,0\n", ["column p", "not known"]),
    "one row": ("name,mean,std,n\na,1,1,3\n", ["one row"]),
    "twice": ("name,mean,std,n\na,1,1,3\na,2,1,3\n", ["row 3, column name", "twice"]),
    "no spread": ("name,mean,std,n\na,1,0,3\n", ["row 2, column std", "above 0"]),
    "negative": ("name,mean,std,n\na,1,-1,3\n", ["row 2, column std", "above 0"]),
    "one run": ("name,mean,std,n\na,1,1,1\n", ["row 2, column n", "2 or more"]),
    "half a run": ("name,mean,std,n\na,1,1,2.5\n", ["row 2, column n", "whole"]),
    "text": ("name,mean,std,n\na,high,1,3\n", ["row 2, column mean", "'high'"]),
    "nan": ("name,mean,std,n\na,1,nan,3\n", ["row 2, column std", "not finite"]),
    "no name": ("name,mean,std,n\n,1,1,3\n", ["row 2, column name", "is empty"]),
}


@pytest.mark.parametrize("case", TABLES)
def test_published_tables_are_refused_by_row_and_column(case, tmp_path):
    content, words = TABLES[case]
    with pytest.raises(DataError) as refusal:
        read_table(written(tmp_path, content))
    for word in words:
        assert word in str(refusal.value)


def test_a_published_table_is_read_whatever_its_order_of_columns(tmp_path):
    text = "N,Name,Std,Mean\n3,Mish,0.0436,87.93\n23.0,GELU,.4,87.37\n"
    first, second = read_table(written(tmp_path, text))
    assert (first.name, first.mean, first.std, first.n) == ("Mish", 87.93, 0.0436, 3)
    assert second.n == 23


CELLS = st.one_of(
    st.sampled_from(
        ["arm", "seed", "score", "name", "mean", "std", "n", "relu", "", " ", "nan"]
    ),
    st.sampled_from(["0", "1", "2", "0.5", "-1e99", "1e-310", "7.0", '"', "\n", "é"]),
    st.floats().map(str),
    st.text(max_size=4),
)
TEXTS = st.lists(st.lists(CELLS, min_size=1, max_size=4).map(",".join), max_size=8)
BYTES = st.one_of(
    st.binary(max_size=60), TEXTS.map(lambda rows: "\n".join(rows).encode())
)


@pytest.mark.parametrize("head", [b"", b"arm,seed,score\n", b"a,b\n", b"seed,a,b\n"])
@given(content=BYTES)
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_scores_or_a_refusal(head, content, tmp_path_factory):
    path = written(tmp_path_factory.getbasetemp(), head + content)
    found = outcome_of(read_scores, path)
    if not isinstance(found, DataError):
        assert len(found) > 1
        assert all(np.isfinite(each.scores).all() for each in found.values())
        outcome_of(lambda path: check_pairs(path, found, next(iter(found))), path)
    outcome_of(read_table, path)


def outcome_of(read, path):
    """What is read, or the refusal; any other exception fails the test."""
    try:
        return read(path)
    except DataError as refusal:
        return refusal
