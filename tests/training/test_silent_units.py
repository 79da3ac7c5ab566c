"""Units behind the activation are counted wherever in a model it is called."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny_experiment

from research.training.problem import ANY_LANE, make_lane, start, take
from research.training.score import silent_units

FILE = """
import jax, jax.numpy as jnp
from flax import linen

def form(apply_of):
    def build(*, activation, inputs, outputs):
        def init(key):
            one, two = jax.random.split(key)
            w = jax.random.normal(one, (inputs, 8)).at[:, 0].set(0)
            return {"w": w, "v": jax.random.normal(two, (8, outputs))}, ()

        apply = apply_of(activation)
        return init, lambda params, state, x, *, key, train: (apply(params, x), state)

    return build

def plain(activation):
    return lambda params, x: activation(x @ params["w"]) @ params["v"]

def scanned(activation):
    def apply(params, x):
        body = lambda h, _: (activation(h), None)
        return jax.lax.scan(body, x @ params["w"], length=3)[0] @ params["v"]
    return apply

def row_by_row(activation):
    return jax.vmap(plain(activation), (None, 0))

def stopped(activation):
    return lambda params, x: jax.lax.stop_gradient(plain(activation)(params, x))

by_hand = form(plain)
by_jit = form(lambda activation: jax.jit(plain(activation)))
by_remat = form(lambda activation: jax.checkpoint(plain(activation)))
by_scan = form(scanned)
by_vmap = form(row_by_row)
by_stop = form(stopped)

class Linen(linen.Module):
    activation: object
    outputs: int

    @linen.compact
    def __call__(self, x):
        w = self.param("w", lambda key: jax.random.normal(key, (2, 8)).at[:, 0].set(0))
        x = linen.remat(Act)(self.activation)(x @ w)
        return linen.Dense(self.outputs)(x)

class Act(linen.Module):
    activation: object

    def __call__(self, x):
        return self.activation(x)

def by_linen(*, activation, inputs, outputs):
    return Linen(activation, outputs)
"""


@pytest.fixture
def silent(tmp_path):
    """Returns a function of a form of FILE -> counted shares, and NumPy's of ReLU's."""

    def measure(form: str) -> tuple[np.ndarray, np.ndarray]:
        path = tmp_path / "nets.py"
        path.write_text(FILE)
        experiment = tiny_experiment(model={"name": f"{path}:{form}"})
        problem, data = experiment.problems["relu"], experiment.data

        @jax.jit
        def count(data):
            lane = make_lane(problem, data, ANY_LANE, jnp.float32(1))
            state = start(problem, lane)
            rows = lane.split.validation
            inputs = problem.task.transform(lane.fitted, take(data.inputs, rows))
            hidden = inputs @ state.params["w"]
            counted = silent_units(problem, data, lane, state.params, state.model_state)
            return jnp.stack(counted), hidden

        counted, hidden = map(np.asarray, count(data))
        zero = np.maximum(hidden, 0) == 0
        return counted, np.array([zero.mean(), zero.all(axis=0).mean()])

    return measure


@pytest.mark.parametrize(
    "form", ["by_hand", "by_jit", "by_remat", "by_scan", "by_vmap", "by_linen"]
)
def test_they_are_counted_inside_of_other_transformations(silent, form):
    counted, expected = silent(form)
    np.testing.assert_allclose(counted, expected, rtol=1e-6)
    assert expected[1] >= 1 / 8  # the unit whose weights are 0


def test_what_no_gradient_comes_out_of_is_not_counted(silent):
    assert np.isnan(silent("by_stop")[0]).all()
