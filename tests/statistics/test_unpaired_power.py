import pytest

from research.statistics import runs_needed, two_sample_t_power


@pytest.mark.parametrize(
    ("effect", "level", "runs"),
    [(0.5, 0.05, 64), (0.8, 0.05, 26), (1.0, 0.05, 17), (1.5, 0.05, 9), (2.0, 0.05, 6)],
)
def test_runs_needed_reference_values(effect, level, runs):
    assert runs_needed(effect, level=level) == runs
    assert runs_needed(-effect, level=level) == runs


@pytest.mark.parametrize(("effect", "runs"), [(1.0, 29), (0.5, 109)])
def test_runs_needed_at_a_stricter_level(effect, runs):
    assert runs_needed(effect, level=0.005) == runs


def test_no_effect_needs_runs_without_end_and_a_huge_one_two():
    assert runs_needed(0.0, level=0.05) is None
    assert runs_needed(1e300, level=0.05) == 2
    assert runs_needed(1e-4, level=0.05) == pytest.approx(1.57e9, rel=0.01)


def test_power_at_no_effect_is_the_level_and_grows_with_the_smaller_group():
    assert two_sample_t_power(9, 30, effect_size_d=0.0, level=0.05) == pytest.approx(
        0.05, rel=1e-4
    )
    powers = [
        two_sample_t_power(n, 30, effect_size_d=0.8, level=0.05) for n in (3, 9, 30)
    ]
    assert powers == sorted(powers)
    assert two_sample_t_power(26, 26, effect_size_d=0.8, level=0.05) >= 0.8
