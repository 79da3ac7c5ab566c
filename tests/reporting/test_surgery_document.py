"""A surgery's report: its numbers are the summary's, its words claim what was judged."""

import copy
import re

import fake_run
import fake_surgery
import pytest
from rich.console import Console

from research.reporting import write_report
from research.reporting.console import print_verdict
from research.reporting.figure_recovery import draw_recovery
from research.reporting.figure_style import style
from research.reporting.figure_surgery import draw_drift, draw_similarity
from research.reporting.surgery_document import surgery_document
from research.reporting.surgery_tables import ROOM, shown_table
from research.reporting.tables import verdict_rows

CASES = {
    "language": {"loss": "language"},
    "next tokens": {"loss": "language", "head": "causal_lm"},
    "labels": {"loss": "labels", "head": "classifier"},
    "new classifier": {"loss": "labels", "head": None},
    "labels beside a language head": {"loss": "labels"},
    "distillation": {"loss": "distillation", "head": None, "swaps": ("relu", "silu")},
    "one distilled": {"loss": "distillation", "head": None},
    "one seed": {"loss": "language", "seeds": 1},
    "nothing tuned": {"loss": "none", "head": "classifier", "labelled": False},
    "no head": {"loss": "none", "head": None},
}


def section(document, start):
    return next(each for each in document.sections if each.title.startswith(start))


def rows_of(table):
    return {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}


@pytest.mark.parametrize("case", CASES)
def test_every_number_of_a_table_is_the_summarys(case):
    told = fake_surgery.summary(**CASES[case])
    document = surgery_document(told)
    headings = {
        "neighbour kept, %": ("neighbour_kept", 100, 1),
        "Spearman of pairs": ("spearman", 1, 3),
        "cosine to before": ("cosine", 1, 4),
        "mean similarity": ("mean_similarity", 1, 3),
        "loss, nats a token": ("loss", 1, 3),
        "KL to before, nats a token": ("kl", 1, 4),
        "same likeliest token, %": ("agreement", 100, 1),
        "accuracy, %": ("accuracy", 100, 1),
        "same answer, %": ("agreement", 100, 1),
    }
    seen = 0
    names = {
        f"{arm['name']}{', tuned' * arm['tuned']}": arm for arm in told["arms"].values()
    }
    for each in document.sections:
        if each.table is None or each.table.header[1] not in headings:
            continue
        for name, cells in rows_of(each.table).items():
            known = names[name] | names[name]["head"]
            for heading in headings.keys() & cells.keys():
                key, factor, decimals = headings[heading]
                estimate = known.get(key)
                ends = [] if estimate is None else list(estimate.values())
                value, low, high = (
                    (f"{factor * end:.{decimals}f}" for end in ends)
                    if ends
                    else ("–", "", "")
                )
                assert cells[heading] == (f"{value} [{low}, {high}]" if ends else "–")
                seen += 1
    tables = (told["head"] is not None) + (told["head"] != "causal_lm")
    assert seen >= 2 * tables * len(names)


@pytest.mark.parametrize("case", CASES)
def test_what_there_is_to_measure_decides_the_sections(case):
    told = fake_surgery.summary(**CASES[case])
    titles = " | ".join(each.title for each in surgery_document(told).sections)
    assert ("language head says" in titles) == (
        told["head"] in ("masked_lm", "causal_lm")
    )
    assert ("classifier says" in titles) == (told["head"] == "classifier")
    assert ("Similarities" in titles) == (told["head"] != "causal_lm")
    assert ("Tuned, " in titles) == (told["loss"] != "none")
    assert "Drift of each layer" in titles


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["relu", "leaky_relu(negative_slope=0.01)"])
def test_the_consoles_table_has_a_row_a_model_and_keeps_within_its_room(case, name):
    told = fake_surgery.summary(**CASES[case] | {"swaps": ("relu",)})
    for arm in told["arms"].values():
        arm["name"] = name if arm["name"] == "relu" else arm["name"]
    table = shown_table(told)
    tuned = [] if told["loss"] == "none" else [f"{name}, tuned"]
    beside = ["gelu, tuned"] * ("gelu~tuned" in told["arms"])
    assert [row[0] for row in table.rows] == ["gelu", name, *tuned, *beside]
    if name == "relu":
        widths = [
            max(len(line) for text in column for line in text.split("\n"))
            for column in zip(table.header, *table.rows, strict=True)
        ]
        assert sum(widths) + 2 * (len(widths) - 1) <= ROOM


def test_the_lede_says_the_damage_then_the_recovery_then_the_verdict():
    told = fake_surgery.summary("language")
    lede = surgery_document(told).lede
    tuned = told["tuned"]["arms"]
    places = [
        lede.index("goes from 2.000 nats a token to 2.200 with ReLU"),
        lede.index(f"{tuned['relu']['mean']:.4f}"),
        lede.index(f"{tuned['gelu']['mean']:.4f}"),
        lede.index("Tuned ReLU is worse than tuned GELU here."),
    ]
    assert places == sorted(places)


def test_the_tuned_sections_numbers_are_those_over_seeds():
    told = fake_surgery.summary("labels", head="classifier", swaps=("relu", "silu"))
    tuned = section(surgery_document(told), "Tuned, over 8 seeds")
    assert tuned.link.target == "tuned/report.html"
    assert tuned.command == "tensorboard --logdir tuned/tensorboard"
    expected = verdict_rows(told["tuned"])
    for row, slug in zip(tuned.table.rows, ("gelu", "relu", "silu"), strict=True):
        name, mean, _, *rest = expected[slug]
        assert row == (f"{name}, tuned", mean, *rest)
    assert "Tuned ReLU is worse than tuned GELU here" in " ".join(tuned.told)
    assert not re.search(r"(?<![Tt]uned )ReLU is worse", " ".join(tuned.told))


ANSWERS = {
    "equivalent": "ReLU can stand in for GELU: the difference is smaller",
    "better": "ReLU came out better than GELU, which was tuned as long",
    "worse": "ReLU still came out worse than GELU",
    "undecided": "whether ReLU can stand in for GELU is not decided",
}


@pytest.mark.parametrize("verdict", ANSWERS)
def test_the_advice_is_answered_by_the_verdict(verdict):
    told = fake_surgery.summary("labels", head="classifier")
    told["tuned"]["comparisons"][0]["verdict"] = verdict
    answer = section(surgery_document(told), "Is the swap worth it?").told[0]
    assert "the accuracy differs by −20.0 points with ReLU" in answer
    assert ANSWERS[verdict] in answer
    assert not any(text in answer for word, text in ANSWERS.items() if word != verdict)


def test_one_seed_answers_nothing():
    told = fake_surgery.summary("language", seeds=1)
    document = surgery_document(told)
    assert ANSWERS["undecided"] in section(document, "Is the swap").told[0]
    assert document.lede.endswith("No verdict from one seed.")


def test_distillation_says_why_the_untouched_model_is_left_out():
    told = fake_surgery.summary("distillation", head=None)
    document = surgery_document(told)
    tuned = section(document, "Tuned")
    said = " ".join(tuned.told)
    assert "it has nothing to learn from itself" in said
    assert "There is one swap: nothing is compared" in said
    mean = f"{told['tuned']['arms']['relu']['mean']:.4f}"
    assert f"0.7000 [0.6990, 0.7010] without training, and of {mean}" in said
    assert mean in document.lede
    assert "±" in tuned.table.rows[0][1]
    assert "averaged over the layers" in dict(document.method)["Tuning"]


def test_a_new_classifier_has_no_accuracy_before_it_is_tuned():
    document = surgery_document(fake_surgery.summary("labels", head=None))
    assert "no classifier of these labels" in " ".join(section(document, "Tuned").told)
    assert "accuracy goes" not in document.lede


def test_without_tuning_the_report_says_so_and_how():
    document = surgery_document(fake_surgery.summary("none", head=None))
    said = " ".join(document.findings)
    assert "leave out --config.task.loss=none" in said
    assert "no number varies with a seed" in said
    assert "by chance 1 %" in said
    assert not document.board


def test_layers_swapped_one_at_a_time_are_named():
    told = fake_surgery.summary("none", head=None, layers="each")
    told["arms"] = {
        "gelu": told["arms"]["gelu"],
        **{
            f"relu-layer{n}": fake_surgery.arm("relu", 0.1 + n / 10, swapped=(n,))
            for n in (0, 1)
        },
    }
    document = surgery_document(told)
    assert [row[0] for row in document.shown.rows] == ["gelu", "relu in 0", "relu in 1"]
    assert "most with layer 1 swapped, by 40 % of its size" in document.lede
    assert "least with layer 0, by 20 %" in document.lede
    assert "--layers=all" in " ".join(document.findings)
    drift = section(document, "Drift").table
    assert drift.rows[1] == ("relu in 1", "20.0 [19.0, 21.0]", "40.0 [39.0, 41.0]")
    with style():
        draw_drift(told)
        assert len(draw_similarity(told).axes) == 4


@pytest.mark.parametrize("key", ["spearman", "cosine"])
def test_what_is_not_defined_is_a_dash(key):
    told = copy.deepcopy(fake_surgery.summary("none", head=None))
    told["arms"]["relu"][key] = {"value": None, "ci_low": None, "ci_high": None}
    assert "–" in surgery_document(told).shown.rows[1]
    with style():
        draw_similarity(told)


def test_a_small_divergence_is_not_written_as_none():
    told = fake_surgery.summary("language")
    told["arms"]["relu"]["head"]["kl"] = fake_surgery.estimate(1e-7, 1e-8)
    says = rows_of(section(surgery_document(told), "What the language").table)
    assert says["relu"]["KL to before, nats a token"].startswith("<0.0001 ")


FIGURES = {
    "head": lambda told: told["head"] is not None,
    "similarity": lambda told: told["head"] != "causal_lm",
    "recovery": lambda told: told["tuned"] is not None,
    "drift": lambda told: True,
}


@pytest.mark.parametrize("case", CASES)
def test_the_report_is_drawn_from_files_alone(case, tmp_path):
    told = fake_surgery.summary(**CASES[case])
    workdir = fake_surgery.write(tmp_path / "run", told)
    drawn = write_report(workdir)
    assert list(drawn) == [name for name, has in FIGURES.items() if has(told)]
    page, text = ((workdir / f"report.{end}").read_text() for end in ("html", "md"))
    assert "could not be drawn" not in page + text
    assert ('href="tuned/report.html"' in page) == (told["tuned"] is not None)
    assert ("(tuned/report.html)" in text) == (told["tuned"] is not None)
    console = Console(width=100, record=True)
    print_verdict(told, console, workdir=workdir)
    board = f"tensorboard --logdir {workdir / 'tuned/tensorboard'}"
    shown = console.export_text()
    assert (board in shown) == (told["tuned"] is not None)


def test_the_recovery_curve_runs_over_the_steps_and_knows_the_untouched_model():
    told = fake_surgery.summary("language")
    curves = fake_surgery.curves(told["tuned"])
    with style():
        [axes] = draw_recovery(told, curves).axes
    relu, gelu, untouched = axes.lines
    assert relu.get_xdata().tolist() == [0, 4, 8, 12, 16]
    assert relu.get_ydata() == pytest.approx(
        curves["relu/validation_loss"].mean(axis=0)
    )
    start = curves["gelu/validation_loss"][:, 0].mean()
    assert untouched.get_ydata() == pytest.approx([start, start])
    assert gelu.get_ydata()[0] == pytest.approx(start)


def test_distilled_curves_are_held_against_a_cosine_of_one():
    told = fake_surgery.summary("distillation", head=None)
    with style():
        [axes] = draw_recovery(told, fake_surgery.curves(told["tuned"])).axes
    assert axes.lines[-1].get_ydata() == [1.0, 1.0]


def test_a_diverged_training_is_left_out_of_the_curve():
    told = fake_surgery.summary("language")
    curves = fake_surgery.curves(told["tuned"])
    curves["relu/validation_loss"][0, 2:] = float("nan")
    with style():
        [axes] = draw_recovery(told, curves).axes
    mean = curves["relu/validation_loss"][1:].mean(axis=0)
    assert axes.lines[0].get_ydata() == pytest.approx(mean)


def test_a_lone_arms_own_report_compares_it_with_nothing(tmp_path):
    told = fake_surgery.tuned_run("distillation", ["relu"])
    workdir = fake_run.write(tmp_path / "run", told)
    write_report(workdir)
    page, text = ((workdir / f"report.{end}").read_text() for end in ("html", "md"))
    console = Console(width=100, record=True)
    print_verdict(told, console, workdir=workdir)
    mean = f"{told['arms']['relu']['mean']:.4f}"
    for shown in (page, text, console.export_text()):
        assert mean in shown
        assert "nothing is compared" in " ".join(shown.split())
        assert "best possible 1" in shown.replace("\u00a0", " ")
        assert "against relu" not in shown.lower()
        assert "sign-flip" not in shown.lower()
    assert "the swap without training" not in page  # nothing diverged
    assert "swap without training" in text  # but what it would have scored is told


def test_a_tuned_runs_diverged_arms_score_the_swap_without_training(tmp_path):
    told = fake_surgery.tuned_run("distillation", ["relu", "silu"])
    told["arms"]["silu"] |= {"diverged": 1}
    workdir = fake_run.write(tmp_path / "run", told)
    write_report(workdir)
    text = (workdir / "report.md").read_text()
    assert "scored as the swap without training" in text
    assert "constant predictor" not in text


@pytest.mark.parametrize(("constant", "little"), [(0.5, False), (0.965, True)])
def test_models_that_learned_nothing_show_no_equivalence(constant, little):
    told = fake_surgery.summary("labels", head="classifier")
    told["tuned"]["constant_predictor"] = constant
    answer = section(surgery_document(told), "Is the swap worth it?").told[0]
    assert ("so that this says little" in answer) == little
