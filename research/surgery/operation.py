"""The surgery itself: measured as it is, tuned, measured again."""

import shutil
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from research.activations.catalog import lookup
from research.errors import ConfigError
from research.records.folder import RunFolder
from research.reporting.step_progress import step_progress
from research.stopping import Stopping
from research.surgery.arms import Arm
from research.surgery.families import known_difference
from research.surgery.measure import Measured, Subject, measure, steps
from research.surgery.probe import Probe, probe_of
from research.surgery.saving import save
from research.surgery.similarity import row_cosines
from research.surgery.summary import summarise
from research.surgery.swap import Swap
from research.surgery.tuning import Tuned, tune

# What the slug of a tuned arm ends in, and where the tuned models are saved.
TUNED = "~tuned"
MODELS = "models"


def operate(
    swap: Swap,
    folder: RunFolder,
    console: Console,
    *,
    command: str,
    stopping: Stopping,
) -> dict[str, Any]:
    """Returns summary.json of mode `surgery`, but for the time that it took.

    Args:
      stopping: told of signals.

    Raises:
      Refusal: what training refuses, or numbers that are not finite.
    """
    probe = probe_of(swap)
    subjects = [
        Subject(slug=arm.slug, arm=arm, params=swap.pretrained.params)
        for arm in swap.arms
    ]
    measured = _measured(swap, subjects, probe, console)
    known = _known_gap(swap, console)
    if swap.loss == "none":
        summary = summarise(swap, subjects, measured, probe, None)
        return summary | {"warnings": [*known, *summary["warnings"]]}
    reference, *swaps = (measured[arm.slug] for arm in swap.arms)
    least = min(row_cosines(each.pooled, reference.pooled).mean() for each in swaps)
    tuned = tune(
        swap,
        folder,
        console,
        untrained_cosine=float(least),
        command=command,
        stopping=stopping,
    )
    after = list(_tuned_subjects(swap, tuned))
    measured |= _measured(swap, after, probe, console)
    summary = summarise(swap, [*subjects, *after], measured, probe, tuned)
    told = [*known, *summary["warnings"], *_save(swap, after, folder)]
    return summary | {"warnings": told}


def _known_gap(swap: Swap, console: Console) -> list[str]:
    """Warns where such checkpoints were trained with another activation than is said."""
    known = known_difference(swap.checkpoint)
    if known is None:
        return []
    name, how = known
    layers = tuple(range(swap.pretrained.config.depth))
    arm = Arm(slug=name, activation=lookup(name), layers=layers)
    subject = Subject(slug=name, arm=arm, params=swap.pretrained.params)
    drift = _measured(swap, [subject], None, console)[name].drift[:, -1].mean()
    return [
        f"{how}; with {name} the last layer's output is another by {100 * drift:.2g} % of "
        f"its size on these {swap.material.unit}s (--config.model.trained={name} takes it "
        "as trained)"
    ]


def _measured(
    swap: Swap, subjects: list[Subject], probe: Probe | None, console: Console
) -> dict[str, Measured]:
    inputs = swap.material.tested_inputs
    with step_progress(console, steps(inputs, probe)) as tell:
        return measure(swap.pretrained, subjects, inputs, probe, tell=tell)


def _tuned_subjects(swap: Swap, tuned: Tuned) -> Iterator[Subject]:
    """Yields the tuned arms, with what their first seed ended in; the reference last."""
    arms: dict[str, Arm] = {arm.slug: arm for arm in swap.arms}
    slugs = sorted(tuned.params, key=lambda slug: not arms[slug].layers)
    for slug in slugs:
        yield Subject(
            slug=slug + TUNED, arm=arms[slug], params=tuned.params[slug], tuned=True
        )


def _save(swap: Swap, tuned: list[Subject], folder: RunFolder) -> list[str]:
    """Writes the tuned models as directories of their own; returns why one is not."""
    if len(swap.swapped) < swap.pretrained.config.depth:
        return [
            "the tuned models are not saved: config.json has one activation for all layers"
        ]
    told = []
    if swap.new_head:
        told.append(
            "the new classifier of the labels is not saved: models/ holds the tuned "
            "checkpoints without it"
        )
    for each in tuned:
        place = folder.root / MODELS / each.arm.slug
        shutil.rmtree(place, ignore_errors=True)
        try:
            save(
                swap.pretrained,
                each.params,
                place,
                activation=each.arm.activation,
                source=swap.checkpoint.folder,
            )
        except ConfigError as error:
            told.append(f"{each.slug} is not saved: {error}")
    return told
