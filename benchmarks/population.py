"""This engine beside what a user would otherwise pick, in one run.

Command: make bench   (`make bench-quick` to try it; PyTorch by requirements-bench.txt)

Every peer trains the same networks (job.py), each in fresh processes and in its fastest
layout: what loops over seeds gets a process a core, what trains them together one
process or several. Rounds are interleaved, so that what else the machine does meets all
alike. Ratios carry to other machines, times do not.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from absl import app, flags

from benchmarks import machine
from benchmarks.contenders import Contender, contenders, has_torch
from benchmarks.results_page import write_section
from benchmarks.roof import Roof, measure_roof
from benchmarks.table import Line, Measured, middle_roof, page, summarise, table
from benchmarks.workers import Layout, Measurement, measure

ROUNDS = flags.DEFINE_integer("rounds", 3, "interleaved rounds", lower_bound=1)
QUICK = flags.DEFINE_boolean("quick", False, "one round of a tenth of the work")
RESULTS = Path(__file__).parent / "results.json"


def main(argv: list[str]) -> None:
    """Measures round after round, prints the table, and keeps every measurement."""
    del argv
    before = machine.describe()
    print(machine.sentence(before))
    if not has_torch():
        print(
            "PyTorch is not installed (requirements-bench.txt): its rows are left out"
        )
    rounds = 1 if QUICK.value else ROUNDS.value
    roofs, measured = [], {}
    for number in range(1, rounds + 1):
        roofs.append(measure_roof())
        for contender in contenders(quick=QUICK.value):
            for layout in contender.layouts:
                print(f"round {number}: {contender.title}, {layout}", flush=True)
                kept = measured.setdefault(contender, {}).setdefault(layout, [])
                kept.append(measure_one(contender, layout))
    lines = summarise(measured)
    print("\n".join(table(lines, middle_roof(roofs))))
    if QUICK.value:
        print("One short round: not to be quoted, and not kept.")
    else:
        results = as_json(before, measured, lines, roofs)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        about = f"`make bench`: {machine.sentence(before)}"
        write_section("Beside peers", [about, "", *page(lines, middle_roof(roofs))])
        print(f"Every measurement is in {RESULTS}")


def measure_one(contender: Contender, layout: Layout) -> Measurement:
    """Measures a contender once."""
    return measure(
        contender.peer, layout, seeds=contender.seeds, epochs=contender.epochs
    )


def as_json(
    before: Mapping[str, Any],
    measured: Measured,
    lines: Sequence[Line],
    roofs: Sequence[Roof],
) -> dict[str, Any]:
    """Returns everything that was measured, and what was made of it."""
    return {
        "machine": before,
        "table": [
            {
                **dataclasses.asdict(line),
                "layout": str(line.layout),
                "job_seconds": line.job_seconds,
            }
            for line in lines
        ],
        "roof": [
            {**dataclasses.asdict(roof), "microseconds": roof.microseconds}
            for roof in roofs
        ],
        "measurements": [
            {
                "title": contender.title,
                "round": number,
                "microseconds": one.microseconds,
                **dataclasses.asdict(one),
            }
            for contender, layouts in measured.items()
            for each in layouts.values()
            for number, one in enumerate(each, start=1)
        ],
    }


if __name__ == "__main__":
    app.run(main)
