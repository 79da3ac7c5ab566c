"""What the TensorBoard observer writes, read back with TensorBoard's own reader."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import fake_run
import numpy as np
import pytest
from scipy import stats
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import metadata

from research.records.events import (
    ArmFinished,
    ArmStarted,
    RoundFinished,
    RunFinished,
    RunStarted,
)
from research.reporting import sentences, tensorboard
from research.reporting.tensorboard import seed_runs, tensorboard_observer

ARMS = ("relu", "gelu")
SEEDS = (5, 6, 7, 8)
EPOCHS = 4
CONFIG = {
    "task": {"name": "moons", "noise": 0.2},
    "model": {"name": "mlp", "hidden": (64, 64)},
    "optimizer": {"name": "adam", "learning_rate": (1e-3,)},
    "batch_size": 32,
    "epochs": EPOCHS,
}
SUMMARY = fake_run.summary(warnings=["the margin was changed afterwards"])


def started(arms=ARMS, seeds=SEEDS):
    return RunStarted(
        title="moons",
        arms=arms,
        reference=arms[0],
        seeds=seeds,
        epochs=EPOCHS,
        steps_per_epoch=3,
        config=CONFIG,
    )


def curve_tables(arm, seeds=SEEDS, shift=0.0):
    """Curves [seeds, epochs + 1] as the engine gives them: no loss before training."""
    rng = np.random.default_rng(list(arm.encode()))
    accuracy = rng.random((len(seeds), EPOCHS + 1)).astype(np.float32) + shift
    loss = rng.random((len(seeds), EPOCHS + 1)).astype(np.float32) + shift
    loss[:, 0] = np.nan
    return {"validation_accuracy": accuracy, "train_loss": loss}


def rounds(arm, curves, seeds=SEEDS, block=2, first=0, until=EPOCHS):
    """The rounds of an arm, block after block, two epochs each."""
    for start in range(0, len(seeds), block):
        lanes = slice(start, start + block)
        for epoch in range(first, until + 1, 2):
            columns = slice(epoch, min(epoch + 2, until + 1))
            yield RoundFinished(
                arm=arm,
                seeds=seeds[lanes],
                first_epoch=epoch,
                curves={name: table[lanes, columns] for name, table in curves.items()},
                diverged=0,
                seconds=0.5,
            )


def finished(arm, seeds=SEEDS):
    scores = {
        "status": np.array(["done"] * len(seeds)),
        "steps": np.full(len(seeds), 12),
        "test_accuracy": np.linspace(0.5, 0.8, len(seeds)),
        "best_epoch": np.full(len(seeds), 3),
    }
    return ArmFinished(arm=arm, seeds=seeds, scores=scores, learning_rate=1e-3)


def play(logdir, curves, *, seeds=2, attempt="first", run=None, figures=None):
    run = run or started()
    with tensorboard_observer(logdir, seeds=seeds, attempt=attempt) as observe:
        observe(run)
        for arm in run.arms:
            observe(ArmStarted(arm=arm))
            for event in rounds(arm, curves[arm], run.seeds):
                observe(event)
            observe(finished(arm, run.seeds))
        observe(RunFinished(summary=SUMMARY, figures=figures or {}))


def read(logdir, run):
    reader = EventAccumulator(str(logdir / run), size_guidance={"scalars": 0})
    reader.Reload()
    return reader


def scalars(logdir, run, tag):
    return {event.step: event.value for event in read(logdir, run).Scalars(tag)}


def run_names(logdir):
    files = logdir.rglob("*tfevents*")
    return sorted(file.parent.relative_to(logdir).as_posix() for file in files)


@pytest.fixture(scope="module")
def curves():
    return {arm: curve_tables(arm) for arm in ARMS}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory, curves):
    logdir = tmp_path_factory.mktemp("tensorboard")
    play(logdir, curves)
    return logdir


def test_one_run_an_arm_and_one_for_each_shown_seed(logdir):
    shown = [f"{arm}/seed-{seed}" for arm in ARMS for seed in SEEDS[:2]]
    assert run_names(logdir) == sorted([*ARMS, *shown, "report"])


@pytest.mark.parametrize("arm", ARMS)
def test_mean_and_band_are_the_t_interval_of_every_epoch(logdir, curves, arm):
    table = curves[arm]["validation_accuracy"].astype(np.float64)
    low, high = stats.t.interval(
        0.95, len(SEEDS) - 1, loc=table.mean(axis=0), scale=stats.sem(table)
    )
    expected = {"mean": table.mean(axis=0), "low": low, "high": high}
    for tag, values in expected.items():
        written = scalars(logdir, arm, f"validation_accuracy/{tag}")
        assert list(written) == list(range(EPOCHS + 1))
        np.testing.assert_allclose(list(written.values()), values, rtol=1e-6)


def test_a_curve_without_a_value_before_training_starts_at_epoch_one(logdir):
    for tag in ("mean", "low", "high"):
        assert list(scalars(logdir, "relu", f"train_loss/{tag}")) == [1, 2, 3, 4]
    assert set(scalars(logdir, "relu", "diverged").values()) == {0.0}


def test_a_shown_seed_has_its_own_curves(logdir, curves):
    written = scalars(logdir, "gelu/seed-6", "validation_accuracy")
    expected = curves["gelu"]["validation_accuracy"][1]
    assert list(written) == list(range(EPOCHS + 1))
    np.testing.assert_array_equal(list(written.values()), expected)


def test_margin_charts_have_the_same_three_tags_in_every_arm(logdir):
    for arm in ARMS:
        reader = read(logdir, arm)
        (event,) = reader.Tensors("custom_scalars__config__")
        layout = layout_pb2.Layout.FromString(event.tensor_proto.string_val[0])
        charts = {
            chart.title: chart.margin.series for chart in layout.category[0].chart
        }
        assert set(charts) == {"validation_accuracy", "train_loss"}
        for title, (series,) in charts.items():
            tags = (series.value, series.lower, series.upper)
            assert tags == (f"{title}/mean", f"{title}/low", f"{title}/high")
            assert set(tags) <= set(reader.Tags()["scalars"])


def hparams_data(logdir, run):
    return read(logdir, run).summary_metadata


def plugin_content(logdir, run, tag):
    return hparams_data(logdir, run)[tag].plugin_data.content


@pytest.mark.parametrize("arm", ARMS)
def test_each_seed_is_a_session_of_its_arm(logdir, arm):
    for seed in SEEDS[:2]:
        content = plugin_content(
            logdir, f"{arm}/seed-{seed}", metadata.SESSION_START_INFO_TAG
        )
        start = metadata.parse_session_start_info_plugin_data(content)
        assert start.group_name == f"{arm} · {logdir.parent.name}"
        assert start.hparams["activation"].string_value == arm
        assert start.hparams["seed"].number_value == seed
        assert start.hparams["learning_rate"].number_value == 1e-3
        assert start.hparams["batch_size"].number_value == 32
        assert start.hparams["epochs"].number_value == EPOCHS
        assert start.hparams["task"].string_value == "moons"


def test_every_session_lists_every_key_and_metric(logdir):
    keys = "task model optimizer batch_size epochs activation learning_rate seed"
    for arm in ARMS:
        for seed in SEEDS[:2]:
            content = plugin_content(
                logdir, f"{arm}/seed-{seed}", metadata.EXPERIMENT_TAG
            )
            experiment = metadata.parse_experiment_plugin_data(content)
            assert {info.name for info in experiment.hparam_infos} == set(keys.split())
            metrics = {info.name.tag for info in experiment.metric_infos}
            assert metrics == {"hparam/test_accuracy", "hparam/best_epoch"}


def test_final_scores_are_written_once_and_apart_from_the_curves(logdir):
    for seed, score in zip(SEEDS[:2], np.linspace(0.5, 0.8, 4), strict=False):
        written = scalars(logdir, f"relu/seed-{seed}", "hparam/test_accuracy")
        assert written == {EPOCHS: pytest.approx(score)}


def test_config_and_verdict_are_texts_and_figures_are_the_png_files(tmp_path, curves):
    # The smallest PNG header that says 3 by 2 pixels; nothing else of it is read.
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x06\0\0\0rest"
    path = tmp_path / "figure.png"
    path.write_bytes(png)
    play(tmp_path / "logs", curves, figures={"differences": str(path)})
    reader = read(tmp_path / "logs", "report")
    (image,) = reader.Images("differences")
    assert (image.width, image.height) == (3, 2)
    assert image.encoded_image_string == png
    texts = {
        tag: reader.Tensors(f"{tag}/text_summary")[0]
        .tensor_proto.string_val[0]
        .decode()
        for tag in ("config", "verdict")
    }
    assert '"noise": 0.2' in texts["config"]
    for sentence in sentences.findings(SUMMARY):
        assert sentence in texts["verdict"]
    assert texts["verdict"].endswith("**Warning:** the margin was changed afterwards")


def test_a_mean_waits_for_the_last_block(tmp_path, curves):
    with tensorboard_observer(tmp_path, seeds=1, attempt="a") as observe:
        observe(started())
        first_block, others = [], []
        for event in rounds("relu", curves["relu"]):
            (first_block if event.seeds == SEEDS[:2] else others).append(event)
        for event in first_block:
            observe(event)
        assert run_names(tmp_path) == ["relu/seed-5", "report"]
        observe(others[0])
    assert list(scalars(tmp_path, "relu", "validation_accuracy/mean")) == [0, 1]
    assert len(scalars(tmp_path, "relu/seed-5", "validation_accuracy")) == EPOCHS + 1


def test_diverged_lanes_are_counted_and_left_out_of_the_mean(tmp_path, caplog):
    table = curve_tables("relu")
    for values in table.values():
        values[1, 2:] = np.nan
        values[3, 4:] = np.inf
    play(tmp_path, {"relu": table}, run=started(arms=("relu",)))
    assert list(scalars(tmp_path, "relu", "diverged").values()) == [0, 0, 1, 1, 2]
    means = scalars(tmp_path, "relu", "train_loss/mean")
    np.testing.assert_allclose(means[2], table["train_loss"][[0, 2, 3], 2].mean())
    np.testing.assert_allclose(means[4], table["train_loss"][[0, 2], 4].mean())
    # The writer warns of values that are not finite, through logging.
    assert not caplog.records
    assert list(scalars(tmp_path, "relu/seed-6", "train_loss")) == [1]


def test_an_epoch_with_one_lane_left_has_no_part_of_a_band(tmp_path):
    """TensorBoard draws no margin chart whose three tags differ in their steps."""
    table = curve_tables("relu")
    for values in table.values():
        values[1:, 3:] = np.nan
    play(tmp_path, {"relu": table}, run=started(arms=("relu",)))
    for tag in ("mean", "low", "high"):
        written = scalars(tmp_path, "relu", f"validation_accuracy/{tag}")
        assert list(written) == [0, 1, 2]


def test_one_seed_has_a_mean_and_no_band(tmp_path):
    table = curve_tables("relu", seeds=(5,))
    play(tmp_path, {"relu": table}, run=started(arms=("relu",), seeds=(5,)))
    tags = read(tmp_path, "relu").Tags()
    assert set(tags["scalars"]) == {
        "diverged",
        "validation_accuracy/mean",
        "train_loss/mean",
    }
    assert tags["tensors"] == []


def test_a_second_attempt_replaces_what_it_trains_again(tmp_path):
    """Both attempts fall into one second: equal file names would lose the first."""
    old, new = curve_tables("relu"), curve_tables("relu", shift=1.0)
    with tensorboard_observer(tmp_path, seeds=1, attempt="first") as observe:
        observe(started(arms=("relu",)))
        for event in rounds("relu", old, until=3):
            observe(event)
    with tensorboard_observer(tmp_path, seeds=1, attempt="second") as observe:
        observe(started(arms=("relu",)))
        for event in rounds("relu", new, first=2):
            observe(event)
    for run, tag, rows in (
        ("relu", "validation_accuracy/mean", slice(None)),
        ("relu/seed-5", "validation_accuracy", slice(0, 1)),
    ):
        events = read(tmp_path, run).Scalars(tag)
        before = old["validation_accuracy"][rows].mean(axis=0)[:2]
        after = new["validation_accuracy"][rows].mean(axis=0)[2:]
        assert [event.step for event in events] == [0, 1, 2, 3, 4]
        values = [event.value for event in events]
        np.testing.assert_allclose(values, [*before, *after], rtol=1e-6)


def test_a_resumed_run_keeps_the_curves_of_a_finished_arm(tmp_path, curves):
    play(tmp_path, curves, attempt="first")
    with tensorboard_observer(tmp_path, seeds=1, attempt="second") as observe:
        observe(started())
        observe(finished("relu"))
    written = scalars(tmp_path, "relu/seed-5", "validation_accuracy")
    assert list(written) == list(range(EPOCHS + 1))


def test_an_arm_called_report_does_not_overwrite_the_report(tmp_path):
    arms = ("report", "relu")
    tables = {arm: curve_tables(arm) for arm in arms}
    play(tmp_path, tables, run=started(arms=arms))
    tags = read(tmp_path, "report").Tags()
    assert "validation_accuracy/mean" in tags["scalars"]
    assert "config/text_summary" in tags["tensors"]


def interrupted(logdir, curves):
    with tensorboard_observer(logdir, seeds=1, attempt="a") as observe:
        observe(started())
        for event in rounds("relu", curves["relu"]):
            observe(event)
        raise KeyboardInterrupt


def test_everything_written_before_an_interrupt_is_on_disk(tmp_path, curves):
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path, curves)
    assert len(scalars(tmp_path, "relu", "validation_accuracy/high")) == EPOCHS + 1


def test_scalars_can_be_read_while_it_trains(tmp_path, curves):
    with tensorboard_observer(tmp_path, seeds=0, attempt="a") as observe:
        observe(started())
        for event in rounds("relu", curves["relu"]):
            observe(event)
        assert "diverged" in read(tmp_path, "relu").Tags()["scalars"]


def test_no_file_stays_open(tmp_path, curves):
    before = (
        set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    )
    if before is None:
        pytest.skip("needs /proc to count open files")
    play(tmp_path, curves)
    opened = [
        os.readlink(f"/proc/self/fd/{number}")
        for number in os.listdir("/proc/self/fd")
        if os.path.lexists(f"/proc/self/fd/{number}")
    ]
    assert not [name for name in opened if "tfevents" in name]


@pytest.mark.parametrize(
    ("limit", "wanted", "arms", "shown"),
    [(1024, 8, 2, 8), (1024, 1000, 2, 254), (256, 64, 4, 30), (12, 8, 4, 0)],
)
def test_seed_runs_leave_half_of_the_descriptors(
    monkeypatch, caplog, limit, wanted, arms, shown
):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert seed_runs(wanted, arms) == shown
    writers = arms * (1 + shown) + 1
    assert shown == 0 or writers <= limit / 2
    assert bool(caplog.records) == (shown < wanted)


def test_no_limit_of_descriptors_shows_all(monkeypatch):
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(tensorboard.resource, "getrlimit", lambda _: unlimited)
    assert seed_runs(1000, 9) == 1000


def post(port, path, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/data/plugin/hparams/{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


def session_groups(port, until):
    """Asks until TensorBoard has loaded all runs, or the time is over."""
    metric = {"group": "", "tag": "hparam/test_accuracy"}
    body = {
        "experimentName": "",
        "allowedStatuses": ["STATUS_SUCCESS"],
        "colParams": [{"metric": metric}],
        "aggregationType": "AGGREGATION_AVG",
        "startIndex": 0,
        "sliceSize": 100,
    }
    groups = []
    while time.monotonic() < until:
        try:
            groups = post(port, "session_groups", body)["sessionGroups"]
        except (urllib.error.URLError, KeyError):
            groups = []
        sessions = [session for group in groups for session in group["sessions"]]
        if len(sessions) == 4 and all(s.get("metricValues") for s in sessions):
            return groups
        time.sleep(0.25)
    raise AssertionError(f"TensorBoard did not load four sessions in time: {groups}")


def test_the_hparams_tab_groups_and_averages_the_seeds_of_an_arm(logdir: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir)]
    options = ["--host", "127.0.0.1", "--port", str(port), "--load_fast", "false"]
    server = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        groups = session_groups(port, until=time.monotonic() + 60)
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    run = logdir.parent.name
    assert {group["name"] for group in groups} == {f"{arm} · {run}" for arm in ARMS}
    for group in groups:
        arm = group["name"].partition(" · ")[0]
        names = {session["name"] for session in group["sessions"]}
        assert names == {f"{arm}/seed-{seed}" for seed in SEEDS[:2]}
        means = {
            value["name"]["tag"]: value["value"] for value in group["metricValues"]
        }
        assert means["hparam/test_accuracy"] == pytest.approx(0.55)
