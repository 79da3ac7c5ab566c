"""Pairing: whatever is tampered with is found and named."""

import dataclasses
import re

import numpy as np
import pytest

from research.training.pairing import check_pairing

VARY = ("init", "order", "split")


def flipped(values: np.ndarray, *lanes: int) -> np.ndarray:
    changed = np.array(values)
    changed[list(lanes)] ^= 1
    return changed


def tampered(arm, what: str):
    """Returns the arm as it would be if seeds 5 and 7 had been given something else."""
    if what == "rows":
        rows = flipped(arm.scored.rows_checksum, 5, 7)
        return dataclasses.replace(arm, scored=arm.scored._replace(rows_checksum=rows))
    if what == "split":
        return dataclasses.replace(arm, splits=flipped(arm.splits, 5, 7))
    path = next(path for path in arm.weights if "kernel" in path)
    weights = {**arm.weights, path: flipped(arm.weights[path], 5, 7)}
    return dataclasses.replace(arm, weights=weights)


def test_arms_as_trained_are_paired(tiny_arms):
    pairing = check_pairing(tiny_arms, vary=VARY)
    assert pairing.verified
    assert pairing.problems == ()
    assert pairing.seeds_checked == 8
    assert pairing.weights_share_compared == 1
    assert pairing.identical_arms == ()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("rows", "the rows drawn differ"),
        ("split", "the split differ"),
        ("weights", r"initial weights \['layers'\]\[0\]\['kernel'\] \(2, 8\) differ"),
    ],
)
def test_whatever_is_tampered_with_is_named(tiny_arms, what, words):
    arms = {**tiny_arms, "gelu": tampered(tiny_arms["gelu"], what)}
    pairing = check_pairing(arms, vary=VARY)
    assert not pairing.verified
    [problem] = pairing.problems
    assert problem.startswith("gelu: ")
    assert "seed 5 (2 of 8 seeds)" in problem
    assert re.search(words, problem)


def test_leaves_of_another_shape_are_not_compared_but_told(tiny_arms):
    gelu = tiny_arms["gelu"]
    path = next(iter(gelu.weights))
    weights = {("other " + p if p == path else p): w for p, w in gelu.weights.items()}
    arms = {**tiny_arms, "gelu": dataclasses.replace(gelu, weights=weights)}
    pairing = check_pairing(arms, vary=VARY)
    assert pairing.verified
    assert pairing.weights_share_compared == pytest.approx(3 / 4)


def test_identical_arms_are_found(tiny_arms):
    relu, gelu = tiny_arms["relu"], tiny_arms["gelu"]
    arms = {"relu": relu, "gelu": gelu, "twin": relu}
    assert check_pairing(arms, vary=VARY).identical_arms == (("relu", "twin"),)
    checksum = flipped(relu.scored.final_checksum, 3)
    other = dataclasses.replace(
        relu, scored=relu.scored._replace(final_checksum=checksum)
    )
    assert check_pairing({"relu": relu, "x": other}, vary=VARY).identical_arms == ()


def test_an_init_that_ignores_its_key_is_found(tiny_arms):
    same = {
        name: dataclasses.replace(
            arm, weights={p: np.full_like(w, w[0]) for p, w in arm.weights.items()}
        )
        for name, arm in tiny_arms.items()
    }
    pairing = check_pairing(same, vary=VARY)
    assert not pairing.verified
    assert len(pairing.problems) == 2
    assert "8 seeds have only 1 different initial weights" in pairing.problems[0]
    assert check_pairing(same, vary=("order", "split")).verified
