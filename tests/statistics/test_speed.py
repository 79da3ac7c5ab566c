import numpy as np
import pytest

from research.statistics import learning_speed


def approaching(epochs_to_way, final=1.0, epochs=10):
    """Curves from 0 that step to their final value at the given epochs."""
    return np.stack(
        [
            np.where(np.arange(epochs + 1) >= step, final, 0.0).astype(np.float32)
            for step in epochs_to_way
        ]
    )


def speed(arm, reference, higher_is_better=True):
    return learning_speed(
        arm, reference, confidence=0.95, higher_is_better=higher_is_better
    )


def test_epochs_earlier_are_paired_by_seed():
    found = speed(approaching([2, 3, 3]), approaching([5, 6, 9]))
    assert found.epochs_earlier == pytest.approx(4.0)  # 3, 3 and 6
    assert found.ci_low < 4.0 < found.ci_high
    assert (found.censored_arm, found.censored_reference) == (0, 0)
    assert found.threshold == pytest.approx(0.95)
    assert found.area_difference == pytest.approx(0.4)  # four epochs of ten at 1


def test_a_loss_falls_to_its_threshold():
    arm, reference = 2 - approaching([2, 3, 3]), 2 - approaching([5, 6, 9])
    found = speed(arm, reference, higher_is_better=False)
    assert found.epochs_earlier == pytest.approx(4.0)
    assert found.threshold == pytest.approx(1.05)
    assert found.area_difference == pytest.approx(-0.4)


def test_lanes_that_never_arrive_are_counted_and_ranked_last():
    arm = approaching([4, 4, 4])
    arm[0] = 0.5
    found = speed(arm, approaching([4, 4, 4]))
    assert (found.censored_arm, found.censored_reference) == (1, 0)
    assert found.epochs_earlier == pytest.approx(-7 / 3)  # 11 against 4, once


def test_diverged_lanes_are_censored_without_a_warning():
    arm, reference = approaching([4, 4, 4]), approaching([4, 4, 4])
    arm[1, 3:] = np.nan
    reference[2, 2:] = np.nan
    found = speed(arm, reference)
    assert (found.censored_arm, found.censored_reference) == (1, 1)
    assert found.area_difference == pytest.approx(0.0)
    assert found.threshold == pytest.approx(0.95)


def test_one_seed_has_no_interval():
    found = speed(approaching([2]), approaching([5]))
    assert (found.epochs_earlier, found.ci_low, found.ci_high) == (3.0, None, None)


def test_no_speed_where_the_reference_did_not_learn():
    flat, gone = np.ones((3, 11)), np.full((3, 11), np.nan)
    assert speed(approaching([1, 1, 1]), flat) is None
    assert speed(approaching([1, 1, 1]), gone) is None
    assert speed(flat[:, :1], flat[:, :1]) is None


def test_an_arm_that_always_diverged_has_no_area():
    found = speed(np.full((3, 11), np.nan), approaching([4, 4, 4]))
    assert found.area_difference is None
    assert found.censored_arm == 3
