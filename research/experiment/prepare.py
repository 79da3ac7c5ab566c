"""Everything that an experiment needs before it trains: checked, loaded, laid out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import jax
import numpy as np

from research import prng
from research.activations.catalog import Activation, lookup
from research.activations.names import arms_of, remarks
from research.config import SUB_RUN_IDS, ExperimentConfig
from research.errors import ConfigError
from research.experiment.problems import (
    ModelKind,
    data_of,
    load_task,
    make_problem,
    model_kind,
    problem_of_several,
    shapes_of,
)
from research.experiment.sharing import pays, sharing
from research.settings import LARGEST
from research.tasks.contract import Task
from research.training.cache import use_cache
from research.training.devices import claim_devices
from research.training.plan import Plan, make_plan
from research.training.problem import Data, Problem

# Seeds that a sequential plan adds at a time: a fixed number, so that the seeds that a
# verdict took do not depend on the machine.
BATCH = 16
# What the arm is called that is the reference again, with other seeds.
NULL = "~null"

# Products of float32 in full precision on every backend.
PRECISION = "highest"


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment ready to train; arms are keyed by slug, the reference among them.

    shared: the problem of all arms that share their programs; None where none do.
    """

    config: ExperimentConfig
    task: Task
    kind: ModelKind
    data: Data
    activations: Mapping[str, Activation]
    problems: Mapping[str, Problem]
    reference: str
    plan: Plan
    notes: tuple[str, ...]
    shared: Problem | None = None

    def trained_as(self, arm: str) -> tuple[Problem, Data]:
        """Returns the problem whose programs train an arm, and the data they take."""
        arms = sharing(self.activations)
        if self.shared is None or arm not in arms:
            return self.problems[arm], self.data
        return self.shared, self.data._replace(chosen=np.int32(arms.index(arm)))

    def seeds_of(self, arm: str) -> tuple[int, ...]:
        """Returns the absolute ids of an arm's seeds; of a sequential plan, the most."""
        count = self.config.seeds
        first = self.config.first_seed + SUB_RUN_IDS * arm.endswith(NULL)
        return tuple(range(first, first + count))

    @property
    def learning_rate(self) -> float:
        """The learning rate, the same for every arm."""
        return self.config.optimizer.learning_rate[0]

    @property
    def title(self) -> str:
        """The experiment in one line: task, model, optimiser, seeds."""
        config = self.config
        model = self.describe()
        most = "at most " if config.seeds_plan == "sequential" else ""
        return (
            f"{self.task.name} · {model} · {config.optimizer.name.capitalize()} "
            f"{config.optimizer.learning_rate[0]:g}, batch {config.batch_size}, "
            f"{config.epochs} epoch{'s' * (config.epochs > 1)} · "
            f"{most}{config.seeds} seed{'s' * (config.seeds > 1)}"
        )

    def describe(self, activation: Activation | None = None) -> str:
        """Returns the model's one-line name, or what it is in the arm of an activation."""
        return self.kind.describe(self.config.model, activation, shapes_of(self.task))

    @property
    def steps_per_epoch(self) -> int:
        """Optimiser steps of an epoch, the same for every arm."""
        return self.problems[self.reference].steps_per_epoch


def prepare(
    config: ExperimentConfig, *, recorded: Plan | None = None, processes: int = 1
) -> Experiment:
    """Resolves names, loads data, builds models and plans; trains nothing.

    Args:
      recorded: the plan of lanes that are trained already, which the others then follow.
      processes: that share the lanes.

    Raises:
      ConfigError: an activation that cannot be used.
      InvalidComparison: a model that does not call its activation.
    """
    names, reference = arms_of(config)
    if config.mode == "null":
        names = (reference,)
    note = ready(config)
    return assemble(
        config,
        load_task(config),
        model_kind(config),
        names=names,
        reference=reference,
        recorded=recorded,
        processes=processes,
        notes=(*((note,) if note else ()), *remarks(config.activations)),
    )


def ready(config: ExperimentConfig) -> str | None:
    """Sets up JAX for an experiment; returns what is to be known of its devices.

    Raises:
      ConfigError: a setting under which nothing can be trained.
    """
    for name in ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit"):
        if jax.config.values[name]:
            why = "lanes are compiled" if "jit" in name else "a diverged lane is NaN"
            raise ConfigError(f"{name}: must be off; {why} by design")
    use_cache(config.compute.cache)
    note = claim_devices(config.compute.devices)
    jax.config.update("jax_default_matmul_precision", PRECISION)
    return note


def assemble(
    config: ExperimentConfig,
    task: Task,
    kind: ModelKind,
    *,
    names: Sequence[str],
    reference: str,
    recorded: Plan | None = None,
    processes: int = 1,
    notes: tuple[str, ...] = (),
) -> Experiment:
    """Returns the experiment of a task and a model that are loaded.

    Args:
      names: the arms, the reference among them.
      recorded, processes, notes: as for `prepare`, and what its warnings begin with.

    Raises:
      ConfigError: a model that cannot be built, or fewer rows than a batch.
      InvalidComparison: a model that does not call its activation.
    """
    if task.rows.train < config.batch_size:
        raise ConfigError(
            f"batch_size={config.batch_size}: must be at most {task.rows.train}, the "
            f"rows of {task.name}'s training part"
        )
    steps = config.epochs * (task.rows.train // config.batch_size)
    if steps > LARGEST:
        raise ConfigError(
            f"epochs={config.epochs}: must leave at most {LARGEST} steps a training, "
            f"not {steps}: they are counted in 32 bits"
        )
    activations = {record.slug: record for record in map(lookup, names)}
    data = data_of(task, kind)
    problems = {
        slug: make_problem(config, task, data, activation, kind=kind)
        for slug, activation in activations.items()
    }
    base = lookup(reference).slug
    if config.mode == "null":
        activations = dict.fromkeys((base, base + NULL), activations[base])
        problems = dict.fromkeys(activations, problems[base])
    plan = _plan(config, problems, data, recorded, processes)
    alike = config.mode == "null" or bool(kind.constants)
    arms = () if alike else sharing(activations)
    if recorded is None:
        steps *= config.seeds * len(arms)
        plan = replace(
            plan, one_program=pays(arms, problems[base], data, plan, steps=steps)
        )
    shared = None
    if plan.one_program and arms:
        several = [activations[arm] for arm in arms]
        shared = problem_of_several(config, task, several, kind=kind)
    experiment = Experiment(
        config=config,
        task=task,
        kind=kind,
        data=data,
        activations=activations,
        problems=problems,
        reference=base,
        plan=plan,
        notes=notes,
        shared=shared,
    )
    return replace(experiment, notes=(*notes, *_sizes(experiment)))


def _plan(
    config: ExperimentConfig,
    problems: Mapping[str, Problem],
    data: Data,
    recorded: Plan | None,
    processes: int,
) -> Plan:
    """Returns each process's plan; what changes rounding is taken from a recorded one."""
    devices, width = config.compute.devices, config.compute.lanes_per_chunk
    if recorded is not None:
        devices = devices or recorded.devices
        width = recorded.lanes_per_chunk
    sequential = config.seeds_plan == "sequential"
    lanes = min(BATCH, config.seeds) if sequential else config.seeds
    plan = make_plan(
        problems.values(),
        data,
        lanes=-(-lanes // processes),
        devices=devices,
        lanes_per_chunk=width,
    )
    if recorded is None:
        return plan
    return replace(plan, rule=recorded.rule, one_program=recorded.one_program)


def _sizes(experiment: Experiment) -> Iterator[str]:
    """Says which arms have another number of parameters than the reference."""
    activations, reference = experiment.activations, experiment.reference
    counts = {
        slug: _count_parameters(problem)
        for slug, problem in experiment.problems.items()
    }
    base = counts[reference]
    for slug, count in counts.items():
        if count != base:
            yield (
                f"{activations[slug].name} has {count:,} parameters "
                f"({experiment.describe(activations[slug])}), "
                f"{100 * (count / base - 1):+.2g} % against {base:,} of "
                f"{activations[reference].name}"
            )


def _count_parameters(problem: Problem) -> int:
    params, _ = jax.eval_shape(lambda: problem.model.init(prng.stream_key("init", 0)))
    return sum(leaf.size for leaf in jax.tree.leaves(params))
