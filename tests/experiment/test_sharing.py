"""Arms that share their programs: trained as if each had its own."""

import dataclasses

import numpy as np
import pytest
from tiny_runs import fixed_plan, numbers, tiny_experiment

from research.experiment.prepare import prepare
from research.experiment.rehearsal import rehearse
from research.experiment.sharing import pays, sharing
from research.training.lanes import join
from research.training.population import compile_programs
from research.training.problem import stream_ids
from research.training.run import train_arm

EXACT = ("weights", "splits", "rows_checksum", "test_rows", "steps", "alive")


@pytest.fixture(scope="module")
def experiment():
    made = tiny_experiment(activations="relu,gelu,swiglu,tanh")
    assert made.plan.one_program  # so short a training is not worth four programs
    return made


def train(experiment, arm, compiled):
    problem, data = experiment.trained_as(arm)
    programs, laid = compiled
    blocks = train_arm(
        problem,
        fixed_plan(),
        (programs, laid._replace(chosen=data.chosen)),
        arm=arm,
        seeds=range(8),
        ids=stream_ids(range(8), vary=experiment.config.vary),
        learning_rate=0.01,
        epochs=5,
        observe=lambda event: None,
        before_scoring=lambda seeds: None,
    )
    return numbers(join(list(blocks)))


def test_lanes_are_those_of_programs_of_their_own(experiment):
    problem, data = experiment.trained_as("relu")
    shared = compile_programs(problem, fixed_plan(), data)
    found = {}
    for arm in ("gelu", "relu", "tanh"):
        own = dataclasses.replace(experiment, shared=None)
        programs = compile_programs(own.problems[arm], fixed_plan(), own.data)
        mine, found[arm] = train(own, arm, programs), train(experiment, arm, shared)
        assert mine.keys() == found[arm].keys()
        for name, values in mine.items():
            if name.split()[0] in EXACT:
                np.testing.assert_array_equal(values, found[arm][name], name)
            elif "final_checksum" not in name:
                np.testing.assert_allclose(
                    values, found[arm][name], rtol=1e-3, atol=1e-3, err_msg=name
                )
    loss = {arm: each["curves train_loss"] for arm, each in found.items()}
    assert not np.allclose(loss["relu"][:, 1:], loss["gelu"][:, 1:], atol=1e-3)


def test_only_what_differs_in_the_function_alone_is_shared(experiment):
    assert sharing(experiment.activations) == ("relu", "gelu", "tanh")
    gated, data = experiment.trained_as("swiglu")
    assert gated is experiment.problems["swiglu"]
    assert data is experiment.data
    problems = [experiment.trained_as(arm)[0] for arm in ("relu", "gelu", "tanh")]
    assert problems[0] is problems[1] is problems[2] is experiment.shared


def test_long_trainings_have_programs_of_their_own(experiment):
    arms = sharing(experiment.activations)

    def worth(steps):
        return pays(
            arms,
            experiment.problems["relu"],
            experiment.data,
            fixed_plan(),
            steps=steps,
        )

    worthy = [worth(10**power) for power in range(13)]
    assert worthy == sorted(worthy, reverse=True)
    assert worthy[0]
    assert not worthy[-1]
    assert not tiny_experiment(activations="relu,swiglu").plan.one_program
    assert not tiny_experiment(mode="null").plan.one_program


def test_what_was_recorded_is_kept(experiment):
    recorded = dataclasses.replace(experiment.plan, one_program=False)
    again = prepare(experiment.config, recorded=recorded)
    assert not again.plan.one_program
    assert again.shared is None
    assert rehearse(experiment, timed=False).compile_seconds > 0


def test_a_record_of_what_cannot_be_shared_is_no_fault():
    alone = tiny_experiment(activations="relu,swiglu")
    recorded = dataclasses.replace(alone.plan, one_program=True)
    assert prepare(alone.config, recorded=recorded).shared is None
