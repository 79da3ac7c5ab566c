"""What a profile says in sentences, each with what it was measured on."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import arms

Told = Mapping[str, Any]


def findings(told: Told) -> Iterator[str]:
    """Yields the sentences below the tables of a profile."""
    yield (
        f"Measured {told['date']} on {told['backend']} ({_machine(told)}), jax "
        f"{told['jax']}. Shape and moments are those of the function in float64; cost "
        f"is the median of {told['cost_trials']} turns, compiled, and compiling is apart."
    )
    yield from _curves(told)
    yield from _references(told)
    yield from _failures(told)
    yield from _stochastic(told)


def _machine(told: Told) -> str:
    machine: str = told["processor"] if told["backend"] == "cpu" else told["device"]
    return machine


def _names(told: Told, chosen: list[str]) -> str:
    return ", ".join(written(told["activations"][slug]) for slug in chosen)


def written(each: Told) -> str:
    """Returns the name of an activation as a sentence uses it."""
    name: str = each["name"]
    return arms.WRITTEN.get(name, name)


def _curves(told: Told) -> Iterator[str]:
    for each in told["activations"].values():
        if each["kind"] != "elementwise":
            yield f"{written(each)} is shown {each['curve']}."


def _references(told: Told) -> Iterator[str]:
    """Says against what errors are measured, and what that cannot find."""
    by_reference: dict[str, list[str]] = {}
    for slug, each in told["activations"].items():
        by_reference.setdefault(each["accuracy"]["reference"], []).append(slug)
    thin = next(iter(told["activations"].values()))["accuracy"]["thin"]
    for reference, slugs in by_reference.items():
        own = reference.startswith("the same")
        limit = "; a wrong formula is not found that way" if own else ""
        yield (
            f"The error of {_names(told, slugs)} is measured against {reference}{limit}."
        )
    yield (
        f"Tried are {'every' if thin == 1 else f'one in {thin} of the'} normal float16 "
        f"and bfloat16 number{'' if thin == 1 else 's'} and one float32 number in "
        f"{1021 * thin:,}. Within 0.05 of a zero of a derivative its errors are not counted."
    )


def _failures(told: Told) -> Iterator[str]:
    for each in told["activations"].values():
        for scan in each["accuracy"]["scans"]:
            what = f"{written(each)}{' slope' if scan['order'] else ''}"
            for failure in scan["failures"]:
                low, high = (f"{failure[end]:.3g}" for end in ("low", "high"))
                where = f"from {low} to {high}".replace("-", "−")
                yield (
                    f"! {what} in {scan['dtype']}: {failure['kind']} at "
                    f"{failure['count']:,} of {scan['tried']:,} inputs, {where}, where "
                    "the true result is a normal number."
                )
            if scan["order"] == 0 and scan["result"] != scan["dtype"]:
                yield f"{what} gives {scan['result']} for {scan['dtype']}."


def _stochastic(told: Told) -> Iterator[str]:
    for each in told["activations"].values():
        reading = each.get("stochastic")
        if reading:
            yield (
                f"{written(each)} draws nothing, and is the mean of a random gate: over "
                f"{reading['draws']:,} draws x·Bernoulli(Φ(x)) has its mean within "
                f"{reading['largest_error']:.1f} standard errors of the curve at each "
                "of the points."
            )
