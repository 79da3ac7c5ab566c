"""Hashes of the code that trains: a user's own file with what it imports, and ours."""

import importlib
import sys

import pytest

from research.own_code import load_function
from research.records import sources
from research.records.sources import SOFTWARE, source_sha256

FILES = {
    "own_pack/__init__.py": "from own_pack.inner import f\n",
    "own_pack/inner.py": "from .numbers import A\ndef f(x):\n    return A * x\n",
    "own_pack/numbers.py": "import numpy\nfrom own_alone import *\n",
    "own_pack/unused.py": "B = 1\n",
    "own_alone.py": "A = 2.0\n",
    "own_file.py": "import own_alone\nimport own_pack.inner as i\ndef g(x): return i.f(x)\n",
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


def hashes(place, word):
    load_function(word, field="activations")
    return source_sha256([word, "relu"])


@pytest.mark.parametrize("form", ["module", "file"])
def test_every_module_of_ones_own_that_is_imported_counts(place, form):
    word = "own_pack:f" if form == "module" else f"{place}/own_file.py:g"
    before = hashes(place, word)
    assert set(before) == {SOFTWARE, word} | {
        f"{module} of {word}"
        for module in ("own_pack", "own_pack.inner", "own_pack.numbers", "own_alone")
    }
    for name in FILES:
        path = place / name
        text = path.read_text()
        path.write_text(f"{text}# another\n")
        now = source_sha256([word])
        changed = {key for key in before if now[key] != before[key]}
        module = name.removesuffix(".py").replace("/__init__", "").replace("/", ".")
        counts = f"{module} of {word}" in before
        own = {word} if name == ("own_file.py" if form == "file" else None) else set()
        if form == "module" and module == "own_pack":
            own = {word}
        assert changed == own | ({f"{module} of {word}"} if counts else set())
        path.write_text(text)
    assert source_sha256([word]) == before


def test_names_of_the_catalogue_are_this_software(tmp_path, monkeypatch):
    before = source_sha256(["relu", "gelu"])
    assert set(before) == {SOFTWARE}
    (tmp_path / "activations").mkdir()
    (tmp_path / "prng.py").write_text("")
    monkeypatch.setattr(sources, "HERE", tmp_path)
    one = source_sha256([])
    (tmp_path / "activations/relu.py").write_text("x\n")
    two = source_sha256([])
    (tmp_path / "activations/relu.py").write_text("y\n")
    assert len({each[SOFTWARE] for each in (before, one, two, source_sha256([]))}) == 4
    (tmp_path / "reporting").mkdir()
    (tmp_path / "reporting/html.py").write_text("no lane depends on it\n")
    (tmp_path / "activations/relu.py").write_text("x\n")
    assert source_sha256([]) == two
