"""From words to a checked request: overrides, config files, and any text whatever."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.cli.config_file import CONFIGS, DEFAULT, load
from research.cli.fields import (
    CHOICES,
    FIELDS,
    fields_with,
    flag_text,
    nearest_field,
    read_field,
)
from research.cli.flags import Request, read
from research.config import ExperimentConfig
from research.config_values import to_mapping
from research.errors import ConfigError, Refusal


def config_of(*argv: str) -> ExperimentConfig:
    config = read(argv).config
    assert config is not None
    return config


def outcome_of(argv: list[str]) -> Request | Refusal:
    try:
        return read(argv)
    except Refusal as refusal:
        return refusal


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("activations=gelu,relu", ("gelu", "relu")),
        ("activations=a/b.py:f,relu", ("a/b.py:f", "relu")),
        ("model.hidden=64,32", (64, 32)),
        ("model.hidden=(64,32)", (64, 32)),
        ("model.hidden=[64, 32]", (64, 32)),
        ("model.hidden=64", (64,)),
        ("model.hidden=(64,)", (64,)),
        ("optimizer.learning_rate=1e-2", (0.01,)),
        ("optimizer.learning_rate=1", (1.0,)),
        ("reference=gelu", "gelu"),
        ("reference=", None),
        ("compute.devices=2", 2),
        ("compute.devices=", None),
        ("compute.devices=all", None),
        ("vary=init", ("init",)),
        ("analysis.margin=0.01", 0.01),
        ("seeds= 7 ", 7),
        ("tensorboard.seeds=0", 0),
        ("task.noise=0", 0.0),
    ],
)
def test_an_override_reaches_its_field_alone(override, value):
    config = config_of(f"--config.{override}")
    path = override.partition("=")[0]
    found = to_mapping(config)
    plain = to_mapping(config_of())
    *sections, name = path.split(".")
    for section in sections:
        found, plain = found[section], plain[section]
    assert found[name] == value
    assert type(found[name]) is type(value)
    plain[name] = value
    assert found == plain


def test_several_overrides_and_spellings():
    config = config_of(
        "compare",
        "--config.first-seed",
        "5",
        "-config.batch_size=8",
        "--config.seeds=2",
    )
    assert (config.first_seed, config.batch_size, config.seeds) == (5, 8, 2)


def test_an_override_empties_what_the_file_sets(tmp_path: Path):
    own = tmp_path / "own.py"
    own.write_text(
        "from research.config_values import default_config\n"
        "def get_config():\n  c = default_config()\n  c.compute.devices = 3\n"
        "  c.reference = 'gelu'\n  return c\n"
    )
    config = config_of(f"--config={own}")
    assert (config.compute.devices, config.reference) == (3, "gelu")
    config = config_of(
        f"--config={own}", "--config.compute.devices=", "--config.reference="
    )
    assert (config.compute.devices, config.reference) == (None, None)


def test_help_s_defaults_are_those_of_the_default_file():
    assert load(DEFAULT) == ExperimentConfig()


def test_a_file_may_give_one_number_for_several_and_a_list_of_words(tmp_path: Path):
    own = tmp_path / "own.py"
    own.write_text(
        "import numpy as np\nfrom research.config_values import default_config\n"
        "def get_config():\n  c = default_config()\n  c.model.hidden = 8\n"
        "  c.optimizer.learning_rate = 1e-2\n  c.activations = ['relu', 'silu']\n"
        "  c.seeds = np.int64(4)\n  return c\n"
    )
    config = config_of(f"--config={own}")
    assert (config.model.hidden, config.optimizer.learning_rate) == ((8,), (0.01,))
    assert (config.activations, config.seeds) == (("relu", "silu"), 4)


def test_a_file_may_name_some_fields_and_every_field_can_be_overridden(tmp_path: Path):
    own = tmp_path / "own.py"
    own.write_text(
        "from ml_collections import ConfigDict\n"
        "def get_config():\n  return ConfigDict({'seeds': 3, 'batch_size': 9999})\n"
    )
    config = config_of(
        f"--config={own}", "--config.batch_size=4", "--config.task.noise=0.3"
    )
    assert (config.seeds, config.batch_size, config.task.noise) == (3, 4, 0.3)


def test_an_edited_file_is_read_afresh(tmp_path: Path):
    own = tmp_path / "own.py"
    for seeds in (3, 4):
        own.write_text(
            "from ml_collections import ConfigDict\n"
            f"def get_config():\n  return ConfigDict({{'seeds': {seeds}}})\n"
        )
        assert config_of(f"--config={own}").seeds == seeds


@pytest.mark.parametrize(
    "path", sorted(CONFIGS.glob("*.py")), ids=lambda path: path.stem
)
def test_every_config_resolves_and_documents_itself(path: Path):
    request = read([f"--config={path}"])
    assert request.config is not None
    assert request.stem == path.stem
    text = path.read_text()
    for word in ("Command:", f"--config=configs/{path.name}", "Expected:", "Time:"):
        assert word in text


def test_the_default_is_the_moons_config():
    assert read([]).config == read([f"--config={CONFIGS / 'moons.py'}"]).config
    assert read([]).command == "compare"
    early = config_of(f"--config={CONFIGS / 'moons_early.py'}")
    assert early.epochs == 10
    assert config_of(
        f"--config={CONFIGS / 'moons_early.py'}", "--config.epochs=100"
    ) == (config_of())


def test_the_line_repeats_the_request():
    assert read([]).line == "python launch.py compare"
    request = read(["--workdir", "w", "--config.vary", "init, order"])
    again = read(shlex.split(request.line)[2:])
    assert again.config == request.config
    assert request.workdir == Path("w")
    assert again.workdir is None


def test_a_leading_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/somewhere")
    assert read(["--workdir=~/run"]).workdir == Path("/somewhere/run")


@pytest.mark.parametrize(
    "names", [{section: name} for section, words in CHOICES.items() for name in words]
)
def test_texts_of_defaults_are_read_back(names: dict[str, str]):
    for path, field in fields_with(names).items():
        text = "" if field.default is None else flag_text(field.default)
        assert read_field(path, text, names=names) == field.default


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("modle.hidden", "model.hidden"),
        ("hidden", "model.hidden"),
        ("learning_rate", "optimizer.learning_rate"),
        ("lr", "optimizer.learning_rate"),
        ("bs", "batch_size"),
        ("epoch", "epochs"),
        ("task.lr", "optimizer.learning_rate"),
        ("qqqq", ""),
    ],
)
def test_nearest_field(name, path):
    assert nearest_field(name) == path


TEXTS = st.one_of(
    st.text(),
    st.integers().map(str),
    st.floats().map(str),
    st.lists(st.integers(-3, 99)).map(lambda numbers: ",".join(map(str, numbers))),
    st.sampled_from(
        ["gelu", "relu,tanh", "last", "init", "(3,)", "None", "{}", "[[1]]"]
    ),
    st.text(alphabet="()[],.-+0123456789eE'\"\\_ \n", max_size=12),
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), TEXTS, min_size=1, max_size=4))
def test_any_override_gives_a_config_or_a_refusal(overrides):
    argv = [f"--config.{path}={text}" for path, text in overrides.items()]
    outcome = outcome_of(argv)
    assert isinstance(outcome, Request | ConfigError)
    assert 0 < len(str(outcome)) < 1500


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=8),
            st.text(max_size=8).map(lambda text: f"--config.{text}"),
            st.text(max_size=8).map(lambda text: f"--{text}"),
            st.sampled_from(["compare", "report", "help", "--config.seeds", "--help"]),
        ),
        max_size=4,
    )
)
def test_any_words_give_a_request_or_a_refusal(argv):
    assert isinstance(outcome_of(argv), Request | ConfigError)
