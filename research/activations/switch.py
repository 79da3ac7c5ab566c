"""One function of several, chosen while a program runs: it is compiled once for all."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
from jaxtyping import Array, Float, Int

Functions = tuple[Callable[[Float[Array, "..."]], Float[Array, "..."]], ...]


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def switched(
    functions: Functions, index: Int[Array, ""], x: Float[Array, "..."]
) -> Float[Array, "..."]:
    """Returns functions[index](x), and its gradient, for elementwise functions.

    Of all functions one alone is run, as long as no vmap is over the index. Only x is
    kept for the gradient: what each function would keep of its own is not.
    """
    return jax.lax.switch(index, functions, x)


def _forward(
    functions: Functions, index: Int[Array, ""], x: Float[Array, "..."]
) -> tuple[Float[Array, "..."], Any]:
    return switched(functions, index, x), (index, x)


def _backward(
    functions: Functions, kept: Any, cotangent: Float[Array, "..."]
) -> tuple[None, Float[Array, "..."]]:
    index, x = kept

    def gradient_of(
        function: Callable[[Float[Array, "..."]], Float[Array, "..."]],
    ) -> Callable[..., Float[Array, "..."]]:
        return lambda x, cotangent: jax.vjp(function, x)[1](cotangent)[0]

    return None, jax.lax.switch(index, [*map(gradient_of, functions)], x, cotangent)


switched.defvjp(_forward, _backward)
