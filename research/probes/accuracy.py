"""Measures the error of every activation, beside jax.nn's, against its bounds.

Command: python -m research.probes.accuracy [--activations=gelu,silu] [--dtypes=float32]

Exits with 1 where a bound is missed. The references are first held against mpmath.
"""

import datetime
import sys

import jax
from absl import app, flags
from rich import box
from rich.console import Console
from rich.progress import Progress, track
from rich.table import Table

from research.activations import elementwise
from research.probes.bounds import bound, meets
from research.probes.errors import STRIDES, ErrorScan, measure
from research.probes.mpmath_check import worst_relative_error
from research.probes.peers import PEERS
from research.probes.references import REFERENCES

# A tenth of a thousandth of a unit in float32's last place.
REFERENCE_TOLERANCE = 1e-12
QUICK_THIN = 16

ACTIVATIONS = flags.DEFINE_list("activations", list(REFERENCES), "which to measure")
DTYPES = flags.DEFINE_list("dtypes", list(STRIDES), "which types to measure them in")
QUICK = flags.DEFINE_bool("quick", False, f"try every {QUICK_THIN}th input only")


def check_references(names: list[str], console: Console) -> float:
    """Returns the references' largest relative error against mpmath.

    Raises:
      AssertionError: one is off by more than REFERENCE_TOLERANCE.
    """
    described = track(names, "references", console=console, transient=True)
    errors = {name: worst_relative_error(name) for name in described}
    off = {name: e for name, e in errors.items() if e > REFERENCE_TOLERANCE}
    assert not off, f"these references are wrong: {off}"
    return max(errors.values())


def table_of(dtype: str, names: list[str], progress: Progress) -> tuple[Table, int]:
    """Returns the table of errors in one type, and how many bounds are missed."""
    thin = QUICK_THIN if QUICK.value else 1
    table = _empty_table(dtype, STRIDES[dtype] * thin)
    task = progress.add_task(dtype, total=sum(len(REFERENCES[name]) for name in names))
    missed = 0
    for name in names:
        for order, reference in enumerate(REFERENCES[name]):
            settings = {"dtype": dtype, "order": order, "thin": thin}
            scan = measure(getattr(elementwise, name), reference, **settings)
            fn = PEERS.get(name)
            peer = None if fn is None else measure(fn, reference, **settings)
            limit = bound(name, dtype, order)
            missed += not meets(scan, limit)
            table.add_row(*_cells(name, scan, limit, peer))
            progress.advance(task)
        table.add_section()
    return table, missed


def _empty_table(dtype: str, stride: int) -> Table:
    tried = "every value" if stride == 1 else f"one value in {stride}"
    title = f"{dtype}, {tried}: largest error in units in the last place"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("activation", "", "|x| <= 5", "at x", "bound", ""):
        table.add_column(heading, justify="right" if "x" in heading else "left")
    for heading in ("beyond", "at x"):
        table.add_column(heading, justify="right")
    table.add_column("failures")
    table.add_column(f"jax.nn {jax.__version__}", justify="right")
    table.add_column("its failures")
    return table


def _cells(
    name: str, scan: ErrorScan, limit: float | None, peer: ErrorScan | None
) -> list[str]:
    verdict = "[green]met[/]" if meets(scan, limit) else "[bold red]MISSED[/]"
    return [
        name,
        "f" + "'" * scan.order,
        f"{scan.core:.2f}",
        f"{scan.core_at:.4g}",
        "" if limit is None else f"{limit:g}",
        verdict,
        f"{scan.beyond:.2f}",
        f"{scan.beyond_at:.4g}",
        failures_in_words(scan) or "none",
        "" if peer is None else f"{peer.core:.3g}",
        "" if peer is None else failures_in_words(peer) or "none",
    ]


def failures_in_words(scan: ErrorScan) -> str:
    """Returns where which results fail, and how many of the inputs tried."""
    return "; ".join(
        f"{each.kind} in {each.low:.3g} to {each.high:.3g} ({each.count:,})"
        for each in scan.failures
    )


def _refuse_unknown(words: list[str], known: tuple[str, ...]) -> None:
    for word in words:
        if word not in known:
            raise app.UsageError(f"no {word} here; there are {', '.join(known)}")


def main(argv: list[str]) -> None:
    """Prints the tables and exits with 1 where a bound is missed."""
    del argv
    console = Console() if sys.stdout.isatty() else Console(width=150)
    names, missed = ACTIVATIONS.value, 0
    _refuse_unknown(names, tuple(REFERENCES))
    _refuse_unknown(DTYPES.value, tuple(STRIDES))
    worst = check_references(names, Console(stderr=True))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for dtype in DTYPES.value:
            table, count = table_of(dtype, names, progress)
            missed += count
            console.print(table)
    console.print(_explanation(worst))
    console.print(f"{missed} bounds missed" if missed else "every bound is met")
    sys.exit(1 if missed else 0)


def _explanation(worst: float) -> str:
    device = jax.local_devices()[0]
    return (
        f"Measured {datetime.date.today()} on {device.platform} ({device.device_kind}), "
        f"jax {jax.__version__}, compiled, in reverse mode. References: float64 formulas "
        f"within {worst:.0e} of mpmath's 200 digits.\n"
        "A failure is a zero, a wrong sign, an infinity or a NaN where the true result "
        "is a normal number. Subnormal numbers are flushed to zero by XLA on a CPU: "
        "as inputs they are left out, as results not judged. Errors within 0.05 of a "
        "zero of a derivative are left out too, failures there are not.\n"
        "The slope of hard_tanh at 1 and -1 is 0 here and in PyTorch, and 1 in jax.nn."
    )


if __name__ == "__main__":
    app.run(main)
