"""What lanes must have been trained with to be an experiment's own."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from research.activations.names import canonical_config
from research.experiment.prepare import Experiment
from research.own_code import own_sources
from research.records.manifest import file_sha256, sha256
from research.records.reopening import lasting_fields


def lane_identity(experiment: Experiment) -> dict[str, str]:
    """Returns hashes of all that an arm's lanes depend on beside their seeds."""
    config = experiment.config
    own = own_sources((*config.activations, config.model.name))
    arrays = data_arrays(experiment)
    return {
        "config": _digest(lasting_fields(config, canonical_config)),
        "data set": _digest({name: sha256(array) for name, array in arrays.items()}),
        "code": _digest({name: file_sha256(path) for name, path in own.items()}),
    }


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
