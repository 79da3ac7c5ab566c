"""Sentences that belong beside a comparison: cautions, and how many more seeds."""

from research.statistics.comparison import Comparison

# A 95 % t interval of exponential differences (skewness 2) covers 92 % at n = 20 and
# 94 % at n = 64; its error grows with skewness²/n.
_LARGE_SKEWNESS = 1.0
_SEEDS_PER_SQUARED_SKEWNESS = 20


def cautions(comparison: Comparison) -> tuple[str, ...]:
    """What a reader must know before trusting the comparison's numbers."""
    return tuple(
        f"{comparison.arm} against {comparison.reference}: {words}"
        for words in (*_seed_cautions(comparison), *_shape_cautions(comparison))
    )


def _seed_cautions(comparison: Comparison) -> list[str]:
    """Seeds that do not vary; that they are too few is said by the verdict."""
    words = []
    varies = comparison.ci_low is None or comparison.ci_low != comparison.ci_high
    if not varies and comparison.n > 1:
        words.append(
            "the seeds do not vary: every difference is the same"
            if comparison.mean_difference
            else "the scores are identical on every seed"
        )
    return words


def _shape_cautions(comparison: Comparison) -> list[str]:
    """Skewed differences, and intervals that disagree about 0."""
    words = []
    skewness, n = comparison.skewness, comparison.n
    interval = "t interval" if comparison.sequence is None else "confidence sequence"
    if (
        skewness is not None
        and abs(skewness) > _LARGE_SKEWNESS
        and n < _SEEDS_PER_SQUARED_SKEWNESS * skewness**2
    ):
        signed = f"{skewness:+.1f}".replace("-", "−")
        words.append(
            f"the differences are skewed ({signed}): with {n} seeds the "
            f"{interval} covers less than it says"
        )
    # Under the sequential plan a BCa interval, of one look, is expected to be narrower.
    by_t = _leaves_zero(comparison.ci_low, comparison.ci_high)
    by_bca = _leaves_zero(comparison.bca_low, comparison.bca_high)
    if comparison.sequence is None and by_bca is not None and by_bca != by_t:
        words.append("the t interval and the BCa interval disagree about 0")
    return words


def _leaves_zero(low: float | None, high: float | None) -> bool | None:
    return None if low is None or high is None else low > 0 or high < 0


def seeds_sentence(comparison: Comparison) -> str | None:
    """How many seeds would show a difference of one margin; None where unknown."""
    needed, span = comparison.seeds_needed, comparison.seeds_needed_range
    if needed is None:
        return None
    known = f" ({span[0]} to {span[1]}, as far as the sd is known)" if span else ""
    if comparison.sequence is not None:
        return (
            f"a fixed plan of about {needed} seeds{known} would show a difference of one "
            "margin four times in five; this sequential plan may take twice as many"
        )
    sentence = (
        f"about {needed} seeds{known} would show a difference of one margin "
        "four times in five"
    )
    if needed > comparison.n:
        return sentence
    if comparison.mcnemar_p is not None:
        return f"{sentence}; they are spent: more seeds, or no diverged lanes, decide"
    return f"{sentence}; they are spent: the difference sits near the margin, or luck"
