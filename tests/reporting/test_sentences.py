"""What the summary says beside the verdict."""

import fake_run
import pytest

from research.reporting import sentences, speed, tables


def one(**changes):
    """Returns a summary and its one comparison with these entries."""
    told = fake_run.summary()
    [comparison] = told["comparisons"]
    comparison |= changes
    return told, comparison


def test_header():
    assert sentences.header(fake_run.summary()) == (
        "moons · MLP 2-64-64-1, 4,417 parameters · Adam 0.001, batch 32, 100 epochs · "
        "64 seeds · margin 0.5 points · best possible 97.1 %"
    )


@pytest.mark.parametrize(
    ("vary", "told"),
    [
        (["split", "init", "order"], ""),
        (["init"], " · only init varies"),
        (["order", "init"], " · init and order vary"),
        (
            ["init", "order", "split", "test_split"],
            " · init, order, split and test_split vary",
        ),
        ([], " · nothing varies"),
    ],
)
def test_header_says_what_varies_where_it_is_not_the_default(vary, told):
    assert f"· 64 seeds{told} · margin" in sentences.header(fake_run.summary(vary=vary))


def test_header_of_a_metric_without_a_known_best():
    assert sentences.header(fake_run.loss_summary()).endswith("· margin 0.005")


def test_header_names_a_range_where_the_arms_differ_in_size():
    told = fake_run.summary()
    told["arms"]["gelu"]["parameters"] = 4545
    assert "4,417 to 4,545 parameters" in sentences.header(told)


def test_one_seed_alone():
    told, comparison = one(
        one_seed={"arm": 21 / 64, "reference": 9 / 64, "neither": 34 / 64}
    )
    assert sentences.one_seed_alone(told, comparison) == (
        "One seed alone would have named GELU in 21, ReLU in 9 and neither in 34 of 64 "
        "cases."
    )


def test_three_seeds():
    told, comparison = one(three_seeds={"arm": 0.62, "reference": 0.38, "neither": 0.0})
    assert sentences.three_seeds(told, comparison) == (
        "The mean of three seeds would have named GELU in 62 % and ReLU in 38 % of the "
        "triples."
    )


def test_one_seed_says_nothing_of_other_draws_or_of_speed():
    told = fake_run.summary(seeds=1)
    [comparison] = told["comparisons"]
    assert sentences.one_seed_alone(told, comparison) is None
    assert sentences.three_seeds(told, comparison) is None
    assert speed.on_the_way(told, comparison) is None


def test_at_the_ceiling_no_activation_could_win():
    told = sentences.at_the_ceiling(fake_run.summary())
    assert told is not None
    assert "no activation could win by the margin here" in told
    assert "ReLU is within the margin of the best" in told


@pytest.mark.parametrize(
    "changes",
    [
        {"ceiling": 0.99},
        {"ceiling": None},
        # Four seeds whose mean is near the best do not yet know that it is.
        {"seeds": 4},
    ],
)
def test_no_ceiling_is_claimed_without_ground(changes):
    changes = dict(changes)
    told = fake_run.summary(seeds=changes.pop("seeds", 64)) | changes
    if told["seeds"] == 4:
        told["arms"]["relu"]["ci_low"] = 0.964
    assert sentences.at_the_ceiling(told) is None


def test_no_ceiling_is_claimed_where_an_arm_won_by_more_than_the_margin():
    told = fake_run.summary({"relu": 0.0, "gelu": 0.02}, verdicts={"gelu": "better"})
    assert sentences.at_the_ceiling(told) is None


def test_the_ceiling_of_a_loss_is_a_floor():
    told = fake_run.loss_summary(primary_metric="test_loss", ceiling_loss=0.0798)
    told["comparisons"][0]["verdict"] = "equivalent"
    assert sentences.at_the_ceiling(told) is not None
    assert sentences.header(told).endswith("best possible 0.0798")
    far = fake_run.loss_summary(primary_metric="test_loss", ceiling_loss=0.05)
    far["comparisons"][0]["verdict"] = "equivalent"
    assert sentences.at_the_ceiling(far) is None


def test_divergence_parts_how_well_from_how_often():
    told = fake_run.summary(diverged={"gelu": 3}, verdicts={"gelu": "undecided"})
    constant, well, often = sentences.divergence(told)
    assert "scored as the best constant predictor (50.0 %)" in constant
    assert well.startswith("When it trains: ReLU 97.0 % over 64 seeds; GELU 97.")
    assert well.endswith("over 61 seeds.")
    assert often == (
        "How often it fails: ReLU 0 of 64 (at most 4.6 %); GELU 3 of 64 (at most 12 %); "
        "exact McNemar test against ReLU: GELU p = 0.25."
    )


def test_an_arm_that_never_trained_is_said_so():
    told = fake_run.summary(diverged={"gelu": 64}, verdicts={"gelu": "worse"})
    _, well, _ = sentences.divergence(told)
    assert "GELU never did" in well


def test_nothing_is_said_of_divergence_where_there_was_none():
    assert sentences.divergence(fake_run.summary()) == ()


def test_held_equal_and_varied():
    told = fake_run.summary()
    assert sentences.held_equal(told) == (
        "Only the activation differs between the arms: seed by seed they share the "
        "initial weights, the order of the data and the split into training and "
        "validation rows (verified on 64 seeds, 100 % of the weights compared)."
    )
    assert sentences.varied(told) == (
        "With the seed change the initial weights, the order of the data and the split "
        "into training and validation rows; the same for all seeds: the test rows. What "
        "is said holds over seeds, on this test set."
    )


def test_pairing_is_not_claimed_where_it_was_not_verified():
    told = fake_run.summary()
    told["pairing"]["verified"] = False
    assert sentences.held_equal(told).endswith("; this could not be verified.")


def test_many_arms_are_told_one_after_the_other():
    told = fake_run.summary(
        {"gelu": 0.0, "relu": -0.0003, "identity": -0.09},
        seeds=32,
        verdicts={"identity": "worse"},
    )
    findings = sentences.findings(told)
    assert findings[0].startswith("ReLU and GELU are equivalent here")
    assert findings[1].startswith("Identity is worse than GELU here")
    assert sum(f.startswith("One seed alone") for f in findings) == 2


def test_a_users_own_name_stands_as_it_is():
    told = fake_run.summary()
    told["arms"]["gelu"]["name"] = "acts.py:bump"
    assert sentences.findings(told)[0].startswith("acts.py:bump and ReLU")


def test_arms_that_share_a_program_are_said_with_their_times():
    told = fake_run.summary()
    assert "one program" not in tables.step_note(told)
    assert "one program here" in tables.step_note(told | {"one_program": True})
