"""scikit-learn's MLPClassifier: an epoch a call, its rows shuffled beforehand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier

from benchmarks import job


def run(seeds: Sequence[int], epochs: int) -> job.Curves:
    """Trains one seed after another."""
    return job.one_by_one(train, seeds, job.parts(seeds), epochs)


def train(
    seed: int,
    inputs: np.ndarray,
    targets: np.ndarray,
    held_inputs: np.ndarray,
    held_targets: np.ndarray,
    epochs: int,
) -> job.Curves:
    """Returns one seed's curves.

    Its own shuffle would end an epoch with half a batch, a step more than the others
    take; so the rows of whole batches come shuffled.
    """
    settings: dict[str, Any] = {
        "hidden_layer_sizes": job.WIDTHS[1:-1],
        "alpha": 0.0,
        "batch_size": job.BATCH,
        "learning_rate_init": job.LEARNING_RATE,
        "shuffle": False,
        "random_state": seed,
    }
    model: Any = MLPClassifier(**settings)
    random = np.random.default_rng(seed)
    validation = []
    for _ in range(epochs):
        order = random.permutation(len(targets))[: job.STEPS * job.BATCH]
        model.partial_fit(inputs[order], targets[order], classes=[0.0, 1.0])
        chance = model.predict_proba(held_inputs)[:, 1].astype(np.float64)
        true = np.where(held_targets > 0.5, chance, 1 - chance)
        validation.append(
            (-np.log(np.maximum(true, 1e-12)).mean(), (true > 0.5).mean())
        )
    loss, accuracy = np.transpose(validation)[:, :, None]
    return job.Curves(loss, accuracy, np.array([model._optimizer.t]))
