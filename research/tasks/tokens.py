"""One class for each position of a row: losses, metrics, weights. Nothing to predict is -1."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int

from research.tasks.classes import Constant
from research.tasks.contract import Metric

NOTHING = -1


def predicted(targets: Int[Array, "batch positions"]) -> Float[Array, " batch"]:
    """Returns how many positions of each row have a target: what the row weighs."""
    return _has_target(targets).sum(axis=-1).astype(jnp.float32)


def token_loss(
    logits: Float[Array, "batch positions classes"],
    targets: Int[Array, "batch positions"],
) -> Float[Array, " batch"]:
    """Returns each row's mean of -log p(target) over its targets, in nats."""
    nats = optax.softmax_cross_entropy_with_integer_labels(
        logits, jnp.maximum(targets, 0)
    )
    return _mean_of_row(nats, targets)


def token_accuracy(
    logits: Float[Array, "batch positions classes"],
    targets: Int[Array, "batch positions"],
) -> Float[Array, " batch"]:
    """Returns each row's share of targets that are the likeliest class."""
    return _mean_of_row(
        (logits.argmax(axis=-1) == targets).astype(jnp.float32), targets
    )


def token_metrics(constant: Constant) -> Mapping[str, Metric]:
    """Returns accuracy and loss over all targets."""
    return {
        "accuracy": _metric(token_accuracy, constant.accuracy, higher=True),
        "loss": _metric(token_loss, constant.loss),
    }


def token_bits(
    logits: Float[Array, "batch positions classes"],
    targets: Int[Array, "batch positions"],
) -> Float[Array, " batch"]:
    """Returns each row's mean of -log p(target) over its targets, in bits."""
    return token_loss(logits, targets) / math.log(2)


def language_metrics(constant: Constant) -> Mapping[str, Metric]:
    """Returns bits per character and perplexity, and those of any tokens."""
    bits = _metric(token_bits, constant.loss / math.log(2))
    return {"bits_per_character": bits, **perplexity_metrics(constant)}


def perplexity_metrics(constant: Constant) -> Mapping[str, Metric]:
    """Returns perplexity, accuracy and loss of any tokens."""
    perplexity = _metric(token_loss, math.exp(constant.loss), of_mean=_exponential)
    return {"perplexity": perplexity, **token_metrics(constant)}


def fit_nothing(inputs: Any) -> tuple[()]:
    """Returns what tokens need fitted: nothing."""
    del inputs
    return ()


def _metric(
    fn: Callable,
    constant: float,
    *,
    higher: bool = False,
    of_mean: Callable[[Any], Any] = lambda mean: mean,
) -> Metric:
    return Metric(
        fn=fn, higher_is_better=higher, constant_predictor=constant, of_mean=of_mean
    )


def _exponential(mean: Any) -> Any:
    # A power, for NumPy's and JAX's arrays alike. Float32 ends at e^88: a perplexity
    # beyond e^80 is given as e^80, for a lane of finite loss has not diverged.
    return math.e ** mean.clip(max=80)


def _has_target(
    targets: Int[Array, "batch positions"],
) -> Bool[Array, "batch positions"]:
    return targets != NOTHING


def _mean_of_row(
    values: Float[Array, "batch positions"], targets: Int[Array, "batch positions"]
) -> Float[Array, " batch"]:
    total = jnp.where(_has_target(targets), values, 0).sum(axis=-1)
    return total / jnp.maximum(predicted(targets), 1)
