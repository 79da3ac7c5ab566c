"""Names of activations: aliases, slugs, and which sets of arms are refused."""

import re

import pytest

from research.activations.names import ALIASES, NAMES, arms, canonical, is_own, slug
from research.errors import ConfigError


def test_names_and_aliases_do_not_overlap():
    assert len(set(NAMES)) == len(NAMES)
    assert not set(NAMES) & set(ALIASES)
    assert set(ALIASES.values()) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_its_own_canonical_name_and_slug(name):
    assert canonical(name) == canonical(name.upper()) == slug(name) == name


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("gelu_new", "gelu_tanh"),
        ("gelu_pytorch_tanh", "gelu_tanh"),
        ("swish", "silu"),
        ("SiLU", "silu"),
        ("gelu_sigmoid", "quick_gelu"),
    ],
)
def test_aliases_of_checkpoints(alias, name):
    assert canonical(alias) == name


@pytest.mark.parametrize(
    ("word", "proposed"), [("geluu", "gelu"), ("swsh", "swish"), ("Rleu", "relu")]
)
def test_a_typing_error_is_answered_with_the_near_name(word, proposed):
    with pytest.raises(ConfigError, match=f"activations='{word}'.*mean .*{proposed}"):
        canonical(word)


@pytest.mark.parametrize("word", ["mypkg.acts:bump", "path/to/file.py:f", "~/a.py:f"])
def test_a_users_own_passes_unchanged_and_gets_a_safe_slug(word):
    assert is_own(word)
    assert canonical(word) == word
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", slug(word))


@pytest.mark.parametrize("word", ["", ":", "a:", ":f", "a:b:c", "a:1f", "a b:f", "ré"])
def test_what_names_nothing_is_refused(word):
    assert not is_own(word)
    with pytest.raises(ConfigError, match="unknown activation"):
        canonical(word)


def test_the_first_arm_is_the_reference_unless_set():
    assert arms(("relu", "swish"), None) == (("relu", "silu"), "relu")
    assert arms(("relu", "silu"), "swish") == (("relu", "silu"), "silu")


@pytest.mark.parametrize(
    ("words", "reference", "match"),
    [
        (("swish", "silu"), None, "swish and silu are the same function, silu"),
        (("relu", "ReLU"), None, "the same function, relu"),
        (("a/f.py:g", "b/f.py:g"), None, "share the folder f.g"),
        (("relu",), None, "activations=relu: must be two arms or more"),
        (("relu", "gelu"), "tanh", "reference='tanh': must be one of .*relu, gelu"),
        (("relu", "gelu"), "gleu", "reference='gleu': unknown.*mean gelu"),
        (("relu", "gleu"), None, "activations='gleu'"),
    ],
)
def test_refused_arms(words, reference, match):
    with pytest.raises(ConfigError, match=match):
        arms(words, reference)
