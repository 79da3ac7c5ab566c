"""What is refused before anything is judged."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float64


def check_settings(
    margin: float | None, confidence: float, test_train_ratio: float | None
) -> None:
    """Refuse settings out of range with a ValueError that names the setting."""
    if margin is not None and not (np.isfinite(margin) and margin >= 0):
        raise ValueError(f"margin must be a finite number >= 0, not {margin}")
    if not 0.5 < confidence < 1:
        raise ValueError(f"confidence must lie between 0.5 and 1, not {confidence}")
    if test_train_ratio is not None and not 0 < test_train_ratio < np.inf:
        raise ValueError(f"test_train_ratio must be above 0, not {test_train_ratio}")


def check_scores(
    scores: Mapping[str, Float64[np.ndarray, "..."]],
    reference: str,
    diverged: Mapping[str, Bool[np.ndarray, "..."]],
) -> None:
    """Refuse scores that are not paired, finite and at least two arms'.

    Raises ValueError that names the arm. Shapes are checked here and not by the
    annotation, which would not say whose they are.
    """
    if reference not in scores:
        raise ValueError(f"reference {reference!r} is not among {list(scores)}")
    if len(scores) < 2:
        raise ValueError(f"nothing to compare with {reference!r}")
    shape = scores[reference].shape
    if len(shape) != 1 or shape[0] == 0:
        raise ValueError(f"scores must be one number a seed, not of shape {shape}")
    for arm, values in scores.items():
        if values.shape != shape:
            raise ValueError(
                f"{arm!r} has {values.shape} scores, {reference!r} {shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"{arm!r} has scores that are not finite")
    for arm, lanes in diverged.items():
        if arm not in scores or lanes.shape != shape:
            raise ValueError(f"diverged lanes of {arm!r} do not match the scores")
