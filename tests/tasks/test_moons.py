"""make_moons: its splits, its scaling, and how well anyone can do on it."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.datasets import make_moons

from research import prng
from research.records.manifest import sha256
from research.task_configs import MoonsConfig
from research.tasks.moons import (
    bayes_rates,
    correct,
    load_moons,
    log_loss,
)
from research.tasks.scaling import fit_scaling, scale
from research.training.problem import Data, take


@pytest.fixture(scope="module")
def moons():
    return load_moons(MoonsConfig())


def split_of(task, seed, test_seed=None):
    test_key = None if test_seed is None else prng.stream_key("test_split", test_seed)
    return task.split(prng.stream_key("split", seed), test_key)


def rows(part) -> set[int]:
    return set(np.asarray(part).tolist())


@pytest.mark.parametrize("test_seed", [None, 3])
def test_a_split_is_disjoint_and_complete(moons, test_seed):
    split = split_of(moons, 3, test_seed)
    assert [len(part) for part in split] == [1200, 400, 400]
    assert rows(split.train) | rows(split.validation) | rows(split.test) == set(
        range(2000)
    )


def test_the_test_set_stays_unless_it_varies(moons):
    fixed = rows(split_of(moons, 0).test)
    assert all(rows(split_of(moons, seed).test) == fixed for seed in range(1, 5))
    assert rows(split_of(moons, 0, test_seed=1).test) != fixed
    assert rows(split_of(moons, 0, 1).test) != rows(split_of(moons, 0, 2).test)
    classes = moons.targets[np.asarray(split_of(moons, 0).test)]
    assert classes.mean() == 0.5  # stratified


def test_train_and_validation_are_redrawn_with_the_seed(moons):
    one, other = split_of(moons, 0), split_of(moons, 1)
    assert rows(one.train) != rows(other.train)
    assert rows(one.validation) != rows(other.validation)
    again = split_of(moons, 0)
    assert np.array_equal(one.train, again.train)


def test_scaling_is_fitted_on_the_training_part_alone(moons):
    split = split_of(moons, 0)
    wild = moons.inputs.copy()
    wild[np.asarray(split.test)] *= 1000
    wild[np.asarray(split.validation)] -= 1000

    def scaled(inputs):
        train = take(jnp.asarray(inputs), split.train)
        return np.asarray(moons.transform(moons.fit(train), train))

    assert np.array_equal(scaled(moons.inputs), scaled(wild))
    np.testing.assert_allclose(scaled(wild).mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(scaled(wild).std(axis=0), 1, atol=1e-5)


def test_a_constant_column_is_only_centred():
    inputs = jnp.asarray([[1.0, 5.0], [3.0, 5.0]])
    assert np.array_equal(scale(fit_scaling(inputs), inputs), [[-1, 0], [1, 0]])


def test_loss_and_accuracy_are_those_of_the_formulas():
    logits = jnp.asarray([[2.0], [-1.0], [0.5]])
    targets = jnp.asarray([1.0, 1.0, 0.0])
    chance = 1 / (1 + np.exp(-np.asarray([2.0, -1.0, -0.5])))
    np.testing.assert_allclose(log_loss(logits, targets), -np.log(chance), rtol=1e-6)
    assert np.asarray(correct(logits, targets)).tolist() == [1, 0, 0]


def test_what_is_known_of_the_metrics(moons):
    accuracy, loss = moons.metrics["accuracy"], moons.metrics["loss"]
    assert moons.primary == "accuracy"
    assert (accuracy.higher_is_better, loss.higher_is_better) == (True, False)
    assert accuracy.ceiling == pytest.approx(0.971, abs=3e-4)
    assert loss.ceiling == pytest.approx(0.0763, abs=3e-4)
    assert accuracy.constant_predictor == 0.5
    assert loss.constant_predictor == pytest.approx(math.log(2))


def test_bayes_rates_at_the_default_noise():
    assert bayes_rates(0.2) == pytest.approx((0.9710, 0.0763), abs=3e-4)


@pytest.mark.parametrize("noise", [0.12, 0.4])
def test_bayes_rates_agree_with_drawn_points(noise):
    points, classes = make_moons(20_000, noise=noise, random_state=1)
    angle = np.linspace(0, math.pi, 300)
    centers = (
        np.stack([np.cos(angle), np.sin(angle)]),
        np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)]),
    )
    density = [
        np.exp(
            -((points[:, :, None] - center[None]) ** 2).sum(axis=1) / (2 * noise**2)
        ).mean(axis=1)
        for center in centers
    ]
    chance = np.where(classes == 0, *density) / (density[0] + density[1])
    accuracy, loss = bayes_rates(noise)
    # Four standard errors of 20,000 points.
    hit, nats = chance > 0.5, -np.log(chance)
    assert hit.mean() == pytest.approx(accuracy, abs=4 * hit.std() / 141)
    assert nats.mean() == pytest.approx(loss, abs=4 * nats.std() / 141)


def test_more_noise_is_never_easier():
    rates = [bayes_rates(noise) for noise in (0.0, 0.02, 0.03, 0.1, 0.2, 0.5, 1.0, 5.0)]
    accuracy, loss = zip(*rates, strict=True)
    assert list(accuracy) == sorted(accuracy, reverse=True)
    assert list(loss) == sorted(loss)
    assert rates[0] == (1.0, 0.0)
    assert 0.5 < accuracy[-1] < 0.6
    assert loss[-1] < math.log(2)


def test_no_noise_at_all():
    task = load_moons(
        MoonsConfig(noise=0.0, samples=20, test_samples=4, validation_samples=4)
    )
    assert np.isfinite(task.inputs).all()
    assert task.metrics["accuracy"].ceiling == 1


def test_the_data_are_a_function_of_their_seed(moons):
    hashes = [
        sha256(load_moons(MoonsConfig(data_seed=seed)).inputs) for seed in (0, 0, 1)
    ]
    assert hashes[0] == hashes[1] == sha256(moons.inputs)
    assert hashes[0] != hashes[2]
    assert moons.inputs.dtype == moons.targets.dtype == np.float32


def test_splits_are_drawn_under_vmap_as_alone(moons):
    data = Data(jnp.asarray(moons.inputs), jnp.asarray(moons.targets))
    assert data.inputs.shape == (2000, 2)
    keys = jax.vmap(lambda seed: prng.stream_key("split", seed))(jnp.arange(3))
    together = jax.vmap(lambda key: moons.split(key, None))(keys)
    for seed in range(3):
        assert np.array_equal(together.train[seed], split_of(moons, seed).train)
