"""Any text for any field: a plan that can be run, or one line that refuses it."""

import contextlib
import io
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_runs import launch, one_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research.cli import main
from research.cli.arguments import COMMANDS, FLAGS
from research.cli.fields import FIELDS
from research.cli.flags import read
from research.errors import Refusal
from research.experiment.rehearsal import Rehearsal
from research.model_configs import MODELS
from research.task_configs import TASKS

ODD = (
    "",
    " ",
    "0",
    "-1",
    "1",
    "2",
    "3.5",
    "1e400",
    "1e-400",
    "nan",
    "-inf",
    "True",
    "False",
    "None",
    "2147483647",
    "2147483648",
    "9" * 400,
    "0x10",
    "1_000",
    "٣",
    "relu",
    "relu,gelu,relu",
    "gelu(approximate=tanh)",
    "leaky_relu(negative_slope=1e999)",
    "f(x",
    ",,",
    "[1,2]",
    "(8,",
    "a:b",
    "nosuch.py:f",
    "/dev/null",
    "/dev/zero",
    "..",
    "~",
    "~nosuch",
    "init",
    "init,order,split,test_split",
    "null",
    "sequential",
    "bfloat16",
    "\udcff",
    "\x1b[31m",
    "a\nb",
    "${HOME}",
    "<script>",
    *TASKS.by_name,
    *MODELS.by_name,
)
PATHS = tuple(FIELDS)
words = st.one_of(
    st.sampled_from(ODD),
    st.text(max_size=12).filter(lambda text: "\0" not in text),
    st.integers(-5, 4096).map(str),
    st.floats().map(repr),
)
overrides = st.dictionaries(st.sampled_from(PATHS), words, min_size=1, max_size=4)


@contextlib.contextmanager
def unrehearsed() -> Iterator[None]:
    """Plans without compiling: all that prepare() does is done."""
    stand = Rehearsal(compile_seconds=0.0, peak_bytes=None, epoch_seconds=1.0, epochs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "research.experiment.resources.rehearse", lambda *a, **options: stand
        )
        yield


def ask(argv: list[str]) -> str:
    """Runs a command line in this process; returns its refusal, or nothing."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(argv)
    assert code in (0, 1, 2, 3, 4), (argv, code)
    if code == 0:
        assert err.getvalue() == "", argv
        assert out.getvalue() != "", argv
        return ""
    assert out.getvalue() == "", argv
    return one_line(err.getvalue())


def plans_or_refuses(chosen: dict[str, str], folder: Path) -> None:
    os.chdir(folder)
    before = sorted(folder.iterdir())
    with unrehearsed():
        ask(["plan", *(f"--config.{path}={text}" for path, text in chosen.items())])
    assert [path for path in sorted(folder.iterdir()) if path not in before] == []


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without anything, to run in; --config.compute.cache may make one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("research.experiment.prepare.use_cache", lambda folder: None)
    return tmp_path


SLOW = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@settings(max_examples=30, deadline=None, suppress_health_check=SLOW)
@given(chosen=overrides)
def test_any_override_is_a_plan_or_a_line(elsewhere, chosen):
    plans_or_refuses(chosen, elsewhere)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=SLOW)
@given(chosen=overrides)
def test_many_overrides(elsewhere, chosen):
    plans_or_refuses(chosen, elsewhere)


@pytest.mark.parametrize("path", PATHS)
def test_every_odd_text_for_every_field(elsewhere, path):
    section, _, _ = path.partition(".")
    names = {"task": TASKS.by_name, "model": MODELS.by_name}.get(section, {})
    owner = next(
        (name for name, kind in names.items() if hasattr(kind, path.partition(".")[2])),
        None,
    )
    for text in ODD:
        chosen = {path: text}
        if owner and path != f"{section}.name":
            chosen = {f"{section}.name": owner, **chosen}
        with contextlib.suppress(Refusal):
            read([f"--config.{name}={value}" for name, value in chosen.items()])


def command_lines(count: int, seed: int) -> Iterator[list[str]]:
    """Yields words that a hurried person might type."""
    rng = random.Random(seed)
    flags = [*(f"--{flag}" for flag in FLAGS), *(f"--config.{path}" for path in PATHS)]
    for _ in range(count):
        argv = [rng.choice((*COMMANDS, "comprae", "--", ""))] * (rng.random() < 0.7)
        for _ in range(rng.randrange(4)):
            name = rng.choice(flags)
            if rng.random() < 0.3:
                at = rng.randrange(2, len(name))
                name = name[:at] + rng.choice("xX._-=") + name[at + 1 :]
            text = rng.choice(ODD)
            argv += [f"{name}={text}"] if rng.random() < 0.7 else [name, text]
        yield argv


def refuses_or_answers(argv: list[str]) -> bool:
    """Runs a command line in which whatever would train or measure is a stand-in."""
    with pytest.MonkeyPatch.context() as patch, unrehearsed():
        for name in ("compare", "profile", "surgery"):
            patch.setattr(f"research.cli.entry.{name}", lambda *a: print("started"))
        patch.setattr("research.cli.entry.prepare", lambda *a: None)
        return ask([word for word in argv if "\0" not in word]) != ""


def test_command_lines_of_every_kind(elsewhere):
    refused = sum(refuses_or_answers(argv) for argv in command_lines(60, seed=1))
    assert refused > 30


@pytest.mark.slow
def test_five_hundred_command_lines(elsewhere):
    refused = sum(refuses_or_answers(argv) for argv in command_lines(500, seed=2))
    assert refused > 250


@pytest.mark.slow
def test_the_real_launcher_refuses_as_well(tmp_path):
    for argv in command_lines(25, seed=3):
        words = [word for word in argv if word.isprintable()]
        if not words or words[0] in ("compare", "plan", "profile", "--config", ""):
            words = ["report", *words]
        done = launch(*words, cwd=tmp_path)
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 2, 3), words
        assert bool(done.returncode) == bool(done.stderr)
