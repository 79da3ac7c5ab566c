"""What a suite of runs says, in words and tables: a pure function of summary.json."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.reporting import numbers
from research.reporting.arms import WRITTEN
from research.reporting.document import Document, Row, Section, Table


def suite_document(summary: Mapping[str, Any]) -> Document:
    """Returns the report of a suite."""
    level = f"{100 * summary['confidence']:g} %"
    counted = numbers.counted(len(summary["tasks"]), "task")
    reference = _name(summary, summary["reference"])
    tasks, findings = _tasks(summary), tuple(_findings(summary))
    sections = [Section(title="Tasks and arms", table=tasks, told=findings[1:])]
    if summary["against_reference"]:
        title = f"Ranks against {reference}"
        sections.append(Section(title=title, table=_ranks(summary)))
    if summary["iqm"]:
        title = "Interquartile means over tasks and seeds"
        sections.append(Section(title=title, table=_iqm(summary, level)))
    seconds = numbers.duration(summary["total_seconds"])
    return Document(
        title=f"{len(summary['arms'])} arms over {counted}",
        lede=findings[0],
        facts=f"{counted} · {len(summary['arms'])} arms · reference {reference} · "
        f"confidence {level}",
        shown=tasks,
        findings=findings,
        sections=tuple(sections),
        method=tuple(_method(summary, level)),
        settings=tuple(
            (task["name"], f"{task['folder']}, {task['seeds']} seeds")
            for task in summary["tasks"]
        ),
        cost=f"{counted} judged in {seconds}; nothing trained",
        captions={
            "suite": (
                "Ranks, and scores over all tasks",
                "Left: each small dot is an arm's rank on one task, the diamond its "
                "average; 1 is best. Right, where the tasks share a metric: the "
                f"interquartile mean over tasks and seeds with its {level} interval.",
            )
        },
    )


def _name(summary: Mapping[str, Any], arm: str) -> str:
    name: str = summary["arms"][arm]["name"]
    return WRITTEN.get(name, name)


def _tasks(summary: Mapping[str, Any]) -> Table:
    """The table tasks x arms: means with their ranks, and the average ranks beneath."""
    arms = summary["arms"]
    header = ("task", "metric", *(_name(summary, arm) for arm in arms))
    rows = [_task(task, list(arms)) for task in summary["tasks"]]
    averages = (f"{summary['average_ranks'][arm]:.2f}" for arm in arms)
    return Table(header, (*rows, ("average rank", "", *averages)))


def _task(task: Mapping[str, Any], arms: list[str]) -> Row:
    percent = numbers.is_percent(task["metric"])
    gaps = [abs(task["means"][a] - task["means"][b]) for a in arms for b in arms]
    scale = numbers.make_scale(percent, [gap for gap in gaps if gap], ())
    better = "higher" if task["higher_is_better"] else "lower"
    cells = (
        f"{numbers.value(task['means'][arm], scale)} ({task['ranks'][arm]:g})"
        for arm in arms
    )
    return (task["name"], f"{numbers.words(task['metric'])}, {better}", *cells)


def _findings(summary: Mapping[str, Any]) -> Iterator[str]:
    friedman, count = summary["friedman"], len(summary["tasks"])
    if friedman is None:
        yield (
            f"{numbers.counted(count, 'task')} cannot tell whether ranks differ beyond "
            "these tasks: that takes 3 or more."
        )
    else:
        yield _friedman(summary, friedman, count)
        for told in summary["against_reference"]:
            yield _against(summary, told)
    for told in summary["iqm"] or ():
        if told["difference"] is not None:
            yield _difference(summary, told)


def _friedman(
    summary: Mapping[str, Any], friedman: Mapping[str, Any], count: int
) -> str:
    p, level = friedman["p_permutation"], round(1 - summary["confidence"], 12)
    shown = (
        "the arms do not all rank alike"
        if p <= level
        else "no difference between the arms' ranks is shown"
    )
    df = friedman["f_degrees"]
    davenport = (
        f"Iman-Davenport F({df[0]}, {df[1]}) = {friedman['f_statistic']:.2f}, "
        f"{numbers.p_phrase(friedman['f_p_value'])}"
        if friedman["f_statistic"] is not None
        else "all tasks rank the arms alike, and Iman-Davenport's F is infinite"
    )
    return (
        f"Over {count} tasks {shown}: {numbers.p_phrase(p)} by permuting ranks within "
        f"tasks (Friedman χ²({df[0]}) = {friedman['statistic']:.2f}, "
        f"{numbers.p_phrase(friedman['p_value'])}; {davenport})."
    )


def _against(summary: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    arm, reference = _name(summary, told["arm"]), _name(summary, summary["reference"])
    level = round(1 - summary["confidence"], 12)
    difference = told["rank_difference"]
    shown = "shown" if told["p_adjusted"] <= level else "not shown"
    if not difference:
        return f"{arm} and {reference} have the same average rank."
    word = "better" if difference < 0 else "worse"
    return (
        f"{arm} ranks {abs(difference):.2f} {word} than {reference} on average: {shown} "
        f"to differ ({numbers.p_phrase(told['p_adjusted'])} by Holm)."
    )


def _difference(summary: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    arm, reference = _name(summary, told["arm"]), _name(summary, summary["reference"])
    scale = _iqm_scale(summary)
    low, high = told["difference_low"], told["difference_high"]
    zero = "leaves 0 out" if low > 0 or high < 0 else "includes 0"
    return (
        f"Interquartile mean of {numbers.words(summary['primary_metric'])}: {arm} "
        f"{numbers.difference(told['difference'], scale)} against {reference} "
        f"{numbers.interval(low, high, scale)}, which {zero}; this speaks of more seeds "
        "on these tasks, not of other tasks."
    )


def _ranks(summary: Mapping[str, Any]) -> Table:
    rows = [
        (
            _name(summary, told["arm"]),
            f"{summary['average_ranks'][told['arm']]:.2f}",
            numbers.fixed(told["rank_difference"], 2, signed=True),
            numbers.fixed(told["z"], 2, signed=True),
            numbers.p_value(told["p_value"]),
            numbers.p_value(told["p_adjusted"]),
        )
        for told in summary["against_reference"]
    ]
    header = ("arm", "average rank", "against the reference", "z", "p", "p (Holm)")
    return Table(header, tuple(rows))


def _iqm_scale(summary: Mapping[str, Any]) -> numbers.Scale:
    halves = [
        (told["difference_high"] - told["difference_low"]) / 2
        for told in summary["iqm"]
        if told["difference"] is not None
    ]
    widths = [(told["ci_high"] - told["ci_low"]) / 2 for told in summary["iqm"]]
    percent = numbers.is_percent(summary["primary_metric"])
    return numbers.make_scale(percent, widths, halves)


def _iqm(summary: Mapping[str, Any], level: str) -> Table:
    scale = _iqm_scale(summary)
    rows = []
    for told in summary["iqm"]:
        ends = (numbers.bare_value(told[key], scale) for key in ("ci_low", "ci_high"))
        low, high = told["difference_low"], told["difference_high"]
        rows.append(
            (
                _name(summary, told["arm"]),
                numbers.value(told["iqm"], scale),
                f"[{', '.join(ends)}]",
                numbers.difference(told["difference"], scale),
                numbers.interval(low, high, scale),
            )
        )
    interval = f"{level} interval"
    header = ("arm", "interquartile mean", interval, "against the reference", interval)
    return Table(header, tuple(rows))


def _method(summary: Mapping[str, Any], level: str) -> Iterator[tuple[str, str]]:
    yield (
        "Ranks",
        "The unit is the task. On each, arms are ranked by their mean over seeds, 1 the "
        "best, ties sharing their mean rank. Friedman's test asks whether any arm ranks "
        "differently; Iman and Davenport's F is its less conservative form. Both are "
        "limits for many tasks; the p by permuting ranks within tasks holds for any "
        "number (Friedman 1937, JASA 32:675; Iman and Davenport 1980, Communications in "
        "Statistics A9:571; Demšar 2006, JMLR 7:1).",
    )
    yield (
        "Against the reference",
        "z = difference of average ranks / √(k(k+1)/6N) for k arms and N tasks, adjusted "
        "by Holm's step-down method (Demšar 2006; Holm 1979).",
    )
    if summary["iqm"]:
        yield (
            "Interquartile mean",
            "The mean of the middle half of all scores. Its interval comes from a "
            "stratified bootstrap: seeds are drawn with replacement within each task, "
            f"the same for every arm; {level} percentiles (Agarwal et al. 2021, arXiv "
            "2108.13264). Scores are taken as they are: the middle half holds few of "
            "the easiest and of the hardest task.",
        )
