"""Trained lanes: what is known of them, joined, chosen, and as plain named arrays."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from research.training.population import start_lane
from research.training.problem import ANY_LANE, Data, Problem
from research.training.score import Scored

_NESTED = ("test", "test_last", "validation")
# What of a TrainedArm has an entry a seed.
_BY_SEED = ("seeds", "curves", "scored", "weights", "splits", "columns")


@dataclass(frozen=True, kw_only=True)
class TrainedArm:
    """Lanes of an arm, trained and scored; every array starts with the seeds.

    curves: name -> [seeds, epochs + 1]; column 0 is before training.
    weights: leaf path and shape -> checksum of its initial value.
    params: the selected parameters of the first seed, for a picture of one lane.
    step_seconds: of one step of one lane, everything included, in the fastest round:
      what else the machine did is no property of the activation.
    columns: of the per-seed table, once they are taken from the values by test row.
    """

    seeds: np.ndarray
    curves: Mapping[str, np.ndarray]
    scored: Scored
    weights: Mapping[str, np.ndarray]
    splits: np.ndarray
    fitted: Any
    params: Any
    parameters: int
    step_seconds: float
    compile_seconds: float
    train_seconds: float
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)


def join(blocks: Sequence[TrainedArm]) -> TrainedArm:
    """Returns the lanes of several blocks as those of one, in the order of their seeds."""
    blocks = sorted(blocks, key=lambda block: block.seeds[0])
    seeds = np.concatenate([block.seeds for block in blocks])
    order = np.argsort(seeds)
    ordered = np.array_equal(order, np.arange(len(seeds)))

    def joined(*leaves: np.ndarray) -> np.ndarray:
        if all(leaf.strides[0] == 0 for leaf in leaves):
            rows = held_once(np.concatenate([leaf[:1] for leaf in leaves]))
            if rows.strides[0] == 0:
                return np.broadcast_to(rows[:1], (len(seeds), *rows.shape[1:]))
        whole = np.concatenate(leaves)
        return whole if ordered else whole[order]

    def each(name: str) -> Any:
        parts = [getattr(block, name) for block in blocks]
        return _in_order(parts[0], jax.tree.map(joined, *parts))

    return dataclasses.replace(
        blocks[0],
        **{name: each(name) for name in _BY_SEED},
        step_seconds=min(block.step_seconds for block in blocks),
        compile_seconds=max(block.compile_seconds for block in blocks),
        train_seconds=sum(block.train_seconds for block in blocks),
    )


def choose(lanes: TrainedArm, seeds: Sequence[int]) -> TrainedArm:
    """Returns the lanes of these seeds alone; the first must be the first of all."""
    if len(seeds) == len(lanes.seeds):
        return lanes
    rows = np.flatnonzero(np.isin(lanes.seeds, seeds))

    def each(name: str) -> Any:
        whole = getattr(lanes, name)
        return _in_order(whole, jax.tree.map(lambda leaf: leaf[rows], whole))

    return dataclasses.replace(lanes, **{name: each(name) for name in _BY_SEED})


def _in_order(like: Any, tree: Any) -> Any:
    """Returns a mapping in the order of another's keys, which JAX has sorted."""
    return {key: tree[key] for key in like} if isinstance(like, Mapping) else tree


def held_once(rows: np.ndarray) -> np.ndarray:
    """Returns an array whose rows are all alike as a view of the first; else itself."""
    if (rows == rows[0]).all():
        return np.broadcast_to(rows[0].copy(), rows.shape)
    return rows


def to_arrays(lanes: TrainedArm) -> dict[str, np.ndarray]:
    """Returns everything that is known of lanes as named arrays, to be kept in a file."""
    scored = lanes.scored._asdict()
    parts = {"curves": lanes.curves, "weights": lanes.weights}
    parts |= {name: scored.pop(name) for name in _NESTED}
    parts["scored"] = scored
    parts["fitted"] = _numbered(lanes.fitted)
    parts["params"] = _numbered(lanes.params)
    arrays = {
        f"{part}/{name}": np.asarray(value)
        for part, values in parts.items()
        for name, value in values.items()
    }
    for name in ("seeds", "splits", "parameters"):
        arrays[name] = np.asarray(getattr(lanes, name))
    for name in ("step_seconds", "compile_seconds", "train_seconds"):
        arrays[name] = np.asarray(getattr(lanes, name), np.float64)
    return arrays


def kept_shapes(problem: Problem, data: Data) -> tuple[Any, Any]:
    """Returns what `fitted` and `params` of the problem's lanes are laid out like."""
    lane, state, _, _ = jax.eval_shape(
        lambda: start_lane(problem, (ANY_LANE, jnp.float32(1)), data)
    )
    return lane.fitted, (state.best_params, state.best_model_state)


def from_arrays(
    arrays: Mapping[str, np.ndarray],
    problem: Problem,
    like: tuple[Any, Any],
    *,
    epochs: int,
) -> TrainedArm:
    """Returns the lanes that `to_arrays` wrote for this problem.

    Args:
      like: the problem's `kept_shapes`.

    Raises:
      KeyError, TypeError, ValueError: an array is missing, or is not this problem's.
    """

    def part(name: str) -> dict[str, Any]:
        head = f"{name}/"
        return {
            key.removeprefix(head): value
            for key, value in arrays.items()
            if key.startswith(head)
        }

    fitted, params = like
    nested = {name: part(name) for name in _NESTED}
    _check(arrays, nested, problem, epochs=epochs)
    return TrainedArm(
        seeds=arrays["seeds"],
        curves=part("curves"),
        scored=Scored(**nested, **part("scored")),
        weights=part("weights"),
        splits=arrays["splits"],
        fitted=_restored(part("fitted"), fitted),
        params=_restored(part("params"), params),
        parameters=int(arrays["parameters"]),
        step_seconds=float(arrays["step_seconds"]),
        compile_seconds=float(arrays["compile_seconds"]),
        train_seconds=float(arrays["train_seconds"]),
    )


def _check(
    arrays: Mapping[str, np.ndarray],
    nested: Mapping[str, Mapping[str, np.ndarray]],
    problem: Problem,
    *,
    epochs: int,
) -> None:
    """Raises ValueError for arrays that are not of this problem's shape, or not finite."""
    metrics, count = set(problem.task.metrics), len(arrays["seeds"])
    curves = {"train_loss", *(f"validation_{name}" for name in metrics)}
    alive = arrays["scored/alive"]
    wanted = {f"curves/{name}": (count, epochs + 1) for name in curves}
    for part in ("test", "test_last"):
        rows = (count, problem.task.rows.test)
        wanted |= {f"{part}/{name}": rows for name in metrics}
        if any(not np.isfinite(value[alive]).all() for value in nested[part].values()):
            raise ValueError(f"{part} of a lane that did not diverge is not finite")
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {shape}")


def _numbered(tree: Any) -> dict[str, Any]:
    return {str(place): leaf for place, leaf in enumerate(jax.tree.leaves(tree))}


def _restored(leaves: Mapping[str, np.ndarray], like: Any) -> Any:
    ordered = [leaves[str(place)] for place in range(len(leaves))]
    return jax.tree.unflatten(jax.tree.structure(like), ordered)
