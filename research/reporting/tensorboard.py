"""TensorBoard, written live: one run an arm, and one for each of its first seeds.

```
<logdir>/report          the config, the verdict, the figures
<logdir>/<arm>           mean and band of every curve over seeds, diverged lanes
<logdir>/<arm>/seed-<id> the curves of one seed, its hyperparameters and final scores
```
"""

import contextlib
import logging
import resource
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int
from tensorboardX.summary import text

from research.records.events import (
    ArmFinished,
    ArmStarted,
    Event,
    Observer,
    RoundFinished,
    RunFinished,
    RunStarted,
)
from research.reporting.event_file import EventFile
from research.reporting.event_summaries import (
    band_tags,
    config_markdown,
    hparams_summaries,
    margin_layout,
    png_summary,
    scalars_summary,
    verdict_markdown,
)
from research.reporting.seed_curves import SeedCurves, chosen, empty_curves, mean_band

# Columns of per_seed.csv that say what a lane was, not how well it did.
_NOT_METRICS = ("seed", "learning_rate", "steps")


@contextlib.contextmanager
def tensorboard_observer(
    logdir: Path, *, seeds: int, attempt: str
) -> Iterator[Observer]:
    """Yields an observer that writes event files under logdir, each event at once.

    seeds: how many seeds of each arm get a run of their own, fewer where the process
        may not open as many files.
    attempt: a name that no other process writing to this logdir has had.
    Epochs are steps. An arm's mean needs all its seeds: after resuming, the rounds
    that are not trained again must be told again.
    """
    with contextlib.ExitStack() as stack:
        yield _Board(logdir, seeds=seeds, attempt=attempt, stack=stack)


def seed_runs(wanted: int, arms: int) -> int:
    """How many seeds an arm may show with half of the process's file descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    allowed = max(0, min(wanted, (soft // 2 - 1) // arms - 1))
    if allowed < wanted:
        message = "TensorBoard shows %d seeds an arm, not %d: %d files may be open"
        logging.getLogger(__name__).warning(message, allowed, wanted, soft)
    return allowed


class _Board:
    """The observer: what it was told at the start, the writers, the curves so far."""

    def __init__(
        self, logdir: Path, *, seeds: int, attempt: str, stack: contextlib.ExitStack
    ):
        self._logdir = logdir
        self._wanted = seeds
        self._attempt = attempt
        self._stack = stack
        self._writers: dict[str, EventFile] = {}
        self._curves: dict[str, SeedCurves] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._start(event)
            case ArmStarted():
                pass
            case RoundFinished():
                self._write_seeds(event)
                self._write_mean(event)
            case ArmFinished():
                self._write_late_mean(event)
                self._write_scores(event)
            case RunFinished():
                self._write_report(event)
        for writer in (self._report, *self._writers.values()):
            writer.flush()

    def _start(self, event: RunStarted) -> None:
        self._run = event
        count = seed_runs(self._wanted, len(event.arms))
        self._shown = {arm: event.seeds_of(arm)[:count] for arm in event.arms}
        self._curves = {
            arm: empty_curves(event.seeds_of(arm), event.epochs) for arm in event.arms
        }
        self._report = self._open("report", "report")
        self._report.add(text("config", config_markdown(event.config)))

    def _open(self, name: str, suffix: str, first_step: int | None = None) -> EventFile:
        """Opens a file of a run. Its name tells the time in whole seconds only: the
        suffix keeps two attempts, or an arm called report, out of one file."""
        suffix = f".{self._attempt}.{suffix}"
        file = EventFile(self._logdir / name, suffix=suffix, first_step=first_step)
        self._stack.callback(file.close)
        return file

    def _writer(self, name: str, first_epoch: int) -> EventFile:
        """The one writer of a run; what an earlier attempt wrote from first_epoch on
        is hidden."""
        if name not in self._writers:
            self._writers[name] = self._open(name, "curves", first_epoch)
        return self._writers[name]

    def _write_seeds(self, event: RoundFinished) -> None:
        for lane, seed in enumerate(event.seeds):
            if seed not in self._shown[event.arm]:
                continue
            writer = self._writer(_seed_run(event.arm, seed), event.first_epoch)
            columns = zip(
                *(c[lane].tolist() for c in event.curves.values()), strict=True
            )
            for epoch, column in enumerate(columns, event.first_epoch):
                values = dict(zip(event.curves, column, strict=True))
                writer.add(scalars_summary(values), epoch)

    def _write_mean(self, event: RoundFinished) -> None:
        curves = self._curves[event.arm]
        epochs = curves.add(event.seeds, event.first_epoch, event.curves)
        if epochs.size:
            self._write_band(event.arm, curves, epochs)

    def _write_late_mean(self, event: ArmFinished) -> None:
        """Writes the mean of an arm that was stopped before all its seeds were needed."""
        curves = self._curves[event.arm]
        if event.arm not in self._writers and curves.values:
            used = chosen(curves, event.seeds)
            self._write_band(event.arm, used, np.arange(self._run.epochs + 1))

    def _write_band(
        self, arm: str, curves: SeedCurves, epochs: Int[np.ndarray, "columns"]
    ) -> None:
        new = arm not in self._writers
        writer = self._writer(arm, int(epochs[0]))
        if new and len(curves.places) > 1:
            writer.add(margin_layout(curves.values))
        for epoch, values in zip(epochs, _mean_rows(curves, epochs), strict=True):
            writer.add(scalars_summary(values), int(epoch))

    def _write_scores(self, event: ArmFinished) -> None:
        scores = {
            name: column
            for name, column in event.scores.items()
            if column.dtype.kind in "biuf" and name not in _NOT_METRICS
        }
        # Named apart from the curves: a metric that is also a curve of the run would
        # be read from the curve.
        tags = {f"hparam/{name}": column for name, column in scores.items()}
        fields = _hyperparameters(self._run)
        # Runs that are looked at together keep their arms apart.
        group = f"{event.arm} · {self._logdir.resolve().parent.name}"
        shown = [seed for seed in self._shown[event.arm] if seed in event.seeds]
        for seed in shown:
            lane = event.seeds.index(seed)
            writer = self._writer(_seed_run(event.arm, seed), self._run.epochs + 1)
            values = {
                **fields,
                "activation": event.arm,
                "learning_rate": event.learning_rate,
                "seed": seed,
            }
            for summary in hparams_summaries(values, metrics=tags, group=group):
                writer.add(summary, self._run.epochs)
            finals = {tag: float(column[lane]) for tag, column in tags.items()}
            writer.add(scalars_summary(finals), self._run.epochs)

    def _write_report(self, event: RunFinished) -> None:
        self._report.add(text("verdict", verdict_markdown(event.summary)))
        for name, path in event.figures.items():
            self._report.add(png_summary(name, Path(path)))


def _seed_run(arm: str, seed: int) -> str:
    return f"{arm}/seed-{seed}"


def _hyperparameters(run: RunStarted) -> dict[str, Any]:
    config: Mapping[str, Any] = run.config
    return {
        "task": config["task"]["name"],
        "model": config["model"]["name"],
        "optimizer": config["optimizer"]["name"],
        "batch_size": config["batch_size"],
        "epochs": run.epochs,
    }


def _mean_rows(
    curves: SeedCurves, epochs: Int[np.ndarray, "columns"]
) -> list[dict[str, float]]:
    """Scalars of each epoch: mean, low and high together, or the one lane's value."""
    rows = [{"diverged": float(count)} for count in curves.diverged(epochs)]
    for name, table in curves.values.items():
        band = mean_band(table[:, epochs])
        tags = band_tags(name)
        values = np.stack([band.mean, band.low, band.high], axis=1)
        for row, value in zip(rows, values.tolist(), strict=True):
            if len(curves.places) == 1 or np.isfinite(value).all():
                row.update(zip(tags, value, strict=True))
    return rows
