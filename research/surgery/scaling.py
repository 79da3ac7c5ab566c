"""How a checkpoint's own images were scaled, by its preprocessor_config.json."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from research.errors import DataError
from research.records.folder import read_mapping
from research.settings import shown

SETTINGS = "preprocessor_config.json"


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """What is done to a byte: times `factor`, less `mean`, by `std`, for each channel."""

    factor: float = 1 / 255
    mean: tuple[float, ...] = (0.5,)
    std: tuple[float, ...] = (0.5,)


def read_scaling(folder: Path, *, channels: int) -> Scaling:
    """Returns what preprocessor_config.json says, or what ViT's own is without it.

    Raises:
      DataError: a field that cannot be used.
    """
    path = folder / SETTINGS
    told = read_mapping(path) if path.is_file() else {}
    factor, mean, std = 1 / 255, (0.5,), (0.5,)
    if not told.get("do_rescale", True):
        factor = 1.0
    elif "rescale_factor" in told:
        (factor,) = _numbers(path, told, "rescale_factor", 1, above_0=True)
    if not told.get("do_normalize", True):
        mean, std = (0.0,), (1.0,)
    else:
        if "image_mean" in told:
            mean = _numbers(path, told, "image_mean", channels)
        if "image_std" in told:
            std = _numbers(path, told, "image_std", channels, above_0=True)
    return Scaling(factor=factor, mean=mean, std=std)


def _numbers(
    path: Path,
    told: Mapping[str, Any],
    field: str,
    count: int,
    *,
    above_0: bool = False,
) -> tuple[float, ...]:
    """Returns a field that has a number for each channel, or one for all."""
    value = told[field]
    each = value if isinstance(value, list) else [value]
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in each)
    if not numbers or len(each) not in (1, count) or (above_0 and min(each) <= 0):
        many = f", or {count} of them" * (count > 1)
        what = "a number above 0" if above_0 else "a number"
        raise DataError(f"{path}: {field}={shown(value)}: must be {what}{many}")
    return tuple(map(float, each))


def scaled(
    images: Float32[np.ndarray, "n h w c"], scaling: Scaling
) -> Float32[np.ndarray, "n h w c"]:
    """Returns numbers from 0 to 255 as the model reads them."""
    mean, std = (np.asarray(each, np.float32) for each in (scaling.mean, scaling.std))
    return (images * np.float32(scaling.factor) - mean) / std
