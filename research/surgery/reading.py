"""A checkpoint's encoder and heads: every tensor used exactly once, or named as skipped."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import PyTree

from research.activations.catalog import lookup
from research.errors import DataError
from research.surgery.checkpoint import Checkpoint, load
from research.surgery.encoder import Pretrained
from research.surgery.families import FAMILIES
from research.surgery.families.family import Family, Plan
from research.surgery.naming import Path, Published, published


def read_pretrained(checkpoint: Checkpoint) -> Pretrained:
    """Returns the encoder of a checkpoint and its heads.

    Raises:
      DataError: a field or a tensor that is missing or cannot be used, or a tensor that
        belongs to nothing here.
    """
    family = FAMILIES[checkpoint.family]
    plan = _plan(checkpoint, family)
    inputs = family.inputs(checkpoint)
    graph, shapes, _ = nnx.split(
        nnx.eval_shape(lambda: family.build(checkpoint, plan)), nnx.Param, ...
    )
    leaves = {path: leaf.shape for path, leaf in nnx.to_flat_state(shapes)}
    wanted, given = published(family.names, leaves), by_plain_name(checkpoint)
    _check_tensors(checkpoint, given, wanted, plan.heads)
    return Pretrained(
        family=checkpoint.family,
        kind=family.kind,
        config=plan.config,
        activation=plan.activation,
        vocabulary=inputs.vocabulary,
        length=inputs.length,
        image=inputs.image,
        graph=graph,
        params=_params(checkpoint, given, wanted),
        heads=plan.heads,
        classes=plan.classes,
        dropout=checkpoint.fraction(family.dropout, absent=0.0),
        skipped=tuple(
            given[name] for name in given if family.is_skipped(name, plan.heads)
        ),
    )


def _plan(checkpoint: Checkpoint, family: Family) -> Plan:
    for field, wanted in family.settings.items():
        if checkpoint.config.get(field, wanted) != wanted:
            raise checkpoint.refused(field, str(wanted).lower())
    activation = lookup(checkpoint.activation)
    if activation.kind != "elementwise":
        raise checkpoint.refused(
            checkpoint.activation_field, "an activation without parameters"
        )
    heads = family.heads_of(checkpoint)
    return Plan(
        config=family.config(checkpoint),
        activation=activation,
        heads=heads,
        classes=_classes(checkpoint) if "classifier" in heads else (),
    )


def _classes(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Returns the classes' names; without any they are two, as in the published code."""
    labels = checkpoint.config.get("id2label")
    if labels is None:
        return ("LABEL_0", "LABEL_1")
    names = list(map(str, range(len(labels)))) if isinstance(labels, dict) else []
    if not names or set(labels) != set(names):
        raise checkpoint.refused("id2label", "a name for each number from 0 on")
    return tuple(str(labels[name]) for name in names)


def by_plain_name(checkpoint: Checkpoint) -> dict[str, str]:
    """Returns the checkpoint's names by those without prefix and in today's words.

    Raises:
      DataError: two tensors of one name.
    """
    family = FAMILIES[checkpoint.family]
    plain: dict[str, str] = {}
    for name in checkpoint.tensors:
        short = family.plain(name)
        if short in plain:
            raise DataError(
                f"{checkpoint.folder}: tensors {plain[short]} and {name} are one and "
                "the same"
            )
        plain[short] = name
    return plain


def _check_tensors(
    checkpoint: Checkpoint,
    given: Mapping[str, str],
    wanted: Mapping[str, Published],
    heads: tuple[str, ...],
) -> None:
    """Checks that every parameter has its tensor, and every tensor a parameter or a skip."""
    family = FAMILIES[checkpoint.family]
    for name, place in wanted.items():
        if name not in given:
            raise DataError(
                f"{checkpoint.folder}: tensor {name} of shape {place.shape} is missing"
            )
        found = checkpoint.tensors[given[name]]
        if found.shape != place.shape:
            raise DataError(
                f"{found.file}: tensor {given[name]} has shape {found.shape}; by "
                f"config.json it must be {place.shape}"
            )
    for name, full in given.items():
        if name in wanted or family.is_skipped(name, heads):
            continue
        if family.tied.get(name) in wanted:
            _check_tied(checkpoint, full, given[family.tied[name]])
            continue
        found = checkpoint.tensors[full]
        raise DataError(
            f"{found.file}: tensor {full} of shape {found.shape} belongs to no part "
            "of the model that config.json describes"
        )


def _check_tied(checkpoint: Checkpoint, second: str, first: str) -> None:
    one, two = load(checkpoint, [first, second]).values()
    if not np.array_equal(one, two):
        raise DataError(
            f"{checkpoint.tensors[second].file}: tensor {second} differs from {first}; "
            "only a head that shares its numbers with the embedding can be read"
        )


def _params(
    checkpoint: Checkpoint, given: Mapping[str, str], wanted: Mapping[str, Published]
) -> PyTree:
    params: dict[Any, Any] = {}
    for name, place in wanted.items():
        array = load(checkpoint, [given[name]])[given[name]]
        for path, part in zip(place.paths, place.read(array), strict=True):
            _put(params, path, part)
    return params


def _put(params: dict[Any, Any], path: Path, array: np.ndarray) -> None:
    *above, leaf = path
    for word in above:
        params = params.setdefault(word, {})
    params[leaf] = jnp.asarray(array)
