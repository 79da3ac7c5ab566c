"""What a plan says, in sentences: pure functions of plan.json."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms, numbers

Told = Mapping[str, Any]
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def findings(told: Told) -> Iterator[str]:
    """Yields whether the planned seeds are enough, and how to read the table."""
    if told["statistics"] is None:
        yield (
            "How many seeds are needed follows from the sd of the paired differences: "
            "give --pilot=DIR, a finished run of some seeds, or --sd=NUMBER."
        )
        return
    known = [found for found in told["statistics"]["arms"].values() if found]
    yield from _too_few_for_any(told)
    if known:
        yield _enough(told, known)
        yield _how_to_read(told, known)
        yield from _other_seeds(told)


def _too_few_for_any(told: Told) -> Iterator[str]:
    decisive = told["statistics"]["decisive_seeds"]
    if told["seeds"] < decisive:
        yield (
            f"{numbers.counted(told['seeds'], 'seed')} can show no difference, whatever "
            f"its size: at least {decisive} seeds are needed."
        )


def _enough(told: Told, known: list[Told]) -> str:
    """Says whether the planned seeds see one margin and call equal arms equivalent."""
    planned = told["seeds"]
    expected, most = (_needed(known, end) for end in ("expected", "high"))
    held = f"{numbers.counted(planned, 'seed')} {'is' if planned == 1 else 'are'}"
    upper = "at the upper end of the sd"
    if most is not None and most <= planned:
        even = f", even {upper}" if most != expected else ""
        would = f"; {most:,} would be too" if most < planned else ""
        return f"{held} enough {_both(told)}{even}{would}."
    if expected is not None and expected <= planned:
        found = f"if the sd is as found; {upper} {_number(most)} would be"
        return f"{held} enough {_both(told)}, {found}."
    beyond = f", {upper} {_number(most)}" if most != expected else ""
    return f"{held} too few {_both(told)}: {_number(expected)} would be enough{beyond}."


def _both(told: Told) -> str:
    return (
        f"to see a difference of {numbers.margin(told)}, and to call equivalent what is "
        "equal"
    )


def _number(seeds: int | None) -> str:
    return "no number" if seeds is None else f"{seeds:,}"


def _needed(known: list[Told], end: str) -> int | None:
    """Returns the seeds that are enough for both questions in every arm."""
    keys = ("seeds_needed", "seeds_for_equivalence")
    needed = [found[end][key] for found in known for key in keys]
    return None if None in needed else max(needed)


def _how_to_read(told: Told, known: list[Told]) -> str:
    """Says what enough means, and what the table's second lines are."""
    statistics = told["statistics"]
    held = ""
    if statistics["compared"] > 1:
        level = numbers.p_value(statistics["level"])
        held = f", with {statistics['compared']} arms held to p ≤ {level} each (Holm)"
    ends, seeds = "", known[0]["pilot_seeds"]
    if seeds is not None:
        ends = (
            f" Second lines: at the ends of the sd's own {numbers.share(told['confidence'])} "
            f"interval, from {seeds} seeds."
        )
    return f"Enough means: in {numbers.share(statistics['power'])} of runs{held}.{ends}"


def _other_seeds(told: Told) -> Iterator[str]:
    """Says that the pilot's seeds are not to choose a number and be judged as well."""
    pilot = told["pilot"]
    if pilot is None:
        return
    first, end = pilot["first_seed"], pilot["first_seed"] + pilot["seeds"]
    if told["first_seed"] < end and first < told["first_seed"] + told["seeds"]:
        yield (
            f"If the number of seeds is chosen from this pilot, train others than its "
            f"own, {first} to {end - 1} (--config.first_seed={end}): an sd that also "
            "chose the number comes out a little too small (two stages, Stein 1945)."
        )


def lanes_text(told: Told) -> str:
    """Returns how many trainings there are, and how they are laid on the machine."""
    laid, count = told["lanes"], len(told["arms"])
    devices = numbers.counted(laid["devices"], "device")
    width = numbers.counted(laid["lanes_per_chunk"], "lane")
    blocks = numbers.counted(laid["blocks_per_arm"], "block")
    empty = laid["empty_lanes_per_arm"]
    return (
        f"{laid['lanes']:,} = {numbers.counted(count, 'arm')} × "
        f"{numbers.counted(told['seeds'], 'seed')}, {laid['steps_per_lane']:,} steps each; "
        f"an arm in {blocks} of {numbers.counted(laid['chunks_per_block'], 'chunk')} of "
        f"{width} ({laid['rule']}), on {devices} ({laid['platform']})"
        + (f"; {empty:,} of an arm's places stay empty" if empty else "")
    )


def memory_text(told: Told) -> str:
    """Returns the bytes of states, data and programs."""
    memory, laid = told["memory"], told["lanes"]
    peaks = memory["program_peak_bytes"]
    programs = (
        ""
        if peaks is None
        else f"; {size(max(peaks.values()))} at the most while the reference's programs "
        "run, all included"
    )
    each = (
        ", on each device" if laid["platform"] != "cpu" and laid["devices"] > 1 else ""
    )
    return (
        f"{size(memory['lane_state_bytes'])} a lane, {size(memory['block_state_bytes'])} "
        f"a block, {size(memory['data_bytes'])} of data{programs}{each}; "
        f"{size(memory['free_bytes'])} are free"
    )


def size(number: int) -> str:
    """Writes bytes: `512 B`, `4.3 MB`."""
    for unit, name in UNITS:
        if number >= unit:
            digits = 0 if number >= 99.5 * unit else 1
            return f"{number / unit:.{digits}f}{numbers.NO_BREAK}{name}"
    return f"{number}{numbers.NO_BREAK}B"


def time_text(told: Told) -> str:
    """Returns the estimated time, its parts, and what it was estimated from."""
    time = told["time"]
    training, compiling = time["training_seconds"], time["compile_seconds"]
    parts = (
        f"about {_rounded(training + compiling)}: {_rounded(training)} of training, "
        f"{_rounded(compiling)} of compiling, and some for loading, scores and report"
    )
    if time["source"] == "pilot":
        lacking = "; an arm that it lacks counts as the reference"
        return (
            f"{parts}; at the pilot's speed{lacking if time['arms_not_timed'] else ''}"
        )
    epochs = numbers.counted(time["timed_epochs"], "epoch")
    reference = arms.written(told, told["reference"])
    unlike = "; the pilot's time is not comparable" if told["pilot"] else ""
    return (
        f"{parts}; timed on {epochs} of {reference}, which are thrown away; the other "
        f"arms are counted alike{unlike}"
    )


def _rounded(seconds: float) -> str:
    return numbers.duration(float(f"{seconds:.2g}"))
