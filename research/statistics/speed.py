"""Who learned faster on the way: exploratory, so without a p."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64

from research.statistics.paired import difference_interval

WAY = 0.95


@dataclass(frozen=True)
class LearningSpeed:
    """How many epochs earlier the arm reached the threshold, and by how many seeds not.

    `threshold` and `area_difference` are in the units of the validation value.
    """

    epochs_earlier: float
    ci_low: float | None
    ci_high: float | None
    censored_arm: int
    censored_reference: int
    area_difference: float | None
    threshold: float


def learning_speed(
    arm_curves: Float[np.ndarray, "seeds epochs_and_start"],
    reference_curves: Float[np.ndarray, "seeds epochs_and_start"],
    *,
    confidence: float,
    higher_is_better: bool,
) -> LearningSpeed | None:
    """Epochs to 95 % of the way, and the area under the validation curve.

    Column 0 is the value before training; a diverged lane is NaN from then on. The way
    runs from the reference's initial to its final value, both means over seeds. A lane
    that never gets there is censored: it counts as one epoch past the last, which
    ranks it last and understates its lag. The interval is paired t. The area is the
    trapezoid's divided by the epochs (arm minus reference, over the seeds on which
    both trained to the end; None when there are none).
    None where the reference did not improve, or diverged on every seed.
    """
    direction = 1.0 if higher_is_better else -1.0
    arm, reference = (
        np.where(np.isfinite(curves), direction * curves.astype(np.float64), np.nan)
        for curves in (arm_curves, reference_curves)
    )
    trained = reference[np.isfinite(reference).all(axis=1)]
    if len(trained) == 0 or reference.shape[1] < 2:
        return None
    start, end = trained[:, 0].mean(), trained[:, -1].mean()
    if end <= start:
        return None
    threshold = start + WAY * (end - start)
    arm_epochs, reference_epochs = (
        _epochs_to(curves, float(threshold)) for curves in (arm, reference)
    )
    earlier = difference_interval(reference_epochs, arm_epochs, confidence=confidence)
    area = difference_interval(_area(arm), _area(reference), confidence=confidence)
    return LearningSpeed(
        epochs_earlier=float(np.mean(reference_epochs - arm_epochs)),
        ci_low=earlier.ci_low,
        ci_high=earlier.ci_high,
        censored_arm=int(np.sum(arm_epochs == arm.shape[1])),
        censored_reference=int(np.sum(reference_epochs == reference.shape[1])),
        area_difference=_signed(area.mean_difference, direction),
        threshold=float(direction * threshold),
    )


def _epochs_to(
    curves: Float64[np.ndarray, "seeds epochs_and_start"], threshold: float
) -> Float64[np.ndarray, "seeds"]:
    """First epoch at or above the threshold; epochs + 1 where there is none."""
    reached = curves >= threshold  # NaN, after divergence, is never at or above
    first = np.argmax(reached, axis=1)
    return np.where(reached.any(axis=1), first, curves.shape[1]).astype(np.float64)


def _area(
    curves: Float64[np.ndarray, "seeds epochs_and_start"],
) -> Float64[np.ndarray, "seeds"]:
    """Mean height of each curve by the trapezoid rule; NaN for a diverged lane."""
    return ((curves[:, 1:] + curves[:, :-1]) / 2).mean(axis=1)


def _signed(value: float | None, direction: float) -> float | None:
    return None if value is None else direction * value
