"""The page docs/activations.md, written from the table.

`python -m research.activations.page` writes it anew; a test holds it to the table.
"""

from collections.abc import Iterator
from pathlib import Path

from research.activations.aliases import ALIASES, REFUSED, REMARKS
from research.activations.arguments import ARGUMENTS, Argument, written_value
from research.activations.catalog import CATALOG
from research.activations.names import SAME_FUNCTION
from research.activations.record import Activation

PLACE = Path("docs/activations.md")

HEAD = """\
# Activations

Written by `python -m research.activations.page` from the table in
`research/activations/catalog.py`.

- **elementwise**: a function of one number.
- **gated**: a function of two, `gate` and `value`. The MLP gives each hidden layer two
  projections, and scales the widths so that the number of parameters is nearest to the
  plain one's (64-64 becomes 45-45; 4,456 parameters instead of 4,417). A Transformer's
  feed-forward network gets two thirds of the width.
- **parametric**: with learned parameters, one set a hidden layer, counted with the
  model's and kept out of weight decay.

Arguments stand in brackets and are numbers or names: `leaky_relu(negative_slope=0.3)`,
`gelu(approximate=tanh)`. A default spelt out is the plain name. Names are read in any
case, with `-` or `_`.

| name | formula, with the defaults | kind | arguments | also called | source |
| --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """Returns the page's text."""
    rows = "".join(_row(record) for record in CATALOG.values())
    return HEAD + rows + "".join(_notes()) + "".join(_refusals())


def _row(record: Activation) -> str:
    arguments = ", ".join(map(_argument, ARGUMENTS.get(record.name, ())))
    aliases = (f"`{alias}`" for alias, name in ALIASES.items() if name == record.name)
    cells = (
        f"`{record.name}`",
        record.formula.replace("|", "\\|"),
        record.kind,
        arguments,
        ", ".join(aliases),
        record.source,
    )
    return f"| {' | '.join(cells)} |\n"


def _argument(argument: Argument) -> str:
    return f"`{argument.name}={written_value(argument.default)}`: {argument.allowed}"


def _notes() -> Iterator[str]:
    yield "\n## Worth knowing\n\n"
    for remark in REMARKS.values():
        yield f"- {remark}.\n"
    for name, same in SAME_FUNCTION.items():
        yield f"- `{name}` is the same function as `{same}`: as two arms they are refused.\n"


def _refusals() -> Iterator[str]:
    yield "\n## Names that are refused\n\n| name | why |\n| --- | --- |\n"
    for name, why in REFUSED.items():
        yield f"| `{name}` | {why.replace('|', chr(92) + '|')} |\n"


if __name__ == "__main__":
    PLACE.write_text(page(), encoding="utf-8")
