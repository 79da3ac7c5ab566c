"""Adjusting p values for several comparisons against one reference."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjusted p values, in the order given.

    The i-th smallest of k is multiplied by k - i + 1, never falls below a smaller p's
    adjusted value and is capped at 1 (Holm 1979, Scandinavian Journal of Statistics 6).
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)
