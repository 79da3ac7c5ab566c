"""Sentences on luck and on where the noise comes from."""

import math
from collections.abc import Callable

from research.statistics.components import Component, Components
from research.statistics.crossed import CrossedNoise
from research.statistics.halves import LuckScale

_NOTABLY_WIDER = 1.05


def luck_sentence(luck: LuckScale, *, write: Callable[[float], str]) -> str:
    """What luck alone does to groups of seeds; `write` gives a difference its unit."""
    halves = luck.halves
    if not any(drift.largest for drift in (halves, *luck.groups)):
        return "Luck plays no part here: the seeds do not vary."
    told = (
        f"Through luck alone two random groups of {halves.seeds} of the reference's own "
        f"seeds differ by up to {write(halves.p95)} in 95 % of cases"
    )
    smaller = [group for group in reversed(luck.groups) if group.seeds < halves.seeds]
    papers = [
        f"with {group.seeds} {'seed' if group.seeds == 1 else 'seeds'} each by up to "
        f"{write(group.p95)}"
        for group in smaller
    ]
    return f"{told}; two papers {', '.join(papers)}." if papers else f"{told}."


def noise_sentence(noise: CrossedNoise) -> str:
    """Says which source limits the conclusion, and what more of either would bring."""
    if noise.seeds_share is None or noise.examples_share is None:
        return "Neither the seeds nor the test set limit this: nothing varies."
    # What is left of the standard deviation once a source is made endless.
    more_seeds = _gain(1 - math.sqrt(noise.examples_share))
    more_examples = _gain(1 - math.sqrt(noise.seeds_share))
    gains = (
        f"endless seeds would take {more_seeds} off the uncertainty, an endless test set "
        f"{more_examples}"
    )
    told = {
        "test set": "For new test rows too, the test set limits this, not the seeds: more "
        f"seeds will hardly help there, a larger test set would ({gains}).",
        "seeds": "For new test rows too, the seeds limit this, not the test set: more "
        f"seeds will help, a larger test set hardly ({gains}).",
        "both": f"For new test rows too, seeds and test set both limit this: {gains}.",
    }
    return told[noise.limiting] + _wider(noise)


def _gain(share: float) -> str:
    """A share of uncertainty; an estimate never promises all of it."""
    return "over 99 %" if share >= 0.995 else percent(share)


def _wider(noise: CrossedNoise) -> str:
    """How far an interval over the seeds alone would have to open for new examples."""
    alone = noise.from_seeds.ci_high - noise.from_seeds.ci_low
    crossed = noise.from_both.ci_high - noise.from_both.ci_low
    if noise.rows > noise.examples or crossed < _NOTABLY_WIDER * alone:
        return ""
    if alone == 0:
        return " An interval over the seeds alone says nothing of new test examples."
    return (
        f" For new test examples an interval over the seeds alone would have to be "
        f"{crossed / alone:.1f} times as wide."
    )


def components_sentence(components: Components) -> str:
    """Says what each source adds, whether one stands out, and whether they interact."""
    if components.total.share is None:
        return "There is nothing to split by source: together they change no score."
    ranked = sorted(components.sources.items(), key=lambda item: -item[1].variance)
    shares = ", ".join(f"{name} {percent(part.share or 0)}" for name, part in ranked)
    told = f"Of the variance over seeds: {shares}"
    if len(ranked) > 1:
        (first, most), (_, second) = ranked[:2]
        apart = most.ci_low > second.ci_high
        told += f"; {first} adds most" if apart else "; no source clearly adds most"
    return f"{told}. {_rest(components.interaction)}"


def _rest(interaction: Component) -> str:
    share = percent(interaction.share or 0)
    if interaction.ci_high < 0:
        return (
            f"The sources interact ({share}): what one adds depends on the others, and is "
            "counted with each."
        )
    if interaction.ci_low > 0:
        return f"The rest, {share}, comes from what varies only when all sources do."
    return f"The rest, {share}, cannot be told from 0."


def percent(share: float) -> str:
    """A share in whole percent; what is not nothing is not written as 0 %."""
    if 0 < abs(share) < 0.005:
        return "under 1 %"
    return f"{100 * share:.0f} %".replace("-", "−")
