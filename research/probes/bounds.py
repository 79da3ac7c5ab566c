"""What the activations promise: the largest errors, in units in the last place.

They hold for |x| <= 5 and on top of what holds everywhere and for all: no zero, no
wrong sign, no infinity and no NaN where the true result is a normal number.
"""

from research.probes.errors import ErrorScan

# By name and order of the derivative; what is not listed has no bound of its own.
FLOAT32 = {
    ("gelu", 0): 8.0,
    ("gelu_tanh", 0): 30.0,
    ("silu", 0): 4.0,
    ("mish", 0): 5.0,
    ("sigmoid", 1): 5.0,
    ("elu", 1): 1.5,
}
# All but correctly rounded: one half is the best there is.
NARROW = 0.51


def bound(name: str, dtype: str, order: int) -> float | None:
    """Returns the bound on |x| <= 5, or None where only failures are ruled out."""
    return FLOAT32.get((name, order)) if dtype == "float32" else NARROW


def meets(scan: ErrorScan, limit: float | None) -> bool:
    """Tells whether a scan is free of failures and within its bound."""
    return not scan.failures and (limit is None or scan.core <= limit)
