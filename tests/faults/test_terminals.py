"""Where output goes, and what surrounds the process: pipes, ASCII, HOME, platforms."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fault_runs import ROOT, WORDS, launch, one_line, results, train

from research.cli import main

LAUNCH = f"{sys.executable} {ROOT / 'launch.py'}"
WORD_LINE = " ".join(WORDS)


def shell(line: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_help_goes_into_head(tmp_path):
    done = shell(f"{LAUNCH} --help | head -n 1", tmp_path)
    assert done.stderr == ""
    assert done.stdout.startswith("Is it the activation, or the seed?")


def test_a_reader_that_leaves_at_once_is_no_fault(tmp_path):
    done = shell(f"{LAUNCH} --help | true", tmp_path)
    assert done.stderr == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault(tmp_path, closed):
    done = shell(f"{LAUNCH} --help {closed}", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_refusal_is_told_though_nobody_listens(tmp_path):
    done = shell(f"{LAUNCH} --sedes=3 >&-", tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert shell(f"{LAUNCH} --sedes=3 2>&-", tmp_path).returncode == 2


def test_output_that_a_full_disk_refuses_is_told_in_one_line(tmp_path):
    done = shell(f"{LAUNCH} --help > /dev/full", tmp_path)
    assert done.returncode not in (0, 120)
    assert done.stderr.count("\n") == 1
    assert "stdout: No space left" in done.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("whole") / "run"
    train(root)
    return root


@pytest.mark.slow
def test_a_run_whose_reader_leaves_goes_on_to_its_end(tmp_path, whole):
    done = shell(f"{LAUNCH} {WORD_LINE} --workdir=run | head -n 1", tmp_path)
    assert done.stderr == ""
    assert "moons" in done.stdout
    assert results(tmp_path / "run") == results(whole)


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["ascii", "C"],
)
def test_a_terminal_without_unicode(environment, tmp_path, whole):
    for line in ("--help", "report --workdir=" + str(whole), "--config.seeds=ä"):
        done = shell(f"{LAUNCH} {line}", tmp_path, **environment)
        assert "Traceback" not in done.stderr, line
        assert done.returncode == (2 if "ä" in line else 0)
        (done.stdout + done.stderr).encode("ascii")


@pytest.mark.parametrize("platform", ["cuda", "tpu", "nosuch"])
def test_an_accelerator_that_is_not_there(platform, tmp_path):
    done = launch(*WORDS, "--workdir=run", cwd=tmp_path, JAX_PLATFORMS=platform)
    if done.returncode == 0:
        pytest.skip(f"this machine has {platform}")
    assert done.returncode == 2
    assert f"JAX_PLATFORMS={platform}: JAX finds no such device" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["JAX_DEBUG_NANS", "JAX_DEBUG_INFS", "JAX_DISABLE_JIT"]
)
def test_a_setting_of_jax_that_a_run_cannot_have(name, tmp_path):
    done = launch(*WORDS, "--workdir=run", cwd=tmp_path, **{name: "1"})
    assert done.returncode == 2
    assert f"{name.lower()}: must be off" in one_line(done.stderr)
    assert list(tmp_path.iterdir()) == []


USER_FILES = {
    "raise SystemExit(0)": (2, "SystemExit"),
    "raise KeyboardInterrupt": (75, "stopped by SIGINT"),
    "import sys; sys.exit('no')": (2, "SystemExit: no"),
    "def f(x): raise SystemExit(3)": (2, "SystemExit: 3"),
    "def f(x): raise GeneratorExit": (2, "GeneratorExit"),
    "def f(x): raise BaseException('bare')": (2, "BaseException: bare"),
    "class E(BaseException): pass\ndef f(x): raise E": (2, "E"),
    "def f(x): return 1/0": (2, "ZeroDivisionError"),
}


@pytest.mark.parametrize("body", USER_FILES, ids=lambda body: body[:40])
def test_a_user_s_file_that_leaves(body, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(body + "\n")
    code, words = USER_FILES[body]
    for argv in (
        ["profile", "--activations=relu,own.py:f"],
        [*WORDS[1:], "--config.activations=relu,own.py:f", "--workdir=run"],
    ):
        assert main(argv) == code, argv
        assert words in one_line(capsys.readouterr().err)
    assert not Path("run").exists()


def test_a_user_s_file_that_ends_the_process_ends_it(tmp_path):
    """os._exit cannot be caught; nothing is left behind but an empty folder."""
    (tmp_path / "own.py").write_text("import os\nos._exit(9)\n")
    words = ["--config.activations=relu,own.py:f", *WORDS[1:]]
    done = launch(*words, "--workdir=run", cwd=tmp_path)
    assert done.returncode == 9
    assert not [path for path in tmp_path.rglob("run/*") if path.name != ".lock"]


def test_a_workdir_that_is_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    for workdir in ("file", "file/run"):
        for command in ([*WORDS], ["report"], ["profile", "--activations=relu"]):
            assert main([*command, f"--workdir={workdir}"]) == 2
            assert f"--workdir={workdir}" in one_line(capsys.readouterr().err)
    assert Path("file").read_text() == "mine"


def test_a_name_that_no_file_system_takes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*WORDS, f"--workdir={'x' * 300}"]) == 2
    assert "File name too long" in one_line(capsys.readouterr().err)
    assert main(["report", f"--workdir={'x' * 300}"]) == 2
    one_line(capsys.readouterr().err)


@pytest.mark.slow
def test_a_relative_workdir_without_a_home(tmp_path, whole):
    environment = {k: v for k, v in os.environ.items() if k != "HOME"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "launch.py"), *WORDS, "--workdir=out/x"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert results(tmp_path / "out/x") == results(whole)
