"""What the benchmarks make of their measurements, and what they write."""

import dataclasses
import itertools

import numpy as np
import pytest

from benchmarks import accelerator, growth, growth_cell, job, roof, table
from benchmarks.contenders import Contender
from benchmarks.peers import engine
from benchmarks.results_page import write_section
from benchmarks.workers import Layout, Measurement, measure
from research.experiment.prepare import prepare
from research.training.cost import step_flops

APART, TOGETHER = Layout(processes=2, cores=1), Layout(processes=1, cores=2)
OURS = Contender(title="engine", peer="engine", layouts=(TOGETHER,), epochs=2)
PEER = Contender(title="peer", peer="peer", layouts=(APART, TOGETHER), epochs=1)


def measured(contender: Contender, layout: Layout, microseconds: float) -> Measurement:
    steps = contender.epochs * job.STEPS
    seconds = microseconds * contender.seeds * steps / 1e6
    return Measurement(
        peer=contender.peer,
        layout=layout,
        seeds=contender.seeds,
        epochs=contender.epochs,
        steps=steps,
        cold_seconds=seconds + 3,
        warm_seconds=seconds,
        cpu_seconds=seconds,
        peak_bytes=0,
        accuracy=[0.8, 0.9][: contender.epochs],
    )


def rounds(contender: Contender, layout: Layout, *microseconds: float):
    return [measured(contender, layout, each) for each in microseconds]


def test_the_fastest_layout_counts_and_ratios_are_of_a_round():
    found = {
        OURS: {TOGETHER: rounds(OURS, TOGETHER, 10, 20, 40)},
        PEER: {
            APART: rounds(PEER, APART, 30, 60, 80),
            TOGETHER: rounds(PEER, TOGETHER, 70, 70, 70),
        },
    }
    ours, peer = table.summarise(found)
    assert (ours.ratio, ours.microseconds) == pytest.approx((1, 20))
    assert peer.layout == APART
    # Slower by 3, 3 and 2 times.
    assert (peer.ratio, peer.microseconds) == pytest.approx((3, 60))
    assert peer.start_seconds == pytest.approx(3)
    assert peer.job_seconds == pytest.approx(3 + 60e-6 * 64 * 100 * 37)
    # Held to the engine's accuracy after as many epochs, which is not its last.
    assert peer.engine_accuracy == 0.8
    assert peer.agrees


def test_a_peer_that_learned_something_else_is_named():
    other = dataclasses.replace(measured(PEER, APART, 30), accuracy=[0.5])
    lines = table.summarise(
        {OURS: {TOGETHER: rounds(OURS, TOGETHER, 10)}, PEER: {APART: [other]}}
    )
    speeds = roof.Roof(
        cores=2, matrix_peak=1e11, step_products=5e10, cache_bandwidth=1e11
    )
    shown = list(table.table(lines, speeds))
    assert [line for line in shown if line.startswith("! peer")]
    assert not [line for line in shown if line.startswith("! engine")]


def test_a_peer_that_skips_steps_is_refused():
    lazy = dataclasses.replace(measured(PEER, APART, 30), steps=36)
    with pytest.raises(RuntimeError, match="peer: 36 steps in 1 epochs, not 37 each"):
        table.summarise(
            {OURS: {TOGETHER: rounds(OURS, TOGETHER, 10)}, PEER: {APART: [lazy]}}
        )


def test_processes_share_the_seeds():
    found = measure("sklearn_mlp", APART, seeds=4, epochs=1)
    assert (found.seeds, found.steps, len(found.accuracy)) == (4, job.STEPS, 1)
    assert found.cold_seconds > found.warm_seconds > 0


def test_a_peer_that_ends_is_named():
    with pytest.raises(RuntimeError, match="no_such_peer: its process ended with 1"):
        measure("no_such_peer", TOGETHER, seeds=1, epochs=1)


def test_the_roof_counts_the_products_that_the_program_has():
    experiment = prepare(growth_cell.config_of(2, 1, 1))
    problem = experiment.problems[experiment.reference]
    assert roof.step_flops() == step_flops(problem, experiment.data) == 815_104
    slow = roof.Roof(cores=1, matrix_peak=1e9, step_products=1e9, cache_bandwidth=1e18)
    assert slow.microseconds == pytest.approx(815.104 + 3430.4 / 37)


def test_sixteen_times_the_parameters_and_the_rows_fewer_cells():
    widths = growth_cell.config_of(8, 16, 100)
    assert widths.model.hidden == (256, 256)
    assert widths.task.samples == 200_000
    sizes = [
        sum((a + 1) * b for a, b in itertools.pairwise((2, *hidden, 1)))
        for hidden in ((64, 64), widths.model.hidden)
    ]
    assert sizes[1] / sizes[0] == pytest.approx(16, rel=0.1)


def test_growth_says_whether_it_is_flat():
    cells = {
        (seeds, 1, 1): {"microseconds": cost, "peak_bytes": 2**30}
        for seeds, cost in ((64, 10.0), (4096, 11.4))
    }
    assert "1.14 times, flat within 15 %" in next(growth.verdict(cells))
    cells[4096, 1, 1]["microseconds"] = 11.6
    assert "1.16 times, not flat within 15 %" in next(growth.verdict(cells))
    row = list(growth.table(cells))[-1]
    assert row.startswith("| 4096 | 11.6 µs, 1,024 MiB | left out")


def test_a_section_is_written_again_in_its_place(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n## One\n\nold\n\n## Two\n\nkept\n")
    write_section("One", ["new", "lines"], page)
    assert page.read_text() == "# Page\n\n## One\n\nnew\nlines\n\n## Two\n\nkept\n"
    write_section("Two", ["newer"], page)
    assert page.read_text() == "# Page\n\n## One\n\nnew\nlines\n\n## Two\n\nnewer\n"
    write_section("Three", ["last"], page)
    assert page.read_text().endswith("newer\n\n## Three\n\nlast\n")


@pytest.mark.slow
def test_what_an_accelerator_is_held_to_is_the_engines_own_epoch():
    config = growth_cell.config_of(2, 1, 1)
    ours = engine.train(config, range(2), 1).curves["validation_loss"][:, 1]
    np.testing.assert_allclose(
        accelerator.losses_on_cpu(config, range(2)), ours, atol=1e-6
    )
