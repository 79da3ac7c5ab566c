"""What lanes must have been trained with to be an experiment's own."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from research.activations.names import canonical_config
from research.config import ExperimentConfig
from research.experiment.prepare import Experiment
from research.records.manifest import sha256
from research.records.reopening import lasting_fields
from research.records.sources import source_sha256


def lane_identity(experiment: Experiment) -> dict[str, str]:
    """Returns hashes of all that an arm's lanes depend on beside their seeds."""
    config = experiment.config
    arrays = data_arrays(experiment)
    return {
        "config": _digest(lasting_fields(config, canonical_config)),
        "data set": _digest({name: sha256(array) for name, array in arrays.items()}),
        "code": _digest(code(config)),
    }


def code(config: ExperimentConfig) -> dict[str, str]:
    """Returns the hashes of the code that lanes are trained with, a user's own loaded."""
    return source_sha256((*config.activations, config.model.name))


def data_arrays(experiment: Experiment) -> dict[str, np.ndarray]:
    """Returns the arrays that lanes are trained on, by paths such as `inputs.tokens`."""
    task = experiment.task
    tree = {
        "inputs": task.inputs,
        "targets": task.targets,
        "constants": experiment.kind.constants,
    }
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {
        jax.tree_util.keystr(path, simple=True, separator="."): np.asarray(leaf)
        for path, leaf in leaves
    }


def _digest(told: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
