"""analyse and check_table from the command line, on files."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def summary_of(folder: str) -> dict:
    return json.loads((Path(folder) / "results/summary.json").read_text())


def write_scores(name: str, *, seeds: int, shift: float, noise: float = 0.001) -> None:
    generator = np.random.default_rng(3)
    common = generator.normal(0.9, 0.02, size=seeds)
    arm = common + shift + generator.normal(0, noise, size=seeds)
    rows = [f"relu,{i},{x}" for i, x in enumerate(common)]
    rows += [f"gelu,{i},{x}" for i, x in enumerate(arm)]
    Path(name).write_text("\n".join(["arm,seed,score", *rows]) + "\n")


def test_paired_scores_get_the_whole_report(capsys):
    write_scores("s.csv", seeds=16, shift=0.002)
    assert main(["analyse", "--scores=s.csv", "--margin=0.001"]) == 0
    out = capsys.readouterr().out
    assert "2 arms · 16 seeds, paired" in out
    assert "GELU is better than ReLU here" in out
    assert "Pairing matters here: unpaired, GELU against ReLU would be undecided" in (
        " ".join(out.split())
    )
    assert "TensorBoard" not in out
    found = summary_of("runs/s-1")
    assert (found["schema"], found["mode"], found["reference"]) == (
        1,
        "analyse",
        "relu",
    )
    assert found["optimizer"] is found["pairing"] is None
    [comparison] = found["comparisons"]
    assert comparison["verdict"] == "better"
    assert comparison["other_design"]["verdict"] == "undecided"
    files = {
        str(path.relative_to("runs/s-1")) for path in Path("runs/s-1").rglob("*.*")
    }
    assert files == {
        *("manifest.json", "report.html", "report.md"),
        *("results/summary.json", "results/per_seed.csv"),
        *("figures/paired_differences.png", "figures/false_winners.png"),
    }
    page = Path("runs/s-1/report.html").read_text()
    for absent in ("None", "nan", "could not be read", "(exact, erf)", "Dead units"):
        assert absent not in page
    manifest = json.loads(Path("runs/s-1/manifest.json").read_text())
    assert set(manifest["source_sha256"]) == {"s.csv"}
    assert "--scores=s.csv --margin=0.001" in manifest["command"]


def test_scores_without_seeds_are_unpaired_and_told_what_pairing_would_say(capsys):
    write_scores("s.csv", seeds=16, shift=0.002)
    lines = Path("s.csv").read_text().splitlines()
    scores = [line.rpartition(",")[2] for line in lines[1:]]
    rows = [f"{a},{b}" for a, b in zip(scores[:16], scores[16:], strict=True)]
    Path("wide.csv").write_text("\n".join(["relu,gelu", *rows]))
    assert main(["analyse", "--scores=wide.csv", "--workdir=w"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "16 unpaired runs of each" in out
    assert "no margin given" in out
    assert "Paired row by row the verdict would be better" in out
    assert "add a column seed" in out
    assert Path("w/figures/scores.png").exists()
    assert not Path("w/figures/paired_differences.png").exists()
    assert "equivalence is not judged" in Path("w/report.md").read_text()
    assert summary_of("w")["margin"] is None


def test_lower_is_better_and_another_reference(capsys):
    write_scores("s.csv", seeds=12, shift=0.05)
    argv = ["analyze", "--scores=s.csv", "--workdir=w", "--lower_is_better"]
    assert main(argv) == 0
    assert summary_of("w")["comparisons"][0]["verdict"] == "worse"
    assert main([*argv, "--reference=gelu"]) == 0
    assert summary_of("w")["comparisons"][0]["verdict"] == "better"
    assert "lower is better" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["analyse", "--scores=s.csv", "--reference=glu"], 2, ["did you mean gelu?"]),
        (["analyse", "--scores=s.csv", "--reference="], 2, ["--reference=''"]),
        (["analyse", "--scores=s.csv", "--margin=-1"], 2, ["--margin=-1.0"]),
        (["analyse", "--scores=s.csv", "--margin=nan"], 2, ["--margin=nan"]),
        (["analyse", "--scores=s.csv", "--margin=x"], 2, ["--margin='x'"]),
        (["analyse", "--scores=s.csv", "--confidence=95"], 2, ["--confidence=95.0"]),
        (["analyse", "--scores=s.csv", "--lower_is_better=no"], 2, ["true or false"]),
        (["analyse", "--scores=s.csv", "--lower_is_better", "no"], 2, ["'no'"]),
        (["analyse", "--scores=one.csv"], 3, ["one.csv", "takes two"]),
        (["analyse", "--scores=few.csv"], 3, ["column a", "1 run (row 2)", "too few"]),
        (["analyse", "--scores=s.csv", "--workdir=."], 2, ["holds no such analysis"]),
        (["check_table", "--table=s.csv"], 3, ["has no column name"]),
    ],
)
def test_refused_in_one_line(argv, code, words, capsys):
    write_scores("s.csv", seeds=8, shift=0.0)
    Path("one.csv").write_text("arm,score\na,1\na,2\n")
    Path("few.csv").write_text("arm,score\na,8\nb,5\nb,5\nb,8\nb,7\nb,8\n")
    assert main(argv) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for word in words:
        assert word in err
    assert not Path("runs").exists()


def test_two_runs_against_five_name_no_winner(capsys):
    Path("few.csv").write_text("a,b\n10,5\n8,5\n,8\n,7\n,8\n")
    assert main(["analyse", "--scores=few.csv", "--workdir=w"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "b against a is undecided here" in out
    assert "5 and 2 unpaired runs are too few for a verdict" in out


@pytest.mark.parametrize(
    ("differences", "verdict", "words"),
    [
        ([0.0] * 10, "equivalent", "identical on each of the 10 paired seeds"),
        ([0.01] * 10, "undecided", "the seeds do not vary"),
    ],
)
def test_degenerate_differences(differences, verdict, words, capsys):
    base = [0.9 + i / 100 for i in range(10)]
    rows = [f"relu,{i},{x}" for i, x in enumerate(base)]
    rows += [f"gelu,{i},{x + differences[i]}" for i, x in enumerate(base)]
    Path("s.csv").write_text("\n".join(["arm,seed,score", *rows]))
    assert main(["analyse", "--scores=s.csv", "--margin=0.1", "--workdir=w"]) == 0
    assert summary_of("w")["comparisons"][0]["verdict"] == verdict
    assert words in " ".join(capsys.readouterr().out.split())


def test_the_mish_table_from_three_and_from_twenty_three_runs(capsys):
    for name, student, welch in (
        ("mish_n3", "0.0023", "0.0136"),
        ("mish_n23", "0.40", "0.40"),
    ):
        table = EXAMPLES / f"{name}.csv"
        argv = ["check_table", f"--table={table}", "--reference=GELU"]
        assert main([*argv, f"--workdir={name}"]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert f"Student p = {student}, Welch p = {welch}" in out
        assert "unpaired" in out
        assert Path(name, "figures/claims.png").exists()
        assert "Mish" in Path(name, "report.html").read_text()
        assert Path(name, "report.md").exists()
        assert main(["report", f"--workdir={name}"]) == 0
        assert f"Student p = {student}" in " ".join(capsys.readouterr().out.split())
    assert "many comparisons: 14 rows" in out
    found = summary_of("mish_n3")
    assert found["claims"][0]["student_p"] == pytest.approx(0.0022612, rel=1e-4)


def test_three_analyses_as_a_suite(capsys):
    for name, shift in (("a", 0.03), ("b", 0.02), ("c", 0.01)):
        write_scores(f"{name}.csv", seeds=12, shift=shift)
        assert main(["analyse", f"--scores={name}.csv", f"--workdir={name}"]) == 0
    capsys.readouterr()
    assert main(["analyse", "--workdirs=a,b,c", "--workdir=suite"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "3 tasks · 2 arms · reference ReLU" in out
    assert "average rank 2.00 1.00" in out
    assert "p = 0.25 by permuting ranks" in out
    assert "Interquartile mean of score: GELU +0.0" in out
    found = summary_of("suite")
    assert found["iqm"][1]["difference"] == pytest.approx(0.02, abs=0.002)
    assert [task["name"] for task in found["tasks"]] == ["a.csv", "b.csv", "c.csv"]
    assert Path("suite/figures/suite.png").exists()
    assert main(["analyse", "--workdirs=a,b", "--workdir=two"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "2 runs: ranks over tasks are not tested below 3 runs" in out
    assert main(["analyse", "--workdirs=a,a/"]) == 2
    assert "is named twice" in capsys.readouterr().err
    Path("d.csv").write_text("relu,gelu\n1,2\n2,3\n")
    assert main(["analyse", "--scores=d.csv", "--workdir=d"]) == 0
    assert main(["analyse", "--workdirs=a,d"]) == 3
    assert "relu has runs without seeds of their own" in capsys.readouterr().err
    write_scores("e.csv", seeds=12, shift=0.0)
    Path("e.csv").write_text(Path("e.csv").read_text().replace("gelu", "silu"))
    assert main(["analyse", "--scores=e.csv", "--workdir=e"]) == 0
    capsys.readouterr()
    assert main(["analyse", "--workdirs=a,e"]) == 3
    assert capsys.readouterr().err == (
        "launch.py: a: lacks the arm silu, which e has; every run of a suite needs every "
        "arm\n"
    )


def test_an_analysis_is_written_anew_in_its_folder_and_no_run_is_trained_there(capsys):
    write_scores("s.csv", seeds=8, shift=0.0)
    argv = ["analyse", "--scores=s.csv", "--workdir=w"]
    assert main(argv) == main([*argv, "--margin=0.5"]) == 0
    assert summary_of("w")["margin"] == 0.5
    assert main(["--workdir=w"]) == 2
    assert (
        main(["check_table", f"--table={EXAMPLES / 'mish_n3.csv'}", "--workdir=w"]) == 2
    )
    assert "holds no such analysis" in capsys.readouterr().err


CELLS = st.one_of(
    st.integers(0, 3).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["", "a", "b", "$x$", "<b>", "[red]", "%"]),
)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS).map(",".join), min_size=2, max_size=14)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    head=st.sampled_from(["arm,seed,score", "seed,relu,gelu", "a,b,$c$"]),
    rows=ROWS,
    margin=st.sampled_from([[], ["--margin=0.5"]]),
)
def test_any_file_gives_a_result_or_one_line(head, rows, margin, capsys):
    Path("f.csv").write_text("\n".join([head, *rows]))
    with pytest.MonkeyPatch.context() as patch:
        # Drawing takes a second; what it draws is tested elsewhere.
        patch.setattr("research.reporting.report.draw_all", nothing_drawn)
        code = main(["analyse", "--scores=f.csv", "--workdir=w", *margin])
    err = capsys.readouterr().err
    assert (code, err.count("\n")) in ((0, 0), (3, 1))


def nothing_drawn(workdir):
    from research.reporting.figures import Drawn

    return Drawn()


@pytest.mark.parametrize(
    "argv",
    [
        ["analyse", f"--scores={EXAMPLES / 'scores_long.csv'}", "--workdir=w"],
        ["check_table", f"--table={EXAMPLES / 'mish_n3.csv'}", "--workdir=w"],
        ["analyse", "--workdirs=a", "--workdir=w"],
    ],
)
def test_no_analysis_imports_jax(argv, tmp_path):
    write_scores("s.csv", seeds=8, shift=0.0)
    assert main(["analyse", "--scores=s.csv", "--workdir=a"]) == 0
    code = (
        "import sys\n"
        "from research.cli import main\n"
        f"assert main({argv!r}) == 0\n"
        "assert not {'jax', 'jaxlib', 'flax', 'optax'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="Linux tells it")
@pytest.mark.parametrize("first", [0, 50_000])
def test_a_hundred_thousand_rows_take_seconds_and_little_memory(first, tmp_path):
    generator = np.random.default_rng(0)
    rows = ["arm,seed,score"]
    for arm, start in (("relu", 0), ("gelu", first)):
        scores = generator.normal(0.9, 0.01, 50_000).tolist()
        rows += [f"{arm},{start + i},{x}" for i, x in enumerate(scores)]
    Path("s.csv").write_text("\n".join(rows))
    code = (
        "import resource\n"
        "from research.cli import main\n"
        "assert main(['analyse', '--scores=s.csv', '--margin=0.001']) == 0\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        # Not ru_maxrss: a process has that of the one that started it, too.
        "status = open('/proc/self/status').read().split()\n"
        "print(used.ru_utime + used.ru_stime, status[status.index('VmHWM:') + 1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    # Processor time, which other work on the machine does not change.
    seconds, kibibytes = map(float, done.stdout.splitlines()[-1].split())
    assert seconds < 10
    assert kibibytes < 2**20
