"""A plan of an experiment: what its seeds can show, its memory and its time."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from research.config import ExperimentConfig
from research.config_values import to_mapping
from research.errors import ConfigError, DataError
from research.experiment.prepare import Experiment, prepare
from research.experiment.resources import resources
from research.experiment.summary import primary_metric, test_train_ratio
from research.records.pilot import Pilot
from research.statistics.paired import paired_differences, standard_deviation
from research.statistics.planning import Design, SeedPlan, plan_seeds
from research.statistics.power import smallest_decisive_n

SCHEMA = 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Known:
    """What is known before the run: a pilot, or an exact sd, or neither.

    differences: the fields in which the pilot's config differs from the planned one.
    """

    power: float
    std_difference: float | None = None
    pilot: Pilot | None = None
    differences: tuple[str, ...] = ()


def plan(config: ExperimentConfig, known: Known) -> dict[str, Any]:
    """Returns plan.json's mapping; trains nothing that is kept.

    Raises:
      ConfigError: a field that cannot be used.
      DataError: a pilot that does not fit the experiment.
    """
    if config.mode != "compare":
        raise ConfigError(f"mode={config.mode}: plan plans runs of mode=compare alone")
    experiment = prepare(config)
    if known.pilot is not None:
        _check_pilot(experiment, known.pilot)
    return {
        "schema": SCHEMA,
        "title": experiment.title,
        "primary_metric": primary_metric(config, experiment.task),
        "margin": config.analysis.margin,
        "confidence": config.analysis.confidence,
        "seeds": config.seeds,
        "first_seed": config.first_seed,
        "reference": experiment.reference,
        "arms": {
            slug: {"name": activation.name, "formula": activation.formula}
            for slug, activation in experiment.activations.items()
        },
        "statistics": _statistics(experiment, known),
        "pilot": _pilot(known),
        **resources(experiment, known.pilot, known.differences),
        "warnings": [*experiment.notes, *_warnings(experiment, known)],
        "config": to_mapping(config),
    }


def _check_pilot(experiment: Experiment, pilot: Pilot) -> None:
    where = f"--pilot={pilot.folder}:"
    if experiment.reference not in pilot.arms:
        raise DataError(
            f"{where} lacks the reference {experiment.reference}; it has "
            f"{', '.join(pilot.arms)}"
        )
    metric = primary_metric(experiment.config, experiment.task)
    if metric.removesuffix("_last") != pilot.metric.removesuffix("_last"):
        raise DataError(
            f"{where} was judged by {pilot.metric}, and this run will be by {metric}"
        )


def _statistics(experiment: Experiment, known: Known) -> dict[str, Any] | None:
    """Returns what the planned seeds can show of each arm, where its sd is known."""
    compared = [slug for slug in experiment.problems if slug != experiment.reference]
    if known.pilot is None and known.std_difference is None:
        return None
    config = experiment.config
    design = Design(
        seeds=config.seeds,
        margin=config.analysis.margin,
        confidence=config.analysis.confidence,
        compared=len(compared),
        power=known.power,
        test_train_ratio=test_train_ratio(config, experiment.task),
    )
    plans = {slug: _plan_arm(experiment, slug, known, design) for slug in compared}
    return {
        "power": known.power,
        "compared": len(compared),
        "level": design.level,
        "decisive_seeds": smallest_decisive_n(design.level),
        "arms": {
            slug: None if found is None else dataclasses.asdict(found)
            for slug, found in plans.items()
        },
    }


def _plan_arm(
    experiment: Experiment, slug: str, known: Known, design: Design
) -> SeedPlan | None:
    """Plans an arm; None where the pilot lacks it, or its differences do not vary."""
    if known.std_difference is not None:
        return plan_seeds(known.std_difference, design)
    deviation = _pilot_deviation(experiment, slug, known.pilot)
    if not deviation:
        return None
    assert known.pilot is not None
    return plan_seeds(deviation, design, pilot_seeds=known.pilot.seeds)


def _pilot_deviation(
    experiment: Experiment, slug: str, pilot: Pilot | None
) -> float | None:
    if pilot is None or slug not in pilot.arms:
        return None
    scores, base = (pilot.arms[arm].scores for arm in (slug, experiment.reference))
    return standard_deviation(paired_differences(scores, base))


def _pilot(known: Known) -> dict[str, Any] | None:
    if known.pilot is None:
        return None
    return {
        "folder": str(known.pilot.folder),
        "seeds": known.pilot.seeds,
        "first_seed": known.pilot.first_seed,
        "differences": list(known.differences),
    }


def _warnings(experiment: Experiment, known: Known) -> list[str]:
    """Says where the pilot is not the planned run."""
    pilot, told = known.pilot, []
    if experiment.config.seeds_plan == "sequential":
        told.append(
            "the seeds are those of a fixed plan; a sequential one, which may stop "
            "earlier, may take up to twice as many"
        )
    if pilot is None:
        return told
    if known.differences:
        told.append(
            f"the pilot differs from the planned run in {', '.join(known.differences)}: "
            "its sd may be another"
        )
    for slug in experiment.problems:
        told += _arm_warnings(experiment, slug, pilot)
    return told


def _arm_warnings(experiment: Experiment, slug: str, pilot: Pilot) -> Iterator[str]:
    name = experiment.activations[slug].name
    if slug not in pilot.arms:
        yield f"the pilot lacks {name}: nothing is known of its differences"
        return
    if diverged := pilot.arms[slug].diverged:
        yield (
            f"{diverged} of {pilot.seeds} lanes of {name} diverged in the pilot: the sd "
            "is theirs too, and with a diverged lane nothing is called equivalent"
        )
    compared = slug != experiment.reference
    if compared and not _pilot_deviation(experiment, slug, pilot):
        yield f"every difference of {name} is the same in the pilot: it has no sd to plan by"
