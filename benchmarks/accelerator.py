"""The engine on an accelerator: seed-steps a second, and how much of it is launching.

Command: make bench-accelerator   (needs jax for the accelerator, jax[cuda13] say)

The default MLP at 64, 1024 and 16384 seeds and a small causal Transformer at 16. The
first epoch's curves of some seeds are held to those of the CPU, in the same process.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from absl import app

from benchmarks import machine
from benchmarks.peers import engine
from benchmarks.results_page import write_section
from research.config import ExperimentConfig
from research.config_values import from_mapping
from research.training.population import start_lane, train_lane
from research.training.problem import StreamIds, stream_ids


@dataclass(frozen=True, kw_only=True)
class Case:
    """A model, the numbers of its seeds, and how far its curves may be off the CPU's."""

    title: str
    fields: dict[str, object]
    seeds: tuple[int, ...]
    epochs: int
    tolerance: float


CASES = (
    Case(
        title="MLP 2-64-64-1",
        fields={},
        seeds=(64, 1024, 16384),
        epochs=40,
        tolerance=1e-4,
    ),
    Case(
        title="causal Transformer, 2 layers of width 64, 64 characters, batch 16",
        fields={
            "task": {"name": "char_lm"},
            "model": {"name": "lm"},
            "batch_size": 16,
            "vary": "init,order",
        },
        seeds=(16,),
        epochs=2,
        tolerance=1e-2,
    ),
)
CHECKED = 2  # seeds that the CPU trains too


def main(argv: list[str]) -> None:
    """Measures every case and writes the table, where there is an accelerator."""
    del argv
    if jax.default_backend() == "cpu":
        print("no accelerator here")
        return
    about = (
        f"{machine.sentence(machine.describe())}; {jax.devices()[0].device_kind}, "
        f"matrix products in full float32"
    )
    lines = ["`make bench-accelerator`: " + about, "", *table()]
    print("\n".join(lines))
    write_section("On an accelerator", lines)


def table() -> Iterator[str]:
    """Yields the table, measuring as it goes."""
    yield (
        "| model | seeds | seed-steps a second | µs of a step of all seeds | of it "
        "launching (a step of one seed) | furthest from the CPU after an epoch |"
    )
    yield "| --- " * 6 + "|"
    for case in CASES:
        alone = step_microseconds(case, 1)
        off = furthest(case)
        verdict = "" if off <= case.tolerance else f" (allowed: {case.tolerance:g}!)"
        for seeds in case.seeds:
            together = step_microseconds(case, seeds)
            yield (
                f"| {case.title} | {seeds} | {seeds / together * 1e6:,.0f} | "
                f"{together:,.0f} | {100 * alone / together:.0f} % | {off:.1e}{verdict} |"
            )


def config_of(case: Case, seeds: int) -> ExperimentConfig:
    """Returns a case's experiment."""
    return from_mapping({**case.fields, "seeds": seeds})


def step_microseconds(case: Case, seeds: int) -> float:
    """Returns the time of one step of all seeds together, in the fastest round."""
    trained = engine.train(config_of(case, seeds), range(seeds), case.epochs)
    return trained.step_seconds * seeds * 1e6


def furthest(case: Case) -> float:
    """Returns how far the first epoch's validation losses are from the CPU's at most."""
    config = config_of(case, CHECKED)
    here = engine.train(config, range(CHECKED), 1).curves["validation_loss"][:, 1]
    there = losses_on_cpu(config, range(CHECKED))
    return float(np.abs(here - there).max())


def losses_on_cpu(config: ExperimentConfig, seeds: Sequence[int]) -> np.ndarray:
    """Returns each seed's validation loss after one epoch, trained on the CPU."""
    experiment, _ = engine.compiled(config)
    problem, cpu = experiment.problems[experiment.reference], jax.devices("cpu")[0]
    data = jax.device_put(experiment.data, cpu)
    rate = jnp.float32(experiment.learning_rate)

    def first_epoch(ids: StreamIds) -> jax.Array:
        lane, state, *_ = start_lane(problem, (ids, rate), data)
        _, curves = train_lane(
            problem, (lane, state), (data, jnp.int32(0), jnp.int32(1))
        )
        return curves["validation_loss"][0]

    with jax.default_device(cpu):
        losses = jax.jit(jax.vmap(first_epoch))(stream_ids(seeds, vary=config.vary))
    return np.asarray(losses)


if __name__ == "__main__":
    app.run(main)
