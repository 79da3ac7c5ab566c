"""Dropout as a function of a step's key and a place's path, with nothing that counts."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from research import prng


@dataclass(frozen=True)
class Dropout:
    """What one call of a model drops: nothing at rate 0.

    A mask follows from the key, the place's path and the shape alone, so it is the same
    under every activation, in any type that the model computes in.
    """

    rate: float
    key: Key[Array, ""] | None = None
    path: str = ""

    def at(self, *names: str | int) -> "Dropout":
        """Returns the dropout of a place below this one."""
        return replace(self, path="/".join(map(str, filter(str, (self.path, *names)))))

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        """Returns x with a share of `rate` set to 0, and the rest scaled up for it."""
        if self.rate == 0:
            return x
        assert self.key is not None, "dropout needs the step's key"
        key = prng.at_path(self.key, self.path)
        kept = jax.random.bernoulli(key, 1 - self.rate, x.shape)
        return jnp.where(kept, x / (1 - self.rate), 0)
