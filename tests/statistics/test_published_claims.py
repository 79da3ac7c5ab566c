import pytest

from research.statistics import Moments, Row, judge_table
from research.statistics.table_summary import summarise_table

MISH_3 = [
    Row("Mish", Moments(87.93, 0.0436, 3)),
    Row("GELU", Moments(87.28, 0.1562, 3)),
]
MISH_23 = [
    Row("Mish", Moments(87.48, 0.397, 23)),
    Row("GELU", Moments(87.37, 0.472, 23)),
    Row("Swish", Moments(87.32, 0.414, 23)),
    Row("E-Swish", Moments(87.49, 0.411, 23)),
    Row("ReLU", Moments(86.66, 0.584, 23)),
]


def claims(rows, reference):
    found = judge_table(rows, reference=reference, confidence=0.95)
    return {claim.name: claim for claim in found}


def test_the_claim_from_three_runs_and_from_twenty_three():
    (three,) = judge_table(MISH_3, reference="GELU", confidence=0.95)
    assert (round(three.student_p, 4), round(three.welch_p, 4)) == (0.0023, 0.0136)
    assert three.finding == "survives"
    many = claims(MISH_23, "GELU")["Mish"]
    assert (round(many.student_p, 2), round(many.welch_p, 2)) == (0.40, 0.40)
    assert many.finding == "not shown"
    assert many.runs_needed == 248
    assert many.runs_needed_in_table > many.runs_needed


def test_the_published_p_values_against_mish():
    found = claims(MISH_23, "Mish")
    assert found["Swish"].student_p == pytest.approx(0.20, abs=0.02)
    assert found["E-Swish"].student_p == pytest.approx(0.93, abs=0.03)
    assert found["ReLU"].student_p < 0.0001
    assert found["ReLU"].effect_size_d == pytest.approx(-1.65, abs=0.02)
    assert found["ReLU"].finding == "survives"


def test_each_way_to_fall():
    rows = [
        Row("base", Moments(0.0, 1.0, 20)),
        Row("close", Moments(0.7, 1.0, 20)),
        *(Row(f"same{i}", Moments(0.1, 1.0, 20)) for i in range(4)),
        # Few runs with a large spread: the pooled variance hides it.
        Row("pooled", Moments(1.35, 3.0, 3)),
    ]
    found = claims(rows, "base")
    assert found["close"].student_p < 0.05 < found["close"].welch_p_adjusted
    assert found["close"].finding == "falls to Holm"
    (pooled,) = judge_table(
        [Row("base", Moments(0.0, 0.5, 30)), Row("pooled", Moments(1.3, 3.0, 4))],
        reference="base",
        confidence=0.95,
    )
    assert pooled.student_p < 0.05 < pooled.welch_p
    assert pooled.finding == "falls to Welch"


def test_swapping_row_and_reference_mirrors():
    (found,) = judge_table(MISH_3, reference="GELU", confidence=0.9)
    (mirrored,) = judge_table(MISH_3, reference="Mish", confidence=0.9)
    assert mirrored.mean_difference == -found.mean_difference
    assert (mirrored.ci_low, mirrored.ci_high) == (-found.ci_high, -found.ci_low)
    assert mirrored.effect_size_d == -found.effect_size_d
    for name in ("student_p", "welch_p", "power", "runs_needed"):
        assert getattr(mirrored, name) == getattr(found, name)


def test_equal_means_need_runs_without_end():
    rows = [Row("a", Moments(1.0, 0.1, 5)), Row("b", Moments(1.0, 0.1, 5))]
    (found,) = judge_table(rows, reference="a", confidence=0.95)
    assert (found.student_p, found.runs_needed) == (1.0, None)


def test_the_summary_warns_of_what_a_table_hides():
    told = summarise_table(
        MISH_3, title="t", reference="GELU", higher_is_better=True, confidence=0.95
    )
    warnings = " ".join(told["warnings"])
    assert "unpaired" in warnings
    assert "3 runs hardly tell" in warnings
    assert "between 0.52 and 6.3" in warnings
    assert "many comparisons" not in warnings
    told = summarise_table(
        MISH_23, title="t", reference="GELU", higher_is_better=True, confidence=0.95
    )
    assert "many comparisons: 4 rows" in " ".join(told["warnings"])


@pytest.mark.parametrize(
    "rows",
    [
        [MISH_3[0]],
        [MISH_3[1], MISH_3[1]],
        [MISH_3[0], Row("GELU", Moments(1.0, 0.0, 3))],
        [MISH_3[0], Row("GELU", Moments(1.0, 0.1, 1))],
    ],
)
def test_tables_that_cannot_be_judged_are_refused(rows):
    with pytest.raises(ValueError):  # noqa: PT011
        judge_table(rows, reference="GELU", confidence=0.95)
