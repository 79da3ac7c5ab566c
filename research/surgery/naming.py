"""What published checkpoints call an encoder's parameters, and how they lay them out.

One table reads and writes: it gives each published tensor the parameters that it holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# As nnx.to_flat_state gives it.
Path = tuple[Any, ...]

# A published module's tensor for the last word of a parameter's path.
LEAVES = {"embedding": "weight", "kernel": "weight", "scale": "weight", "bias": "bias"}
LAYERS = ["transformer", "layers"]
# torch's axes of a kernel by their number: outputs × inputs, and with a window's sides
# behind them. Ours are inputs × outputs, and the sides, inputs, outputs.
TO_TORCH = {2: (1, 0), 4: (3, 2, 0, 1)}


@dataclass(frozen=True, kw_only=True)
class Names:
    """The names of a family, by ours.

    layer: the stem of layer n's names, which has {n} in it. inside: modules of a layer by
    our path below it; those of one name lie side by side in one tensor, in this order.
    outside: all other modules, or single parameters, whose whole name it then gives.
    transposed: whether kernels are outputs × inputs, as torch's are. leading: parameters
    that are published with a first axis of length 1.
    """

    layer: str
    inside: Mapping[str, str]
    outside: Mapping[str, str]
    transposed: bool = True
    leading: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True)
class Published:
    """A published tensor: its shape, and the parameters that lie in it side by side."""

    paths: tuple[Path, ...]
    shape: tuple[int, ...]
    axes: tuple[int, ...] | None
    leading: bool

    def read(self, array: np.ndarray) -> list[np.ndarray]:
        """Returns the parameters of a tensor."""
        if self.leading:
            array = array[0]
        if self.axes:
            array = array.transpose(np.argsort(self.axes))
        return np.split(array, len(self.paths), axis=-1)

    def written(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the tensor of the parameters, in the order of `paths`."""
        array = np.concatenate(parts, axis=-1)
        array = array.transpose(self.axes) if self.axes else array
        return np.ascontiguousarray(array[None] if self.leading else array)


def published(
    names: Names, shapes: Mapping[Path, tuple[int, ...]]
) -> dict[str, Published]:
    """Returns the tensors that hold all these parameters, by their published names."""
    order = {module: place for place, module in enumerate(names.inside)}
    grouped: dict[str, list[Path]] = {}
    for path in shapes:
        grouped.setdefault(_name(names, path), []).append(path)
    found = {}
    for name, paths in grouped.items():
        paths.sort(key=lambda path: order.get(_dotted(path[3:-1]), 0))
        found[name] = _published(names, paths, shapes)
    return found


def _published(names: Names, paths: list[Path], shapes: Mapping) -> Published:
    shape = list(shapes[paths[0]])
    shape[-1] = sum(shapes[path][-1] for path in paths)
    leading = _dotted(paths[0]) in names.leading
    turned = names.transposed and paths[0][-1] == "kernel"
    axes = TO_TORCH[len(shape)] if turned else None
    theirs = [shape[axis] for axis in axes] if axes else [1] * leading + shape
    return Published(tuple(paths), tuple(theirs), axes, leading)


def _name(names: Names, path: Path) -> str:
    *above, leaf = path
    if above[:2] == LAYERS:
        module = names.inside[_dotted(above[3:])]
        return f"{names.layer.format(n=above[2])}{module}.{LEAVES[str(leaf)]}"
    whole = names.outside.get(_dotted(path))
    return whole or f"{names.outside[_dotted(above)]}.{LEAVES[str(leaf)]}"


def _dotted(path: Sequence[Any]) -> str:
    return ".".join(map(str, path))
