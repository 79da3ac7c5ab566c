"""The fields of an experiment: what is accepted, what is refused and in which words."""

import dataclasses
import json
import math

import pytest

from research import errors
from research.config import ExperimentConfig
from research.config_values import (
    convert,
    default_config,
    each_checked,
    fields_of,
    from_mapping,
    split_words,
    to_config_dict,
    to_mapping,
)
from research.errors import ConfigError
from research.settings import LARGEST, near, shown

FIELDS = {field.path: field for field in fields_of(ExperimentConfig)}


def test_defaults_pass_their_own_checks():
    assert from_mapping({}) == ExperimentConfig()
    assert from_mapping(to_mapping(ExperimentConfig())) == ExperimentConfig()


def test_a_config_survives_json():
    config = from_mapping({"activations": "gelu,tanh", "model": {"hidden": [3, 4]}})
    assert config.model.hidden == (3, 4)
    assert from_mapping(json.loads(json.dumps(to_mapping(config)))) == config


def test_a_config_survives_config_dict():
    config = from_mapping({"reference": "gelu", "compute": {"devices": 3}})
    assert from_mapping(to_config_dict(config).to_dict()) == config
    assert from_mapping(default_config().to_dict()) == ExperimentConfig()


def test_a_tree_takes_every_type_and_its_fields_their_own():
    tree = default_config()
    assert tree.compute.devices is None
    tree.compute.devices = 4
    assert tree.compute.devices == 4
    tree.compute.devices = "four"
    with pytest.raises(ConfigError, match=r"compute\.devices='four': must be a whole"):
        from_mapping(tree.to_dict())


def test_configs_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ExperimentConfig().seeds = 3  # type: ignore[misc]


def test_every_field_is_explained_and_has_limits():
    assert len(FIELDS) > 20
    for field in FIELDS.values():
        assert field.text.strip()
        assert field.check.allowed.strip()
        if field.default is not None:
            assert convert(field, field.default) == field.default


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("relu,gelu", ("relu", "gelu")),
        (" relu , gelu ", ("relu", "gelu")),
        ("f(x=1,y=2),g", ("f(x=1,y=2)", "g")),
        ("f((1,2),3)", ("f((1,2),3)",)),
        ("", ("",)),
        ("a,", ("a", "")),
    ],
)
def test_words_are_split_outside_brackets(text, words):
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"modle": {}}, ["modle", "no such field", "did you mean model?"]),
        ({"model": {"hiden": 3}}, ["model.hiden", "hidden"]),
        ({"model": 3}, ["model=3", "is a section"]),
        ({3: 4}, ["3: no such field"]),
        ({"seeds": 3.5}, ["seeds=3.5", "whole number"]),
        ({"seeds": "8"}, ["seeds='8'", "whole number"]),
        ({"seeds": True}, ["seeds=True", "whole number"]),
        ({"seeds": None}, ["seeds=None", "whole number"]),
        ({"seeds": 0}, ["seeds=0", "from 1"]),
        ({"seeds": LARGEST + 1}, ["seeds=2147483648", "from 1 to 1000000"]),
        ({"seeds": 2, "first_seed": LARGEST}, ["first_seed", "last seed"]),
        ({"analysis": {"margin": math.nan}}, ["analysis.margin=nan", "finite"]),
        ({"analysis": {"margin": math.inf}}, ["analysis.margin=inf", "finite"]),
        ({"analysis": {"margin": 10**400}}, ["analysis.margin=", "finite"]),
        ({"analysis": {"margin": 0}}, ["analysis.margin=0", "above 0"]),
        ({"analysis": {"confidence": 1}}, ["analysis.confidence=1", "below 0.99999"]),
        ({"model": {"hidden": ()}}, ["model.hidden=()", "at least one"]),
        ({"model": {"hidden": (64, 0)}}, ["model.hidden=0", "from 1"]),
        ({"model": {"hidden": "64"}}, ["model.hidden='64'", "whole number"]),
        ({"model": {"initializer": "he_norml"}}, ["he_norml", "mean he_normal"]),
        ({"model": {"name": "mpl"}}, ["model.name='mpl'", "did you mean mlp?"]),
        ({"task": {"name": ["moons"]}}, ["task.name=['moons']", "one of moons"]),
        ({"selection": "lst"}, ["selection='lst'", "did you mean last?"]),
        ({"activations": "relu,"}, ["activations=''", "a name"]),
        ({"activations": ("relu", "relu")}, ["activations", "named twice"]),
        ({"vary": "init,init"}, ["vary", "named twice"]),
        ({"vary": "sed"}, ["vary='sed'", "init, order, split"]),
        ({"reference": 3}, ["reference=3", "a name"]),
        ({"optimizer": {"learning_rate": (1e-3, 1e-2)}}, ["one value only"]),
        ({"batch_size": 1201}, ["batch_size=1201", "at most 1200"]),
        ({"task": {"samples": 800}}, ["task.samples=800", "none is left"]),
        (
            {"task": {"name": "char_lm"}},
            ["vary=init,order,split: split cannot", "in the text; use vary=init,order"],
        ),
        (
            {"task": {"name": "tagging"}, "vary": "test_split"},
            ["test_split cannot", "published one; use vary=init"],
        ),
        (
            {"task": {"name": "images"}, "vary": "split,test_split"},
            ["test_split cannot vary", "test set is the published", "use vary=split"],
        ),
        (
            {"task": {"name": "digits", "shift": 8}},
            ["task.shift=8", "whole number from 0 to 7"],
        ),
        ({"task": {"name": "char_lm", "path": " "}}, ["task.path=' '", "a path"]),
    ],
)
def test_refusals_name_field_value_and_what_is_allowed(mapping, words):
    with pytest.raises(ConfigError) as refusal:
        from_mapping(mapping)
    line = str(refusal.value)
    assert "\n" not in line
    for word in words:
        assert word in line


def test_what_is_not_fixed_may_vary():
    for name, vary in (("digits", "split,test_split"), ("images", "init,split")):
        assert from_mapping({"task": {"name": name}, "vary": vary}).task.name == name


def test_values_that_clash_are_left_to_the_whole_check():
    assert each_checked({"batch_size": 5000}).batch_size == 5000


def test_whole_numbers_are_taken_as_floats():
    margin = from_mapping({"analysis": {"margin": 1}}).analysis.margin
    assert margin == 1.0
    assert isinstance(margin, float)


def test_near_proposes_close_names_alone():
    assert near("modle", ["model", "task"]) == "; did you mean model?"
    assert near("zzz", ["model", "task"]) == ""


def test_shown_is_one_short_line():
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * 1000)) < 80
    assert len(shown(10**1000)) < 80


def test_exit_codes():
    codes = {kind.__name__: kind.exit_code for kind in errors.Refusal.__subclasses__()}
    assert codes == {
        "ConfigError": 2,
        "DataError": 3,
        "InvalidComparison": 4,
        "AllDiverged": 5,
        "Stopped": 75,
    }
    assert errors.ConfigError is ConfigError
