"""The table: each contender's medians in its fastest layout, as times the engine's."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import job
from benchmarks.contenders import Contender
from benchmarks.roof import Roof
from benchmarks.workers import Layout, Measurement

# The measurements of each contender, by its layouts: one a round.
Measured = Mapping[Contender, Mapping[Layout, Sequence[Measurement]]]
# Means over the seeds: frameworks draw their weights a little differently, and early in
# training that shows; a peer that trains something else is further off.
ACCURACY_SLACK = 0.02
JOB_STEPS = job.SEEDS * job.EPOCHS * job.STEPS
WIDTH = 44  # of the first column
HEADS = (
    "",
    "µs",
    "x engine",
    "expected",
    "start",
    "job",
    "seeds x epochs",
    "accuracy (engine)",
    "fastest layout",
)
EXPLAINED = (
    "Microseconds of one optimiser step of one seed, everything but the start included; "
    f"start and whole job ({job.SEEDS} seeds, {job.EPOCHS} epochs) in s."
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A contender in its fastest layout.

    microseconds: of one optimiser step of one seed, the median.
    ratio: the median over rounds of its time to the engine's in the same round.
    start_seconds: how much longer a first run takes: processes, imports, compilation.
    accuracy, engine_accuracy: of validation, after the contender's last epoch.
    """

    contender: Contender
    layout: Layout
    microseconds: float
    ratio: float
    start_seconds: float
    accuracy: float
    engine_accuracy: float

    @property
    def job_seconds(self) -> float:
        """The whole job from a cold start."""
        return self.start_seconds + self.microseconds * JOB_STEPS / 1e6

    @property
    def agrees(self) -> bool:
        """Whether it learned what the engine did."""
        return abs(self.accuracy - self.engine_accuracy) < ACCURACY_SLACK


def summarise(measured: Measured) -> list[Line]:
    """Returns a line for every contender, in order.

    Raises:
      RuntimeError: a peer took another number of steps than the job has.
    """
    check_steps(measured)
    engines = {
        contender.seeds: next(iter(layouts.values()))
        for contender, layouts in measured.items()
        if contender.peer == "engine"
    }
    return [
        summarise_one(contender, layouts, engines[contender.seeds])
        for contender, layouts in measured.items()
    ]


def check_steps(measured: Measured) -> None:
    """Raises RuntimeError for a peer that took another number of steps."""
    for contender, layouts in measured.items():
        for one in (one for each in layouts.values() for one in each):
            if one.steps != job.STEPS * one.epochs:
                raise RuntimeError(
                    f"{contender.title}: {one.steps} steps in {one.epochs} epochs, "
                    f"not {job.STEPS} each"
                )


def summarise_one(
    contender: Contender,
    layouts: Mapping[Layout, Sequence[Measurement]],
    engine: Sequence[Measurement],
) -> Line:
    """Returns a contender's line."""
    medians = {
        layout: statistics.median(one.microseconds for one in each)
        for layout, each in layouts.items()
    }
    layout = min(medians, key=lambda name: medians[name])
    chosen = layouts[layout]
    return Line(
        contender=contender,
        layout=layout,
        microseconds=medians[layout],
        ratio=statistics.median(
            one.microseconds / ours.microseconds
            for one, ours in zip(chosen, engine, strict=True)
        ),
        start_seconds=statistics.median(one.start_seconds for one in chosen),
        accuracy=chosen[0].accuracy[-1],
        engine_accuracy=engine[0].accuracy[contender.epochs - 1],
    )


def middle_roof(roofs: Sequence[Roof]) -> Roof:
    """Returns the round whose roof is the median."""
    return sorted(roofs, key=lambda roof: roof.microseconds)[len(roofs) // 2]


def table(lines: Sequence[Line], roof: Roof) -> Iterator[str]:
    """Yields the table's lines for a console."""
    yield EXPLAINED
    first, *heads = HEADS
    yield f"{first:{WIDTH}}" + "{:>8}{:>10}{:>10}{:>8}{:>8}{:>16}  {:<20}{}".format(
        *heads
    )
    yield from map(row, lines)
    yield from roof_lines(lines[0], roof)
    for line in lines:
        if not line.agrees:
            yield (
                f"! {line.contender.title}: its accuracy is not the engine's; it does "
                "not train the same, and its time says nothing"
            )


def row(line: Line) -> str:
    """Returns a contender's line for a console."""
    title, *numbers, accuracy, layout = cells(line)
    widths = (8, 10, 10, 8, 8, 16)
    told = "".join(f"{text:>{w}}" for text, w in zip(numbers, widths, strict=True))
    return f"{title:{WIDTH}}{told}  {accuracy:<20}{layout}"


def cells(line: Line) -> tuple[str, ...]:
    """Returns a contender's cells, those of HEADS."""
    contender = line.contender
    return (
        contender.title,
        f"{line.microseconds:.1f}",
        f"{line.ratio:.2f}",
        f">= {contender.expected:g}" if contender.expected else "",
        f"{line.start_seconds:.1f}",
        f"{line.job_seconds:.1f}" if contender.seeds == job.SEEDS else "",
        f"{contender.seeds} x {contender.epochs}",
        f"{line.accuracy:.4f} ({line.engine_accuracy:.4f})",
        str(line.layout),
    )


def page(lines: Sequence[Line], roof: Roof) -> Iterator[str]:
    """Yields the table's lines for results.md."""
    yield EXPLAINED
    yield ""
    yield "| " + " | ".join(HEADS) + " |"
    yield "| --- " * len(HEADS) + "|"
    for line in lines:
        yield "| " + " | ".join(cells(line)) + " |"
    yield ""
    for told in roof_lines(lines[0], roof):
        yield f"{told[0].upper()}{told[1:]}."


def roof_lines(engine: Line, roof: Roof) -> Iterator[str]:
    """Yields what the least time is, and how near the engine comes."""
    own = roof.microseconds_of_own_products
    yield (
        f"roof, {roof.cores} cores: {roof.microseconds:.1f} µs at the matrix peak of a "
        f"large product ({roof.matrix_peak / 1e9:.0f} GFLOP/s a core); {own:.1f} µs at "
        f"what XLA reaches at the step's own shapes ({roof.step_products / 1e9:.0f} "
        f"GFLOP/s); L2 {roof.cache_bandwidth / 1e9:.0f} GB/s a core"
    )
    yield (
        f"the engine takes {engine.microseconds / roof.microseconds:.2f} times the roof "
        f"({100 * roof.microseconds / engine.microseconds:.0f} % of it reached; expected "
        f"within 2.1 times), {engine.microseconds / own:.2f} times that of its own shapes"
    )
