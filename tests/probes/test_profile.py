"""The profile of an activation: known constants to float64's last digits, and the rest."""

import json
import math
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.activations.catalog import CATALOG, lookup
from research.activations.record import Activation
from research.errors import ConfigError
from research.probes import shape
from research.probes.cost import costs
from research.probes.curves import Curves, float64_curves, result_types
from research.probes.moments import normal_moments
from research.probes.points import POINTS, stochastic_reading, values_at_points
from research.probes.profile import Sample, profile, steps

CONSTANTS = Path(__file__).parents[2] / "../shared/numerics/constants.json"
RELATIVE = 1e-12
TINY = Sample(thin=256, elements=1000, trials=3)
SEEN = {name: float64_curves(record) for name, record in CATALOG.items()}


def own(fn) -> Activation:
    """An activation as a user would give it."""
    return Activation(name="own", fn=fn, formula="a user's own", source="own.py:own")


def found(name: str) -> dict[str, float]:
    """What is measured of one activation, under the names of constants.json."""
    curves = SEEN[name]
    least, steepest = shape.minimum(curves), shape.lipschitz(curves)
    moments = normal_moments(curves.value)
    told = {
        f"E[{name}]": moments.mean,
        f"E[{name}^2]": moments.second,
        f"gain_{name}": moments.gain,
    }
    if name in ("gelu", "gelu_tanh", "quick_gelu", "silu", "mish"):
        low, high = shape.inflections(curves.curvature)
        slopes = curves.slope(np.array([low, high])).tolist()
        told |= {
            f"{name}_min": least.value,
            f"{name}_argmin": least.at or math.nan,
            f"{name}_inflection0": high,
            f"{name}_inflection1": low,
            f"{name}_slope_at_inflection0": steepest.value,
            f"{name}_slope_at_inflection1": slopes[0],
        }
    for other, word in (("gelu_tanh",) * 2, ("quick_gelu", "quick"), ("silu",) * 2):
        if name == other:
            gap = shape.largest_gap(curves, SEEN["gelu"])
            told |= {
                f"max|gelu-{word}|": gap.value,
                f"max|gelu-{word}|_at": gap.at or math.nan,
            }
    return told


# To 18 digits, by mpmath.
GOLDEN = {
    "gelu": {
        "gelu_min": -0.169971207479903662,
        "gelu_argmin": -0.751791524693564457,
        "gelu_slope_at_inflection0": 1.12890414518515479,
        "gelu_inflection0": 1.41421356237309505,
        "gelu_inflection1": -1.41421356237309505,
        "E[gelu]": 0.282094791773878143,
        "E[gelu^2]": 0.425221482570298675,
        "gain_gelu": 1.53353044119553523,
    },
    "gelu_tanh": {
        "max|gelu-gelu_tanh|": 4.73235520687284877e-4,
        "max|gelu-gelu_tanh|_at": 2.69894138637727030,
    },
    "silu": {"silu_min": -0.278464542761073795, "silu_argmin": -1.27846454276107380},
    "relu": {"E[relu]": 0.398942280401432678, "gain_relu": math.sqrt(2)},
    "mish": {"mish_inflection1": -2.25637639636079312},
}


@pytest.mark.parametrize("name", GOLDEN)
def test_known_constants_are_found(name):
    told = found(name)
    for key, value in GOLDEN[name].items():
        assert told[key] == pytest.approx(value, rel=RELATIVE, abs=0), key


@pytest.mark.skipif(not CONSTANTS.is_file(), reason=f"needs {CONSTANTS}")
def test_every_shared_constant_agrees():
    known = {
        key: float(text) for key, text in json.loads(CONSTANTS.read_text()).items()
    }
    compared = set()
    names = (
        "relu",
        "gelu",
        "gelu_tanh",
        "quick_gelu",
        "silu",
        "mish",
        "elu",
        "softplus",
    )
    for name in names:
        for key, value in found(name).items():
            if key in known:
                assert value == pytest.approx(known[key], rel=RELATIVE, abs=0), key
                compared.add(key)
    assert len(compared) == 60


@pytest.mark.parametrize("name", CATALOG)
def test_limits_are_those_that_the_table_states(name):
    assert shape.limits(SEEN[name].value) == CATALOG[name].limits


@pytest.mark.parametrize("name", CATALOG)
def test_nothing_on_another_grid_lies_outside_what_was_found(name):
    # Irrational steps, so that no point is one of the grid's.
    x = np.arange(-30, 30, math.pi / 1000)
    curves, gelu = SEEN[name], SEEN["gelu"]
    room = 1 + 1e-15
    assert (curves.value(x) >= shape.minimum(curves).value * room).all()
    assert (np.abs(curves.slope(x)) <= shape.lipschitz(curves).value * room).all()
    gap = np.abs(curves.value(x) - gelu.value(x))
    assert (gap <= shape.largest_gap(curves, gelu).value * room).all()


@pytest.mark.parametrize(
    ("name", "minimum", "lipschitz"),
    [
        ("relu", (0, 0, True), (1, 1 / 256, True)),
        ("hard_tanh", (-1, -1, True), (1, 0, True)),
        ("hard_swish", (-0.375, -1.5, False), (1.5, 3, False)),
        ("sigmoid", (0, None, False), (0.25, 0, False)),
        ("elu", (-1, None, False), (1, 0, True)),
        ("softplus", (0, None, False), (1, None, False)),
        ("relu2", (0, 0, True), (math.inf, None, False)),
        ("identity", (-math.inf, None, False), (1, 0, True)),
    ],
)
def test_kinks_plateaus_and_limits(name, minimum, lipschitz):
    curves = SEEN[name]
    for extremum, wanted in (
        (shape.minimum(curves), minimum),
        (shape.lipschitz(curves), lipschitz),
    ):
        assert (extremum.value, extremum.stretch) == (wanted[0], wanted[2])
        assert extremum.at == (wanted[1] and pytest.approx(wanted[1], rel=1e-12))


def test_inflections_of_kinks_points_and_tails():
    assert shape.inflections(SEEN["tanh"].curvature) == (0.0,)
    assert shape.inflections(SEEN["soft_sign"].curvature) == (0.0,)
    for name in ("relu", "hard_swish", "softplus", "elu"):
        assert shape.inflections(SEEN[name].curvature) == (), name


def test_a_gap_that_grows_and_one_that_is_approached():
    gelu = SEEN["gelu"]
    assert shape.largest_gap(SEEN["tanh"], gelu) == shape.Extremum(
        value=math.inf, at=None
    )
    assert shape.largest_gap(SEEN["elu"], gelu) == shape.Extremum(value=1.0, at=None)


def test_a_function_without_limits_has_none():
    curves = float64_curves(own(jnp.sin))
    assert shape.limits(curves.value) == (None, None)
    assert shape.limits(float64_curves(own(lambda x: x * jnp.exp(-x * x))).value) == (
        0.0,
        0.0,
    )


@pytest.mark.parametrize(
    ("fn", "least", "steepest"),
    [
        # Neither is a number far out, as exp overflows there.
        (lambda x: jnp.exp(x) * x / (1 + jnp.exp(x)), -0.278464542761073795, 1.0998),
        (lambda x: jnp.cosh(x / 4), 1.0, math.inf),
        (lambda x: -jnp.exp(jnp.square(x / 3)), -math.inf, math.inf),
        # Extrema at kinks that are no points of the grid.
        (lambda x: jnp.abs(x - math.pi) / 2 - 1, -1.0, 0.5),
    ],
)
@pytest.mark.filterwarnings("error")
def test_own_functions_of_every_manner(fn, least, steepest):
    curves = float64_curves(own(fn))
    assert shape.minimum(curves).value == pytest.approx(least, rel=1e-12)
    assert shape.lipschitz(curves).value == pytest.approx(steepest, rel=1e-4)
    assert shape.largest_gap(curves, SEEN["gelu"]).value > 0


def test_moments_of_powers_are_exact_and_kinks_at_whole_numbers_cost_nothing():
    square = normal_moments(lambda x: x * x)
    assert square.mean == pytest.approx(1, rel=1e-14)
    assert square.second == pytest.approx(3, rel=1e-14)
    assert square.gain == pytest.approx(3**-0.5, rel=1e-14)
    # E min(|Z|, 1)² = P(|Z| > 1) + E Z² on |Z| < 1 = 1 - 2φ(1).
    clipped = normal_moments(SEEN["hard_tanh"].value)
    density = math.exp(-0.5) / math.sqrt(2 * math.pi)
    assert clipped.second == pytest.approx(1 - 2 * density, rel=1e-14)
    assert normal_moments(np.zeros_like).gain == math.inf


def test_values_and_shares_at_the_points():
    told = values_at_points(SEEN["gelu"].value)
    assert [point["x"] for point in told] == list(POINTS)
    by_x = {point["x"]: point for point in told}
    assert by_x[-1.0]["value"] == pytest.approx(-0.158655253931457051, rel=1e-15)
    assert by_x[-1.0]["share"] == pytest.approx(0.158655253931457051, rel=1e-15)
    assert by_x[2.0]["share"] == pytest.approx(0.977249868051820793, rel=1e-15)
    assert by_x[-6.0]["value"] == pytest.approx(-5.9195e-9, rel=1e-4)
    below = values_at_points(SEEN["relu"].value)[0]
    assert math.copysign(1, below["share"]) == math.copysign(1, below["value"]) == 1


def test_gelu_is_the_mean_of_a_random_gate():
    reading = stochastic_reading(SEEN["gelu"].value)
    assert reading["largest_error"] < 5
    # And it can tell: SiLU is another mean.
    assert stochastic_reading(SEEN["silu"].value)["largest_error"] > 50
    assert stochastic_reading(SEEN["gelu"].value, seed=1)["mean"] != reading["mean"]


def test_gelu_itself_draws_nothing():
    gelu = CATALOG["gelu"].fn
    x = jnp.linspace(-5, 5, 101)
    np.testing.assert_array_equal(gelu(x), gelu(x))
    assert "random" not in str(jax.make_jaxpr(gelu)(x))


def test_costs_take_turns_and_the_base_is_one():
    order: list[str] = []

    def watched(name):
        def fn(x):
            jax.debug.callback(lambda: order.append(name))
            return x * 2

        return fn

    functions = {name: watched(name) for name in "ab"}
    found = costs(functions, base="a", elements=8, trials=3)
    jax.effects_barrier()
    assert order == ["a", "b"] * 8  # a warm-up and three trials, two programs
    for what in ("forward", "value_and_gradient"):
        assert found["a"][what].beside_base == 1
        assert found["b"][what].seconds > 0
        assert found["b"][what].compile_seconds > 0


def test_a_profile_is_whole_and_is_json():
    steps_told: list[str] = []
    records = [lookup(name) for name in ("gelu", "swiglu", "prelu")]
    measured = profile(records, sample=TINY, tell=steps_told.append)
    assert len(steps_told) == steps(records)
    told = json.loads(json.dumps(measured.told, allow_nan=False))
    gelu, swiglu, prelu = told["activations"].values()
    assert "stochastic" in gelu
    assert "stochastic" not in swiglu
    assert (swiglu["curve"], prelu["curve"]) == (
        "of the gate, at value 1",
        "at negative_slope = 0.25, as it starts",
    )
    assert prelu["limits"] == ["-inf", "inf"]
    assert swiglu["minimum"]["value"] == pytest.approx(-0.278464542761073795)
    assert swiglu["accuracy"]["reference"] == "an independent float64 formula"
    assert prelu["accuracy"]["reference"] == "the same function in float64"
    for each in (gelu, swiglu, prelu):
        scans = each["accuracy"]["scans"]
        assert [(scan["dtype"], scan["order"]) for scan in scans] == [
            (dtype, order)
            for dtype in ("float32", "float16", "bfloat16")
            for order in (0, 1)
        ]
        assert all(scan["failures"] == [] for scan in scans)
        assert max(scan["core"] for scan in scans[2:]) <= 0.51
        assert set(each["cost"]) == {"forward", "value_and_gradient"}
    strips = measured.drawn["gelu/float16/0"]
    assert strips.size == measured.drawn["strips"].size
    assert 0.3 < np.nanmax(strips) <= 0.5


def test_an_own_function_is_measured_against_itself_in_float64():
    # Wrong by half an ulp and more in float32, and not finite where x² overflows.
    record = own(lambda x: jnp.sqrt(x * x + 1) - 1)
    told = profile([record], sample=TINY).told["activations"]["own"]
    value = told["accuracy"]["scans"][0]
    assert value["core"] > 1e3  # the cancellation near 0
    assert "infinite" in {failure["kind"] for failure in value["failures"]}
    assert told["accuracy"]["reference"] == "the same function in float64"


def test_an_own_function_may_widen_its_type_and_is_told_so():
    record = own(lambda x: x * np.float32(2))
    types = result_types(record)
    assert types == dict.fromkeys(("float32", "float16", "bfloat16"), "float32") | {
        "float64": "float64"
    }
    scan = profile([record], sample=TINY).told["activations"]["own"]["accuracy"]
    assert scan["scans"][2]["result"] == "float32"
    assert scan["scans"][2]["core"] == 0


def test_an_own_function_that_fails_on_a_type_is_refused():
    strict = own(lambda x: jax.lax.mul(x, jnp.full(x.shape, 2, jnp.float32)))
    with pytest.raises(ConfigError, match=r"own.py:own: fails on float16"):
        result_types(strict)


def test_curves_are_float64_and_keep_shapes():
    curves = SEEN["gelu"]
    assert isinstance(curves, Curves)
    x = np.linspace(-3, 3, 10_000).reshape(100, 100)
    y = curves.value(x)
    assert (y.dtype, y.shape) == (np.float64, x.shape)
    np.testing.assert_allclose(
        (curves.value(x + 1e-6) - curves.value(x - 1e-6)) / 2e-6,
        curves.slope(x),
        atol=1e-9,
    )
    assert jnp.ones(1).dtype == jnp.float32  # and nothing else became float64


def test_a_jump_has_no_steepest_slope_and_leaves_moments_open():
    curves = float64_curves(own(lambda x: jnp.where(x > 0.3, x, 0 * x)))
    assert shape.lipschitz(curves).value == math.inf
    assert normal_moments(curves.value).mean is None


def test_a_kink_between_whole_numbers_costs_no_digit_that_is_shown():
    moments = normal_moments(float64_curves(own(lambda x: jnp.maximum(x, 0.3))).value)
    # E max(Z, a) = a·Φ(a) + φ(a)
    assert moments.mean == pytest.approx(0.3 * 0.6179114222 + 0.3813878155, rel=1e-6)


def test_a_function_that_bends_all_the_time_is_measured():
    curves = float64_curves(own(lambda x: jnp.sin(20 * x)))
    assert len(shape.inflections(curves.curvature)) > 1000
    assert shape.lipschitz(curves).value == pytest.approx(20)
