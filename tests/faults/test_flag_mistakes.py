"""The mistakes that people make on command lines: one line, exit 2, and a near name."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_runs import one_line

from research.cli import main
from research.cli.arguments import COMMANDS, FLAGS
from research.cli.fields import CHOICES, FIELDS, fields_with, read_field
from research.cli.flags import read
from research.cli.help_text import help_text
from research.config import ExperimentConfig
from research.config_values import Field, from_mapping
from research.model_configs import MODELS
from research.task_configs import TASKS

HELP = help_text()
NUMBERS = [field for field in FIELDS.values() if field.kind in (int, float)]
NAMED = lambda field: field.path  # noqa: E731


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--resume", "False"], ["--resume", "no such flag", "--help"]),
        (["--x", "False"], ["--x", "no such flag", "there are --config"]),
        (["--noresume"], ["--noresume", "no such flag"]),
        (["analyse", "--lower_is_better", "False"], ["'False'", "write --flag=value"]),
        (["--config.modle.act=relu"], ["mean --config.activations?"]),
        (["--config.model.act=relu"], ["mean --config.activations?"]),
        (["--config.modle.hidden=8"], ["mean --config.model.hidden?"]),
        (["--config.model.dropout=0.1"], ["belongs to model.name=vit or lm"]),
        (["--config.model.dropuot=0.1"], ["mean --config.model.dropout?"]),
        (["--config.num_seeds=-1"], ["mean --config.seeds?"]),
        (["--config.lr=nan"], ["mean --config.optimizer.learning_rate?"]),
        (["--config.bs=16"], ["mean --config.batch_size?"]),
        (["--config.epoch=3"], ["mean --config.epochs?"]),
        (["--config.seeds=3.5"], ["seeds='3.5'", "a whole number from 1"]),
        (["--config.seeds=True"], ["seeds='True'", "a whole number from 1"]),
        (["--config.seeds=1000001"], ["seeds=1000001", "to 1000000"]),
        (["--config.optimizer.learning_rate=1e39"], ["which float32 holds"]),
        (["--config.optimizer.learning_rate=1e-39"], ["which float32 holds"]),
        (["--config.optimizer.learning_rate=1e-3;1e-2"], ["learning_rate='1e-3;1e-2'"]),
        (["--config.optimizer.lr=1e-3"], ["mean --config.optimizer.learning_rate?"]),
        (["--config.optimizer=adam"], ["is a section", "optimizer.name"]),
        (["--config.optimizer.name=sgd"], ["must be one of adam"]),
        (["--config.task=digits"], ["did you mean --config.task.name=digits?"]),
        (["--config.mode=Null"], ["mode='Null'", "did you mean null?"]),
        (["--config.selection=best"], ["selection='best'", "one of best_validation"]),
        (["--config.compute.dtype=fp16"], ["dtype='fp16'", "one of float32"]),
        (["--config.compute.device=1"], ["mean --config.compute.devices?"]),
        (["--config.activation=relu"], ["mean --config.activations?"]),
        (["--config.activations=relu gelu"], ["'relu gelu'"]),
        (["--config.vary=all"], ["vary='all'", "one of init"]),
        (["--config.task.path=x"], ["belongs to task.name=images or char_lm"]),
        (["--config.analysis.margin=0.5%"], ["margin='0.5%'", "a finite number"]),
        (["--config.analysis.confidence=95"], ["confidence=95", "below 0.99999"]),
        (["--config.epochs=20000000000"], ["epochs=20000000000", "2**31 - 1"]),
        (["--congif=a.py"], ["did you mean --config?"]),
        (["reprot"], ["did you mean report?"]),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else None,
)
def test_a_mistake_is_one_line(argv, words, capsys):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    line = one_line(err)
    for word in words:
        assert word in line


def test_epochs_that_cannot_be_counted_are_refused_before_training(capsys, tmp_path):
    argv = [f"--workdir={tmp_path / 'run'}", "--config.epochs=2147483647"]
    assert main(argv) == 2
    assert "steps a training" in one_line(capsys.readouterr().err)
    assert not (tmp_path / "run").exists()


OPTIONAL = [field for field in FIELDS.values() if field.optional]


@pytest.mark.parametrize("field", OPTIONAL, ids=NAMED)
def test_an_empty_field_takes_a_value_of_its_type_and_can_be_emptied(field: Field):
    value = {int: "2", str: "relu"}[field.kind]
    section, _, _ = field.path.partition(".")
    owner = owners(field.path)
    words = [f"--config.{section}.name={owner}"] if owner else []
    if owner:
        words.append("--config.vary=init,order")
    for text, found in ((value, field.kind(value)), ("", None)):
        config = read([*words, f"--config.{field.path}={text}"]).config
        held = config
        for name in field.path.split("."):
            held = getattr(held, name)
        assert held == found
    assert field.default is None


def owners(path: str) -> str | None:
    """Returns a task or model that has a field which the defaults lack."""
    section, _, _ = path.partition(".")
    if path in fields_with({}):
        return None
    return next(n for n in CHOICES[section] if path in fields_with({section: n}))


@pytest.mark.parametrize("field", NUMBERS, ids=NAMED)
@pytest.mark.parametrize(
    "text", ["nan", "inf", "-inf", "-1", "abc", "True", "1e400", "9" * 320, "1 2"]
)
def test_every_number_has_a_range(field: Field, text: str):
    with pytest.raises(ValueError, match=re.escape(field.path)) as raised:
        read_field(field.path, text, names=names_of(field.path))
    assert field.check.allowed in str(raised.value)
    assert "\n" not in str(raised.value)


def names_of(path: str) -> dict[str, str]:
    owner = owners(path)
    return {path.partition(".")[0]: owner} if owner else {}


def leaves(section: type) -> Iterator[tuple[type, dataclasses.Field]]:
    """Yields every field below a dataclass, of every task and model."""
    for field in dataclasses.fields(section):
        sections = field.metadata.get("sections")
        if sections is None:
            yield section, field
        else:
            for kind in sections.by_name.values():
                yield from leaves(kind)


def test_the_help_has_every_field_of_the_dataclasses_with_its_limits_and_default():
    shown = " ".join(HELP.split())
    known = {field.path.rpartition(".")[2]: field for field in FIELDS.values()}
    for section, field in leaves(ExperimentConfig):
        assert field.name in known, (section, field.name)
        text = field.metadata["help"]
        assert len(text) > 5, field.name
        if field.name != "name":
            assert " ".join(text.split()) in shown, field.name
    for field in FIELDS.values():
        assert f"--config.{field.path}=" in HELP
        assert field.check.allowed in shown, field.path
        if isinstance(field.default, (int, float)):
            assert f"--config.{field.path}={field.default!r}\n" in HELP


# What a length, a time, a count or a share is measured in.
UNITS = (
    "rows|units|seeds?|lanes|layers|images|curves|characters|passes|epochs|pixels|frames|"
    "numbers|bands|heads|recordings|part|share|id|ids|deviation|difference|rate|devices|"
    "confidence|added|takes|backgrounds|tokens"
)


@pytest.mark.parametrize("field", NUMBERS, ids=NAMED)
def test_every_number_says_what_it_counts(field: Field):
    assert re.search(rf"\b(?:{UNITS})\b", field.text), field.text


def test_the_help_has_every_command_and_flag():
    for name, command in COMMANDS.items():
        assert re.search(
            rf"^  {name} +{re.escape(command.text[:20])}", HELP, re.MULTILINE
        )
    for flag in FLAGS:
        assert f"--{flag}" in HELP


def test_every_default_is_within_its_limits():
    for section, kinds in (("task", TASKS), ("model", MODELS)):
        for name in kinds.by_name:
            vary = ["init", "order"] if section == "task" else ["init"]
            from_mapping({section: {"name": name}, "vary": vary})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def get_config(:\n", "a syntax error in line 1"),
        ("raise RuntimeError('a\\nb')\n", "raises RuntimeError: a"),
        ("def get_config():\n  raise SystemExit(3)\n", "raises SystemExit: 3"),
        (
            "def get_config():\n  return 3\n",
            "get_config() must return default_config()",
        ),
        ("def get_config():\n  return {'lr': float('nan')}\n", "not {'lr': nan}"),
        ("import sys\nsys.exit()\n", "raises SystemExit"),
        ("raise MemoryError\n", "raises MemoryError"),
        ("1/0\n", "raises ZeroDivisionError"),
    ],
)
def test_a_config_file_that_fails_is_one_line(body, words, tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(body)
    assert main([f"--config={path}"]) == 2
    assert words in one_line(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("optimizer.learning_rate", "(float('nan'),)"),
        ("analysis.margin", "float('nan')"),
        ("task.noise", "float('inf')"),
    ],
)
def test_a_config_file_with_a_nan_is_one_line(field, value, tmp_path, capsys):
    path = Path(tmp_path / "own.py")
    path.write_text(
        "from research.config_values import default_config\n"
        f"def get_config():\n  c = default_config()\n  c.{field} = {value}\n  return c\n"
    )
    assert main([f"--config={path}"]) == 2
    assert field in one_line(capsys.readouterr().err)
