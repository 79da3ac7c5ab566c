import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from research.statistics import variance_components

SIZES = {"init": 1.0, "order": 0.6, "split": 0.3}


def components(sources, together, confidence=0.95):
    return variance_components(
        {name: np.asarray(table, dtype=np.float64) for name, table in sources.items()},
        np.asarray(together, dtype=np.float64),
        confidence=confidence,
    )


def experiment(generator, *, backgrounds=8, seeds=16, shared=False, product=0.0):
    """Runs of score = Σ size · effect + product · init · order, effects normal."""

    def score(effects):
        additive = sum(size * effects[name] for name, size in SIZES.items())
        return additive + product * effects["init"] * effects["order"]

    sources = {}
    for varied in SIZES:
        effects = {name: generator.normal(size=(backgrounds, 1)) for name in SIZES}
        rows = 1 if shared else backgrounds
        effects[varied] = np.repeat(
            generator.normal(size=(rows, seeds)), backgrounds // rows, axis=0
        )
        sources[varied] = score(effects)
    return sources, score({name: generator.normal(size=64) for name in SIZES})


def chi_square(variance, freedom, confidence=0.95):
    tail = (1 - confidence) / 2
    return tuple(variance * freedom / stats.chi2.ppf([1 - tail, tail], freedom))


def interval(component):
    return component.ci_low, component.ci_high


def test_two_backgrounds_by_hand():
    found = components({"init": [[0, 2], [5, 9]], "order": [[1, 1], [3, 3]]}, [0, 3, 6])
    assert found.sources["init"].variance == 5.0  # of 2 and 8
    assert found.total.variance == 9.0
    assert found.interaction.variance == 4.0
    assert found.sources["init"].share == pytest.approx(5 / 9)
    assert found.sources["order"] == type(found.total)(0.0, 0.0, 0.0, 0.0)
    assert (found.backgrounds, found.seeds, found.seeds_together) == (2, 2, 3)


def test_intervals_are_chi_square_where_squares_do_not_vary():
    signs = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])
    independent = components({"init": signs}, signs[0])
    # Orthogonal backgrounds count 3 · 3 degrees of freedom, the same one only 3.
    assert interval(independent.sources["init"]) == pytest.approx(chi_square(4 / 3, 9))
    same = components({"init": signs[[0, 0, 0]]}, signs[0])
    assert interval(same.sources["init"]) == pytest.approx(chi_square(4 / 3, 3))
    assert interval(same.total) == pytest.approx(chi_square(4 / 3, 3))


def test_long_tails_widen_the_chi_square_interval():
    tailed = np.random.default_rng(3).standard_t(3, size=(8, 40))
    found = components({"init": tailed}, tailed.ravel())
    assert (
        found.sources["init"].ci_high
        > 1.1 * (chi_square(found.sources["init"].variance, 8 * 39)[1])
    )
    assert found.total.ci_high > 1.1 * chi_square(found.total.variance, 319)[1]


def test_the_remainder_joins_the_half_widths():
    sources, together = experiment(np.random.default_rng(1))
    found = components(sources, together)
    each, total = list(found.sources.values()), found.total
    below = [total.variance - total.ci_low, *(e.ci_high - e.variance for e in each)]
    rest = found.interaction
    assert rest.variance == pytest.approx(
        total.variance - sum(e.variance for e in each)
    )
    assert rest.variance - rest.ci_low == pytest.approx(np.linalg.norm(below))
    assert rest.ci_high > rest.variance


def test_sources_that_interact_are_counted_with_each():
    found = []
    for seed in range(100):
        made = experiment(np.random.default_rng(seed), product=1.0)
        found.append(components(*made))
    mean = {
        name: np.mean([each.sources[name].variance for each in found]) for name in SIZES
    }
    # size² + product², and no product for the split; the total holds it once.
    assert mean["init"] == pytest.approx(2.0, rel=0.1)
    assert mean["order"] == pytest.approx(1.36, rel=0.1)
    assert mean["split"] == pytest.approx(0.09, rel=0.05)
    rest = np.mean([each.interaction.variance for each in found])
    assert rest == pytest.approx(-1.0, abs=0.25)


@pytest.mark.parametrize(
    "design",
    [{}, {"shared": True}, {"product": 0.5}, {"shared": True, "seeds": 4}],
    ids=str,
)
def test_intervals_cover_the_components(design):
    generator, trials = np.random.default_rng(2), 250
    doubled = design.get("product", 0.0) ** 2
    right = {"init": 1 + doubled, "order": 0.36 + doubled, "split": 0.09}
    right |= {"total": 1.45 + doubled, "interaction": -doubled}
    covered = dict.fromkeys(right, 0)
    for _ in range(trials):
        found = components(*experiment(generator, **design))
        told = {
            **found.sources,
            "total": found.total,
            "interaction": found.interaction,
        }
        for name, truth in right.items():
            covered[name] += told[name].ci_low <= truth <= told[name].ci_high
    # A coverage of 92 % falls below this in one of a thousand.
    least = stats.binom.ppf(0.001, trials, 0.92)
    assert min(covered.values()) >= least, covered


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    backgrounds=st.integers(2, 9),
    seeds=st.integers(2, 9),
    factor=st.sampled_from([-1.0, 0.01, 250.0]),
)
def test_scaled_shifted_and_reordered_scores(seed, backgrounds, seeds, factor):
    generator = np.random.default_rng(seed)
    table, together = generator.random((backgrounds, seeds)), generator.random(9)
    found = components({"init": table}, together)
    order = np.ix_(generator.permutation(backgrounds), generator.permutation(seeds))
    changed = components(
        {"init": factor * table[order] + 1}, factor * generator.permutation(together)
    )
    for one, other in (
        (found.sources["init"], changed.sources["init"]),
        (found.total, changed.total),
        (found.interaction, changed.interaction),
    ):
        assert other.share == pytest.approx(one.share, abs=1e-9)
        assert other.variance == pytest.approx(one.variance * factor**2, rel=1e-6)
        assert np.array(interval(other)) == pytest.approx(
            np.array(interval(one)) * factor**2, rel=1e-6
        )


def test_scores_that_do_not_vary_have_no_shares():
    found = components({"init": np.full((8, 4), 0.1) * 3}, [0.3, 0.3])
    assert found.total.variance == found.interaction.variance == 0
    assert found.sources["init"].share is None
    json.dumps(asdict(found), allow_nan=False)


def test_one_far_score_leaves_finite_intervals():
    lonely = np.zeros((2, 300))
    lonely[0, 0] = 1.0
    found = components({"init": lonely}, lonely[0], confidence=0.999)
    json.dumps(asdict(found), allow_nan=False)
    assert found.sources["init"].ci_high > found.sources["init"].variance


@pytest.mark.parametrize(
    ("sources", "together", "words"),
    [
        ({}, [0, 1], "same backgrounds"),
        ({"init": np.eye(2), "order": np.eye(3)}, [0, 1], "same backgrounds"),
        ({"init": [[0, 1]]}, [0, 1], "'init' needs two"),
        ({"init": np.eye(2)}, [0], "'all together' needs two"),
        ({"init": [[0, np.nan], [0, 1]]}, [0, 1], "'init' has scores"),
    ],
)
def test_what_has_no_components_is_refused(sources, together, words):
    with pytest.raises(ValueError, match=words):
        components(sources, together)
