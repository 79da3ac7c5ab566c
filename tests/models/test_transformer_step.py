"""One optimiser step of the language model, against NumPy in double precision."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import lane_ids
from tiny_transformers import ONE, drawn, leaves

from research.activations.catalog import lookup
from research.model_configs import LanguageModelConfig
from research.models.contract import Shapes
from research.models.language import build_lm
from research.tasks.contract import Rows, Split, Task
from research.training.cost import step_flops
from research.training.problem import Data, Problem, make_lane, start
from research.training.step import train_step

LENGTH, TOKENS, WIDTH, HEADS, RATE = 3, 5, 4, 2, 0.01
IDS = np.array([[0, 3, 1], [4, 4, 2]], np.int32)
NEXT = np.array([[3, 1, 2], [4, 2, 0]], np.int32)


def cross_entropy(logits, targets):
    log_p = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(log_p, targets[..., None], axis=-1).mean(axis=(1, 2))


def the_problem() -> Problem:
    config = LanguageModelConfig(width=WIDTH, depth=1, heads=HEADS, ffn=6)
    shapes = Shapes(ONE((LENGTH,), jnp.int32), (LENGTH, TOKENS), TOKENS)
    rows = jnp.arange(2)
    task = Task(
        name="two sentences",
        inputs=IDS,
        targets=NEXT,
        outputs=shapes.outputs,
        vocabulary=TOKENS,
        rows=Rows(train=2, validation=2, test=2),
        split=lambda key, test_key: Split(rows, rows, rows),
        fit=lambda inputs: (),
        transform=lambda fitted, inputs: inputs,
        loss=cross_entropy,
        metrics={},
        primary="loss",
    )
    model = build_lm(config, lookup("swiglu"), shapes)
    return Problem(
        task=task,
        model=model,
        tapped=lambda tap: model,
        optimizer="adam",
        batch_size=2,
    )


def normed(x, p, path):
    off = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(off).mean(axis=-1, keepdims=True) + 1e-5)
    return off / spread * p[f"{path}/scale"] + p[f"{path}/bias"]


def dense(x, p, path):
    return x @ p[f"{path}/kernel"] + p[f"{path}/bias"]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def loss_of(p) -> float:
    """The whole model and its loss, one sentence, head and position at a time."""
    layer, losses = "transformer/layers/0", []
    for ids, targets in zip(IDS, NEXT, strict=True):
        x = p["embed/embedding"][ids] + p["transformer/positions"]
        inner = normed(x, p, f"{layer}/norm1")
        query, key, value = (
            dense(inner, p, f"{layer}/attention/{name}")
            for name in ("query", "key", "value")
        )
        mixed = np.zeros_like(x)
        for head in range(HEADS):
            own = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
            for at in range(LENGTH):
                scores = key[: at + 1, own] @ query[at, own] / np.sqrt(WIDTH / HEADS)
                mixed[at, own] = softmax(scores) @ value[: at + 1, own]
        x = x + dense(mixed, p, f"{layer}/attention/output")
        inner = normed(x, p, f"{layer}/norm2")
        gate = dense(inner, p, f"{layer}/ffn/up")
        hidden = (
            gate / (1 + np.exp(-gate)) * dense(inner, p, f"{layer}/ffn/place/value")
        )
        x = x + dense(hidden, p, f"{layer}/ffn/down")
        logits = dense(normed(x, p, "transformer/norm"), p, "head")
        losses += [-np.log(softmax(logits))[range(LENGTH), targets].mean()]
    return float(np.mean(losses))


def gradient_of(p) -> dict[str, np.ndarray]:
    """Central differences in every parameter."""
    found = {path: np.zeros_like(leaf) for path, leaf in p.items()}
    for path, leaf in p.items():
        for index in np.ndindex(leaf.shape):
            there = []
            for step in (1e-5, -1e-5):
                moved = leaf.copy()
                moved[index] += step
                there.append(loss_of(p | {path: moved}))
            found[path][index] = (there[0] - there[1]) / 2e-5
    return found


def test_a_step_of_adam_is_the_one_worked_out_in_numpy():
    problem, data = the_problem(), Data(jnp.asarray(IDS), jnp.asarray(NEXT))
    lane = make_lane(problem, data, lane_ids(0), jnp.float32(RATE))
    state = start(problem, lane)._replace(params=drawn(problem.model))
    after, loss = jax.jit(
        lambda s: train_step(problem, data, lane, s, jnp.arange(2), lane.dropout_key)
    )(state)
    before = {k: v.astype(np.float64) for k, v in leaves(state.params).items()}
    assert float(loss) == pytest.approx(loss_of(before), rel=1e-5)
    gradient, moved = gradient_of(before), leaves(after.params)
    # Adam's first moment after one step is a tenth of the gradient.
    moment = leaves(after.optimizer_state[0].mu)
    for path, expected in gradient.items():
        np.testing.assert_allclose(moment[path], expected / 10, rtol=1e-4, atol=1e-7)
        # Where the gradient is 0, as a key's bias has it, its sign is rounding.
        clear = np.abs(expected) > 1e-4
        step = (moved[path] - before[path])[clear]
        np.testing.assert_allclose(step, -RATE * np.sign(expected[clear]), rtol=1e-3)
    assert np.abs(gradient["transformer/layers/0/attention/key/bias"]).max() < 1e-8


def test_the_operations_of_a_step_are_counted_by_hand():
    positions, ffn = 2 * LENGTH, 4
    projections = 4 * WIDTH * WIDTH + 3 * WIDTH * ffn + WIDTH * TOKENS
    attention = 2 * LENGTH * WIDTH
    problem, data = the_problem(), Data(jnp.asarray(IDS), jnp.asarray(NEXT))
    # Backward, each product has one for either factor.
    assert step_flops(problem, data) == 3 * 2 * positions * (projections + attention)
