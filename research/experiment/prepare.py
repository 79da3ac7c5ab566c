"""Everything that an experiment needs before it trains: checked, loaded, laid out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import jax

from research import prng
from research.activations.catalog import Activation, lookup
from research.activations.names import arms, remarks
from research.config import ConfigError, ExperimentConfig
from research.experiment.problems import describe_model, load_task, make_problem
from research.tasks.contract import Task
from research.training.devices import claim_devices
from research.training.plan import Plan, make_plan
from research.training.problem import Data, Problem

# Products of float32 in full precision on every backend.
PRECISION = "highest"


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment ready to train; arms are keyed by slug, the reference among them."""

    config: ExperimentConfig
    task: Task
    data: Data
    activations: Mapping[str, Activation]
    problems: Mapping[str, Problem]
    reference: str
    plan: Plan
    notes: tuple[str, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The absolute ids of the seeds."""
        first = self.config.first_seed
        return tuple(range(first, first + self.config.seeds))

    @property
    def title(self) -> str:
        """The experiment in one line: task, model, optimiser, seeds."""
        config = self.config
        model = describe_model(config, self.task)
        return (
            f"{self.task.name} · {model} · {config.optimizer.name} "
            f"{config.optimizer.learning_rate[0]:g}, batch {config.batch_size}, "
            f"{config.epochs} epochs · {config.seeds} seed{'s' * (config.seeds > 1)}"
        )

    @property
    def steps_per_epoch(self) -> int:
        """Optimiser steps of an epoch, the same for every arm."""
        return self.problems[self.reference].steps_per_epoch


def prepare(config: ExperimentConfig) -> Experiment:
    """Resolves names, loads data, builds models and plans; trains nothing.

    Raises:
      ConfigError: an activation that cannot be used.
      InvalidComparison: a model that does not call its activation.
    """
    if jax.config.values["jax_debug_nans"]:
        raise ConfigError(
            "jax_debug_nans: must be off; a diverged lane is NaN by design"
        )
    names, reference = arms(config.activations, config.reference)
    note = claim_devices(config.compute.devices)
    jax.config.update("jax_default_matmul_precision", PRECISION)
    activations = {record.slug: record for record in map(lookup, names)}
    task, data = load_task(config)
    problems = {
        slug: make_problem(config, task, data, activation)
        for slug, activation in activations.items()
    }
    base = lookup(reference).slug
    return Experiment(
        config=config,
        task=task,
        data=data,
        activations=activations,
        problems=problems,
        reference=base,
        plan=make_plan(
            problems.values(),
            data,
            lanes=config.seeds,
            devices=config.compute.devices,
            lanes_per_chunk=config.compute.lanes_per_chunk,
        ),
        notes=(
            *((note,) if note else ()),
            *remarks(config.activations),
            *_sizes(config, task, activations, problems, base),
        ),
    )


def _sizes(
    config: ExperimentConfig,
    task: Task,
    activations: Mapping[str, Activation],
    problems: Mapping[str, Problem],
    reference: str,
) -> Iterator[str]:
    """Says which arms have another number of parameters than the reference."""
    counts = {slug: _count_parameters(problem) for slug, problem in problems.items()}
    base = counts[reference]
    for slug, count in counts.items():
        if count != base:
            model = describe_model(config, task, activations[slug])
            yield (
                f"{activations[slug].name} has {count:,} parameters ({model}), "
                f"{100 * (count / base - 1):+.2g} % against {base:,} of "
                f"{activations[reference].name}"
            )


def _count_parameters(problem: Problem) -> int:
    params, _ = jax.eval_shape(lambda: problem.model.init(prng.stream_key("init", 0)))
    return sum(leaf.size for leaf in jax.tree.leaves(params))
