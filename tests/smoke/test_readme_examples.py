"""The README's own files run as they stand there."""

import re
from pathlib import Path

import pytest
from rich.console import Console
from tiny_runs import TINY

from research import compare

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A folder with every Python block of the README that begins with its file's name."""
    blocks = re.findall(
        r"```python\n# (\w+\.py)\n(.*?)```", README.read_text(), re.DOTALL
    )
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("activations", "relu,{}/bump.py:bump"),
        ("model", {"name": "{}/wide.py:Wide"}),
    ],
)
def test_an_example_of_ones_own_code_trains(examples: Path, field, value):
    if isinstance(value, dict):
        value = {key: text.format(examples) for key, text in value.items()}
    else:
        value = value.format(examples)
    summary = compare(
        {**TINY, field: value}, workdir=examples / "run", console=Console(quiet=True)
    )
    assert summary["pairing"]["verified"]
    assert len(summary["arms"]) == 2
