"""Figures exist, hold something, and fail one at a time."""

import warnings

import fake_run
import numpy as np
import pytest
from matplotlib.image import imread

from research.reporting import draw_figures, figure_curves
from research.reporting.arms import colours
from research.reporting.figure_luck import bin_edges
from research.reporting.figure_style import new_panels
from research.reporting.figures import draw_all

ALL = {
    "paired_differences",
    "false_winners",
    "validation_loss",
    "validation_accuracy",
    "validation_difference",
    "activations",
    "derivatives",
    "decision_boundary",
}
EIGHT = {name: 0.001 * n for n, name in enumerate(list(fake_run.FUNCTIONS)[:8])}
RUNS = {
    "two": lambda: fake_run.summary(),
    "eight": lambda: fake_run.summary(EIGHT, seeds=8),
    "diverged": lambda: fake_run.summary(diverged={"gelu": 3}),
    "loss": lambda: fake_run.loss_summary(),
}


def has_colour(picture: np.ndarray, colour: str) -> bool:
    """Tells whether some pixels have nearly this colour."""
    wanted = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return bool((np.abs(picture[..., :3] - wanted).max(axis=-1) < 0.03).sum() > 20)


@pytest.mark.parametrize("run", RUNS)
def test_every_figure_is_drawn_and_holds_something(run, tmp_path):
    workdir = fake_run.write(tmp_path / "run", RUNS[run]())
    drawn = draw_all(workdir)
    assert drawn.problems == ()
    assert set(drawn.paths) == ALL
    for path in drawn.paths.values():
        picture = imread(path)
        assert min(picture.shape[:2]) > 250
        assert picture[..., :3].std() > 0.02


def test_an_arm_that_never_trained_leaves_the_others_their_curves(tmp_path):
    told = fake_run.summary(seeds=8, diverged={"gelu": 8})
    drawn = draw_all(fake_run.write(tmp_path / "run", told))
    [problem] = drawn.problems
    assert "validation_difference" in problem
    assert "no seed lasted to the end under both arms" in problem
    assert has_colour(imread(drawn.paths["validation_loss"]), colours(told)["relu"])
    assert not has_colour(imread(drawn.paths["validation_loss"]), colours(told)["gelu"])


def test_arms_keep_their_colour_in_every_figure(tmp_path):
    told = fake_run.summary()
    paths = draw_figures(fake_run.write(tmp_path / "run", told))
    for name in ALL - {"decision_boundary", "false_winners"}:
        assert has_colour(imread(paths[name]), colours(told)["gelu"]), name
    for name in ("activations", "validation_loss", "paired_differences"):
        assert has_colour(imread(paths[name]), colours(told)["relu"]), name


def test_one_seed_has_no_figure_of_its_spread(tmp_path):
    drawn = draw_all(fake_run.write(tmp_path / "run", fake_run.summary(seeds=1)))
    assert drawn.problems == ()
    assert set(drawn.paths) == ALL - {"paired_differences", "false_winners"}


def test_without_boundary_there_is_no_such_figure(tmp_path):
    workdir = fake_run.write(tmp_path / "run", fake_run.summary())
    kept = fake_run.shapes(fake_run.summary(), ["relu", "gelu"])
    kept = {key: array for key, array in kept.items() if "boundary" not in key}
    np.savez(workdir / "results/figures.npz", **kept)
    drawn = draw_all(workdir)
    assert drawn.problems == ()
    assert "decision_boundary" not in drawn.paths


def test_a_figure_that_cannot_be_drawn_is_a_problem_in_words(tmp_path):
    workdir = fake_run.write(tmp_path / "run", fake_run.summary())
    kept = fake_run.shapes(fake_run.summary(), ["relu", "gelu"])
    del kept["activation/gelu/value"]
    np.savez(workdir / "results/figures.npz", **kept)
    drawn = draw_all(workdir)
    [problem] = drawn.problems
    assert "activations could not be drawn" in problem
    assert set(drawn.paths) == ALL - {"activations"}


@pytest.mark.parametrize("damage", [b"", b"not an archive", None])
def test_a_file_that_cannot_be_read_is_a_problem_in_words(damage, tmp_path):
    workdir = fake_run.write(tmp_path / "run", fake_run.summary())
    path = workdir / "results/curves.npz"
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    drawn = draw_all(workdir)
    [problem] = drawn.problems
    assert "curves.npz could not be read" in problem
    assert "paired_differences" in drawn.paths


def test_names_are_shown_letter_by_letter(tmp_path):
    told = fake_run.summary()
    told["arms"]["gelu"]["name"] = "a$b$_{c"
    drawn = draw_all(fake_run.write(tmp_path / "run", told))
    assert drawn.problems == ()


def test_the_band_of_a_mean_is_students():
    # n = 4, sd = 1: t(.975, 3) / sqrt(4) = 3.182446 / 2.
    column = np.array([[-1.5], [-0.5], [0.5], [1.5]]) / np.sqrt(5 / 3)
    mean, half = figure_curves.mean_band(column, 0.95)
    assert mean[0] == pytest.approx(0.0, abs=1e-12)
    assert half[0] == pytest.approx(1.591223, abs=1e-6)


def test_one_curve_has_no_band_and_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, half = figure_curves.mean_band(np.ones((1, 3)), 0.95)
    assert np.isnan(half).all()


def test_drawing_twice_gives_the_same_bytes(tmp_path):
    workdir = fake_run.write(tmp_path / "run", fake_run.summary())
    first = {name: path.read_bytes() for name, path in draw_figures(workdir).items()}
    again = {name: path.read_bytes() for name, path in draw_figures(workdir).items()}
    assert first == again


@pytest.mark.parametrize("places", [range(-40, 41), range(-41, 42, 2), range(-4, 5)])
def test_steps_of_means_fall_between_the_edges_and_leave_no_comb(places):
    values = np.array(places) / 3200
    edges = bin_edges(values)
    counts, _ = np.histogram(values, edges)
    assert counts.sum() == len(values)
    assert np.allclose(edges, -np.array(edges)[::-1])
    inner = counts[1:-1] if counts[0] == 0 else counts
    assert len(set(inner[1:-1])) == 1


@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("count", range(1, 12))
def test_panels_leave_no_hole(count, most):
    figure, axes = new_panels(count, width=4.0, height=3.0, most=most)
    assert len(axes) == len(figure.axes) == count
    rows: dict[int, list[tuple[int, int]]] = {}
    for panel in axes:
        place = panel.get_subplotspec()
        assert place is not None
        columns = place.get_gridspec().ncols
        rows.setdefault(place.rowspan.start, []).append(
            (place.colspan.start, place.colspan.stop)
        )
    for spans in rows.values():
        assert len(spans) <= most
        ends = [0, *(stop for _, stop in spans)]
        assert [start for start, _ in spans] == ends[:-1]
        assert ends[-1] == columns
