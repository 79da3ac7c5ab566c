"""digits: the images, their fixed test set, the shifts, and that an MLP learns them."""

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.datasets import load_digits as read_digits
from tiny_runs import fixed_plan, tiny_experiment, train

from research import prng
from research.errors import ConfigError
from research.task_configs import DigitsConfig
from research.tasks.digits import load_digits


@pytest.fixture(scope="module")
def digits():
    return load_digits(DigitsConfig())


def test_the_images_are_scikit_learns_from_0_to_1(digits):
    images, classes = read_digits(return_X_y=True)
    assert digits.inputs.dtype == np.float32
    assert np.array_equal(digits.inputs.reshape(1797, 64) * 16, images)
    assert np.array_equal(digits.targets, classes)


def test_the_test_set_is_fixed_and_holds_each_class(digits):
    split = digits.split(prng.stream_key("split", 0), None)
    other = digits.split(prng.stream_key("split", 1), None)
    assert [len(part) for part in split] == [1257, 180, 360]
    assert sorted(np.concatenate(split).tolist()) == list(range(1797))
    assert np.array_equal(split.test, other.test)
    assert not np.array_equal(split.validation, other.validation)
    counts = np.bincount(digits.targets[np.asarray(split.test)])
    assert counts.min() >= 34
    assert counts.max() <= 37


def test_the_constant_predictor_by_direct_count(digits):
    test = digits.targets[
        np.asarray(digits.split(prng.stream_key("split", 0), None)[2])
    ]
    rest = np.bincount(digits.targets) - np.bincount(test)
    accuracy, loss = digits.metrics["accuracy"], digits.metrics["loss"]
    assert accuracy.constant_predictor == (test == rest.argmax()).mean()
    nats = [-np.log(rest[digit] / 1437) for digit in test]
    assert loss.constant_predictor == pytest.approx(np.mean(nats))


def test_shifts_are_drawn_by_the_key_and_can_be_left_out(digits):
    inputs, targets = jnp.asarray(digits.inputs[:64]), jnp.asarray(digits.targets[:64])
    key = prng.stream_key("dropout", 0)
    one, same = (digits.augment(key, inputs, targets) for _ in range(2))
    assert np.array_equal(one[0], same[0])
    assert np.array_equal(one[1], targets)
    assert not np.array_equal(one[0], inputs)
    assert "up to one pixel" in digits.remarks[0]
    still = load_digits(DigitsConfig(shift=0))
    assert still.augment is None
    assert still.remarks == ()


def test_fields_that_leave_nothing_are_refused():
    with pytest.raises(ConfigError, match=r"task\.validation_samples=1437"):
        load_digits(DigitsConfig(validation_samples=1437))
    with pytest.raises(ConfigError, match=r"task\.test_samples=1790.*at most 1787"):
        load_digits(DigitsConfig(test_samples=1790))


def test_an_mlp_learns_them():
    experiment = tiny_experiment(
        task={"name": "digits"}, model={"hidden": (32,)}, batch_size=32
    )
    arm = train(
        experiment, "gelu", seeds=(0,), plan=fixed_plan(width=1, block=1, devices=1)
    )
    assert arm.scored.test["accuracy"].mean() > 0.85
    assert arm.scored.test["accuracy"].shape == (1, 360)
