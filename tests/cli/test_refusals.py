"""Every refusal is one line on stderr, exit code 2, before anything is trained."""

import re
from pathlib import Path

import pytest

from research.cli import main

CONFIG = "--config."


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def refusal(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Runs a command line that must be refused and returns its one line."""
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert not Path("runs").exists()
    return err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        # Commands and stray words.
        (["comprae"], ["'comprae'", "compare, report", "did you mean compare?"]),
        (["compare", "foo"], ["'foo'", "belongs to no flag"]),
        (["--config.seeds=3", "report"], ["report", "before the flags"]),
        ([""], ["''", "no such command"]),
        (["--"], ["'--'", "belongs to no flag"]),
        (["--config.seeds", "8", "16"], ["'16'", "lists with commas"]),
        (["help", "me"], ["'me'"]),
        # Flags.
        (["--x", "False"], ["--x", "--config, --workdir"]),
        (["--resume=False"], ["--resume", "no such flag"]),
        (["--workdri=a"], ["did you mean --workdir?"]),
        (["--seeds=8"], ["did you mean --config.seeds?"]),
        (["--confg.seeds=8"], ["did you mean --config.seeds?"]),
        (["--workdir.seeds=8"], ["--workdir.seeds", "no such flag"]),
        (["--helpfull"], ["did you mean --help?"]),
        (["--flagfile=x"], ["--flagfile", "no such flag"]),
        (["--noconfig.seeds"], ["no such flag"]),
        (["-3"], ["-3", "no such flag"]),
        (["--ä=3"], ["--ä", "no such flag"]),
        (["--config.seeds"], ["--config.seeds", "needs a value"]),
        (["--config.seeds", "--workdir=a"], ["--config.seeds", "needs a value"]),
        (["--config.seeds=8", "--config.seeds=8"], ["--config.seeds", "twice"]),
        (["--config.first-seed=8", "--config.first_seed", "9"], ["twice", "'8'"]),
        (["report", "--config.seeds=8"], ["does not belong to report", "--workdir"]),
        (["help", "--workdir=a"], ["does not belong to help"]),
        (["--config="], ["--config=''", "a path"]),
        (["--workdir="], ["--workdir=''", "a path"]),
        # Fields.
        (["--config.modle.hidden=3"], ["mean --config.model.hidden?"]),
        (["--config.modle.act=relu"], ["--config.modle.act='relu'", "no such field"]),
        (["--config.num_seeds=-1"], ["no such field", "mean --config.seeds?"]),
        (["--config.lr=nan"], ["mean --config.optimizer.learning_rate?"]),
        (["--config.learning_rate=1"], ["mean --config.optimizer.learning_rate?"]),
        (["--config.zzz=1"], ["--config.zzz='1'", "--help"]),
        (["--config.=1"], ["no such field"]),
        (["--config.a\nb=1"], ["no such field"]),
        (["--config.model.hidden[0]=3"], ["mean --config.model.hidden?"]),
        (["--config.model=3"], ["is a section", "model.hidden"]),
        # Values.
        (["--config.seeds=3.5"], ["--config.seeds='3.5'", "a whole number from 1"]),
        (["--config.seeds=1_0"], ["--config.seeds='1_0'", "a whole number"]),
        (["--config.seeds=abc"], ["--config.seeds='abc'", "a whole number"]),
        (["--config.seeds=1e9"], ["--config.seeds='1e9'", "a whole number"]),
        (["--config.seeds=-1"], ["--config.seeds=-1", "from 1"]),
        (["--config.seeds", "-1"], ["--config.seeds=-1", "from 1"]),
        (["--config.seeds="], ["--config.seeds=''", "a whole number"]),
        (["--config.seeds=" + "9" * 5000], ["--config.seeds='99", "a whole number"]),
        (["--config.seeds=99999999999"], ["from 1 to 1000000"]),
        (["--config.model.hidden=64,x"], ["model.hidden='x'", "a whole number"]),
        (["--config.model.hidden=()"], ["model.hidden=''", "a whole number"]),
        (["--config.model.hidden=64 64"], ["model.hidden='64 64'"]),
        (["--config.model.initializer=he"], ["'he'", "he_normal"]),
        (
            ["--config.optimizer.learning_rate=nan"],
            ["learning_rate=nan", "float32 holds"],
        ),
        (
            ["--config.optimizer.learning_rate=inf"],
            ["learning_rate=inf", "float32 holds"],
        ),
        (
            ["--config.optimizer.learning_rate=-1"],
            ["learning_rate=-1.0", "float32 holds"],
        ),
        (["--config.optimizer.learning_rate=1e-3,1e-2"], ["one value only"]),
        (["--config.optimizer.name=adma"], ["did you mean adam?"]),
        (["--config.task.name=mons"], ["task.name='mons'", "did you mean moons?"]),
        (["--config.task.noise=-0.1"], ["task.noise=-0.1", "from 0 to 1000"]),
        (["--config.compute.devices=two"], ["compute.devices='two'", "256, or all"]),
        (["--config.vary=init,seed"], ["vary='seed'", "one of init"]),
        # Arms.
        (["--config.activations=gelu,rleu"], ["'rleu'", "did you mean relu"]),
        (["--config.activations=gelu,gelu"], ["gelu is named twice"]),
        (["--config.activations=swish,silu"], ["the same function, silu"]),
        (["--config.activations="], ["activations=''", "a name"]),
        (["--config.activations=gelü"], ["'gelü'", "did you mean gelu"]),
        (["--config.reference=tanh"], ["reference='tanh'", "relu, gelu"]),
        # Values that do not go together.
        (["--config.batch_size=1201"], ["batch_size=1201", "at most 1200"]),
        (["--config.task.samples=800"], ["task.samples=800", "must be more than 800"]),
        # Files and folders.
        (["--config=mons.py"], ["mons.py", "no such file", "configs/moons.py?"]),
        (["--config=qqqq.py"], ["--config=qqqq.py: no such file\n"]),
        (["--config=."], ["--config=.", "cannot be read"]),
        (["report"], ["needs --workdir"]),
        (["report", "--workdir=none"], ["--workdir=none", "no such folder"]),
        (["report", "--workdir=."], ["holds no finished run"]),
        # analyse and check_table.
        (["analyse"], ["analyse: needs --scores=FILE.csv or --workdirs"]),
        (["analyze"], ["analyse: needs"]),
        (["analyse", "--scores=a.csv", "--workdirs=b"], ["one of the two"]),
        (["analyse", "--scores=none.csv"], ["--scores=none.csv: no such file"]),
        (["analyse", "--scores=."], ["--scores=.", "cannot be read"]),
        (["analyse", "--workdirs=."], ["--workdirs=.", "no finished run"]),
        (["analyse", "--workdirs=a,,b"], ["--workdirs=''", "a path"]),
        (["analyse", "--workdirs=a", "--margin=1"], ["--margin", "not go with"]),
        (["analyse", "--workdirs=", "--confidence=.9"], ["--workdirs=''", "a path"]),
        (["analyse", "--config.seeds=3"], ["does not belong to analyse", "--scores"]),
        (["analyse", "--score=a.csv"], ["did you mean --scores?"]),
        (["analyse", "--table=a.csv"], ["does not belong to analyse"]),
        (["check_table"], ["needs --table=FILE.csv", "name,mean,std,n"]),
        (["check-table", "--table=x.csv"], ["--table=x.csv: no such file"]),
        (["check_table", "--margin=1"], ["does not belong to check_table"]),
        (["--margin=0.1"], ["to compare", "did you mean --config.analysis.margin?"]),
        (["--scores=a.csv"], ["--scores: does not belong to compare"]),
        (["report", "--reference=a"], ["does not belong to report"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_refused_in_one_line(argv, words, capsys):
    line = refusal(argv, capsys)
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["has no function get_config()"]),
        ("get_config = 3", ["has no function get_config()"]),
        ("def get_config(:\n", ["a syntax error in line 1"]),
        ("x = '\0'\n", ["null bytes"]),
        ("import nosuchmodule\n", ["ModuleNotFoundError", "nosuchmodule"]),
        ("raise SystemExit(0)\n", ["SystemExit"]),
        ("def get_config():\n  raise KeyError('a\\nb')\n", ["KeyError"]),
        ("def get_config(size):\n  return size\n", ["TypeError", "size"]),
        ("def get_config():\n  return {'seeds': 3}\n", ["{'seeds': 3}"]),
        ("def get_config():\n  pass\n", ["default_config()", "not None"]),
        ("def get_config():\n  return get_config()\n", ["RecursionError"]),
    ],
)
def test_config_files_that_fail(text, words, capsys):
    Path("own.py").write_text(text)
    line = refusal(["--config=own.py"], capsys)
    assert "--config=own.py: " in line
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{'sedes': 3}", ["sedes: no such field", "did you mean seeds?"]),
        ("{'seeds': 3.5}", ["seeds=3.5", "a whole number"]),
        ("{'model': {'hidden': object()}}", ["model.hidden=<object", "a whole number"]),
        ("{'model': {'hiden': 3}}", ["model.hiden"]),
        ("{'task': 3}", ["task=3", "is a section"]),
        ("{4: 3}", ["4: no such field"]),
    ],
)
def test_config_files_with_wrong_fields(body, words, capsys):
    Path("own.py").write_text(
        "from ml_collections import ConfigDict\n"
        f"def get_config():\n  return ConfigDict({body})\n"
    )
    line = refusal(["--config=own.py"], capsys)
    assert "--config=own.py: " in line
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c.seeds = 'x'", "seeds='x': must be a whole number from 1 to"),
        ("c.seeds = 3.5", "seeds=3.5: must be a whole number"),
        ("c.task = 'digits'", "task='digits': is a section; set task.<field>"),
        ("c.task.noise = None", "task.noise=None: must be a number"),
        ("c.model.hidden = [8, 'x']", "model.hidden='x': must be a whole number"),
        ("c.reference = 5", "reference=5: must be a name"),
        ("c.modle = 3", "modle: no such field"),
        ("raise ValueError('boom')", r"raises ValueError: boom \(own.py:4\)"),
    ],
)
def test_a_wrong_line_on_the_default_config_names_the_mistake(line, words, capsys):
    Path("own.py").write_text(
        "from research.config_values import default_config\n"
        f"def get_config():\n  c = default_config()\n  {line}\n  return c\n"
    )
    told = refusal(["--config=own.py"], capsys)
    assert re.search(f"--config=own.py: {words}", told)


def test_data_that_are_not_there_have_an_exit_code_of_their_own(capsys):
    task = ["--config.task.name=char_lm", "--config.vary=init,order"]
    assert main([*task, "--config.task.path=none.txt"]) == 3
    out, err = capsys.readouterr()
    assert (out, err) == ("", "launch.py: task.path=none.txt: does not exist\n")
