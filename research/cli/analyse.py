"""The commands that judge what was trained before. The heavy imports stand inside."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from research.cli.analysis import Analysis
from research.cli.workdir import prepare_analysis
from research.errors import ConfigError
from research.settings import near, shown

MODES = {"scores": "analyse", "suite": "suite", "table": "check_table"}


def analyse(analysis: Analysis, workdir: Path | None, command: str) -> None:
    """Judges scores, a suite of runs or a published table; writes and shows what it found.

    Raises:
      ConfigError: a folder that cannot be used, or a reference that is not there.
      DataError: a source that cannot be judged.
    """
    began = time.perf_counter()
    judge = {"scores": _scores, "suite": _suite, "table": _table}[analysis.kind]
    from research.records.analysis_manifest import analysis_manifest
    from research.records.folder import RunFolder, write_json

    summary, rows = judge(analysis)
    sources = analysis.sources
    if analysis.kind == "suite":
        sources = tuple(source / "results/summary.json" for source in sources)
    manifest = analysis_manifest(command=command, sources=sources)
    folder = RunFolder(prepare_analysis(workdir, analysis.stem, MODES[analysis.kind]))
    write_json(folder.manifest, manifest)
    if rows is not None:
        rows(folder.per_seed)
    summary["total_seconds"] = time.perf_counter() - began
    write_json(folder.summary, summary)
    from research.cli.terminal import Terminal
    from research.reporting.console import print_verdict
    from research.reporting.report import write_report

    write_report(folder.root)
    print_verdict(summary, Terminal(), workdir=folder.root)


# What is judged: its summary, and what writes its scores one by one, where it has them.
_Judged = tuple[dict[str, Any], Callable[[Path], None] | None]


def _scores(analysis: Analysis) -> _Judged:
    from research.records.folder import write_table
    from research.records.score_file import check_pairs, read_scores
    from research.statistics import Runs, summarise_scores

    (path,) = analysis.sources
    read = read_scores(path)
    reference = _reference(analysis, list(read))
    check_pairs(path, read, reference)
    assert analysis.confidence is not None
    summary = summarise_scores(
        {arm: Runs(each.scores, each.seeds) for arm, each in read.items()},
        title=path.name,
        reference=reference,
        higher_is_better=analysis.higher_is_better,
        margin=analysis.margin,
        confidence=analysis.confidence,
    )

    def rows() -> Iterator[list]:
        for arm, each in read.items():
            seeds = each.seeds or [""] * len(each.scores)
            for seed, score in zip(seeds, each.scores.tolist(), strict=True):
                yield [arm, seed, score]

    header = ["arm", "seed", "score"]
    return summary, lambda target: write_table(target, header, rows())


def _suite(analysis: Analysis) -> _Judged:
    from research.records.finished_run import check_arms, differences, read_run
    from research.statistics import Task, summarise_suite

    runs = [read_run(root) for root in analysis.sources]
    check_arms(runs)
    first = runs[0].summary
    names = {arm: told["name"] for arm, told in first["arms"].items()}
    reference = _reference(analysis, list(names)) if analysis.reference else None
    summary = summarise_suite(
        [
            Task(
                name=name,
                folder=str(run.folder),
                metric=run.summary["primary_metric"],
                higher_is_better=run.summary["higher_is_better"],
                scores=run.scores,
            )
            for name, run in zip(_task_names(runs), runs, strict=True)
        ],
        reference=reference or first["reference"],
        confidence=analysis.confidence or first["confidence"],
        names=names,
        warnings=tuple(differences(runs)),
    )
    return summary, None


def _task_names(runs: list[Any]) -> list[str]:
    """Names runs by their tasks, and by their folders where tasks share a name."""
    tasks = [run.summary["task"] for run in runs]
    return [
        f"{task} ({run.folder.name})" if tasks.count(task) > 1 else task
        for task, run in zip(tasks, runs, strict=True)
    ]


def _table(analysis: Analysis) -> _Judged:
    from research.records.published_table import read_table
    from research.statistics import Moments, Row, summarise_table

    (path,) = analysis.sources
    read = read_table(path)
    assert analysis.confidence is not None
    summary = summarise_table(
        [Row(row.name, Moments(row.mean, row.std, row.n)) for row in read],
        title=path.name,
        reference=_reference(analysis, [row.name for row in read]),
        higher_is_better=analysis.higher_is_better,
        confidence=analysis.confidence,
    )
    return summary, None


def _reference(analysis: Analysis, names: list[str]) -> str:
    reference = analysis.reference
    if reference is None:
        return names[0]
    if reference not in names:
        listed = ", ".join(shown(name)[1:-1] for name in names[:12])
        raise ConfigError(
            f"--reference={shown(reference)}: must be one of {listed}"
            f"{near(reference, names)}"
        )
    return reference
