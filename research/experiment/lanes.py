"""An experiment's lanes: those that a folder holds already, and those still to train."""

import dataclasses
import functools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from research.errors import DataError
from research.experiment.identity import lane_identity
from research.experiment.prepare import Experiment
from research.experiment.scores import lean
from research.experiment.underway import block_folder, blocks_underway, make_keeper
from research.records.checkpoint import remove_checkpoints
from research.records.events import ArmFinished, ArmStarted, Observer, RoundFinished
from research.records.folder import RunFolder
from research.records.hosts import ALONE, Hosts
from research.records.lane_files import lane_files, read_lanes, write_lanes
from research.records.ledger import record_opening
from research.stopping import Stopping
from research.training.keeper import NOBODY, Keeper
from research.training.lanes import (
    TrainedArm,
    choose,
    from_arrays,
    join,
    kept_shapes,
    to_arrays,
)
from research.training.plan import Plan
from research.training.population import Programs, compile_programs
from research.training.problem import Data, stream_ids
from research.training.run import train_arm

# The compiled programs by problem and lanes of a block; runs of one experiment share
# them.
Compiled = dict[tuple[int, int], tuple[Programs, Data]]
# Seconds after which a file that another host has written is seen here.
SEEN = 90.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """An experiment in its folder, with who watches it and what it has trained so far.

    hosts: the processes that share the seeds; each trains its part of every arm's.
    there: the files of lanes that were there at the start; None: all that are found.
    read: the files of lanes that are known already.
    trained: how many lanes each block had that was trained now, here or elsewhere.
    damaged: a sentence for each file of lanes that could not be read, or not written.
    stopping: told by the launcher of a signal; lanes are saved before it is raised.
    """

    experiment: Experiment
    folder: RunFolder
    observe: Observer
    hosts: Hosts = ALONE
    compiled: Compiled = field(default_factory=dict)
    there: frozenset[Path] | None = None
    read: set[Path] = field(default_factory=set)
    lanes: dict[str, list[TrainedArm]] = field(default_factory=dict)
    trained: list[int] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    stopping: Stopping = field(default_factory=Stopping)

    @functools.cached_property
    def identity(self) -> dict[str, str]:
        """Hashes of what its lanes are trained with, which each of their files holds."""
        return lane_identity(self.experiment)


def train(run: Run, arm: str, seeds: Sequence[int]) -> TrainedArm:
    """Returns an arm's lanes of these seeds; only those that are missing are trained.

    Of several processes each trains its part, and then waits for the others'.
    """
    train_part(run, arm, seeds)
    if run.hosts.count > 1:
        run.hosts.wait(_place(arm, seeds))
        _read_others(run, arm, seeds)
        # Lanes that were lost on the way are trained here, and what nobody needs goes.
        _train(run, arm, seeds)
        if run.hosts.leads:
            note = run.damaged.append
            blocks_underway(run.folder, arm, finished=set(seeds), note=note)
    run.lanes[arm] = [join(run.lanes[arm])]
    return choose(run.lanes[arm][0], seeds)


def train_part(run: Run, arm: str, seeds: Sequence[int]) -> None:
    """Trains what is missing of this process's part of the seeds."""
    plan = run.experiment.plan
    stride = plan.devices * plan.lanes_per_chunk
    _train(run, arm, run.hosts.part(seeds, stride=stride))
    run.hosts.arrive(_place(arm, seeds))


def _place(arm: str, seeds: Sequence[int]) -> str:
    return f"{arm} {len(seeds)}"


def _train(run: Run, arm: str, seeds: Sequence[int]) -> None:
    if arm not in run.lanes:
        run.lanes[arm] = list(_finished(run, arm))
    done = _done(run, arm)
    missing = [seed for seed in seeds if seed not in done]
    for part, plan in _parts(run, arm, missing, done):
        for block in _train_missing(run, arm, part, plan):
            path = write_lanes(run.folder, arm, to_arrays(block), of=run.identity)
            run.read.add(path)
            run.lanes[arm].append(_lean(run, block))
            run.trained.append(len(block.seeds))
            remove_checkpoints(block_folder(run.folder, arm, block.seeds.tolist()))


def _done(run: Run, arm: str) -> set[int]:
    return {int(seed) for block in run.lanes[arm] for seed in block.seeds}


def _read_others(run: Run, arm: str, seeds: Sequence[int]) -> None:
    """Reads what the other processes have trained, which may not be seen at once."""
    until = time.monotonic() + SEEN
    while True:
        found = list(_finished(run, arm))
        run.lanes[arm] += found
        if set(seeds) <= _done(run, arm) or time.monotonic() > until:
            return
        time.sleep(1)


def _lean(run: Run, block: TrainedArm) -> TrainedArm:
    last = run.experiment.config.selection == "last"
    return lean(run.experiment.task, block, last=last)


def finish(run: Run, arm: str, lanes: TrainedArm) -> None:
    """Tells the observers that an arm has all its lanes."""
    run.observe(
        ArmFinished(
            arm=arm,
            seeds=tuple(lanes.seeds.tolist()),
            scores=lanes.columns,
            learning_rate=run.experiment.learning_rate,
        )
    )


def _finished(run: Run, arm: str) -> Iterator[TrainedArm]:
    """Yields the lanes that the folder holds, and tells the observers their curves."""
    problem = run.experiment.problems[arm]
    known = _done(run, arm) if arm in run.lanes else set()
    files = [path for path in lane_files(run.folder, arm) if path not in run.read]
    run.read.update(files)
    if not files:
        return
    like = kept_shapes(problem, run.experiment.data)
    for path in files:
        try:
            block = from_arrays(
                read_lanes(path, of=run.identity),
                problem,
                like,
                epochs=run.experiment.config.epochs,
            )
        except (DataError, LookupError, TypeError, ValueError) as error:
            told = str(error) if isinstance(error, DataError) else f"{path}: is damaged"
            run.damaged.append(f"{told}; its lanes are trained again")
            path.unlink(missing_ok=True)
            continue
        seeds = tuple(block.seeds.tolist())
        if known & set(seeds):
            continue
        known |= set(seeds)
        if run.there is not None and path not in run.there:
            run.trained.append(len(seeds))
        frozen = int((~np.asarray(block.scored.alive)).sum())
        run.observe(
            RoundFinished(
                arm=arm,
                seeds=seeds,
                first_epoch=0,
                curves=block.curves,
                diverged=frozen,
                seconds=0.0,
            )
        )
        yield _lean(run, block)


def _parts(
    run: Run, arm: str, missing: Sequence[int], done: set[int]
) -> Iterator[tuple[Sequence[int], Plan]]:
    """Yields the seeds to train with their plans: first those that are under way.

    A block that is under way stays one, for its lanes are as far as each other.
    """
    left = list(missing)
    plan = run.experiment.plan
    found: Sequence[tuple[int, ...]] = ()
    if run.hosts.count == 1:
        found = blocks_underway(run.folder, arm, finished=done, note=run.damaged.append)
    for block in found:
        if set(block) <= set(left):
            left = [seed for seed in left if seed not in block]
            yield block, fitted_plan(plan, len(block), whole=True)
    if left:
        yield left, fitted_plan(plan, len(left))


def _train_missing(
    run: Run, arm: str, seeds: Sequence[int], plan: Plan
) -> Iterator[TrainedArm]:
    experiment = run.experiment
    config, (problem, data) = experiment.config, experiment.trained_as(arm)
    place = (id(problem), plan.lanes_per_block)
    if place in run.compiled:
        programs, laid = run.compiled[place]
        programs = dataclasses.replace(programs, compile_seconds=0.0)
    else:
        run.observe(ArmStarted(arm=arm))
        programs, laid = run.compiled[place] = compile_programs(problem, plan, data)

    ledger = run.folder.ledger_of(run.hosts.index)

    def before_scoring(block: Sequence[int]) -> None:
        rate = experiment.learning_rate
        record_opening(ledger, arm=arm, learning_rate=rate, seeds=block)

    yield from train_arm(
        problem,
        plan,
        (programs, laid._replace(chosen=data.chosen)),
        arm=arm,
        seeds=seeds,
        ids=stream_ids(seeds, vary=config.vary, background=config.background),
        learning_rate=experiment.learning_rate,
        epochs=config.epochs,
        observe=run.observe,
        before_scoring=before_scoring,
        keeper=_keeper(run, arm),
    )


def _keeper(run: Run, arm: str) -> Keeper:
    """Returns what keeps lanes on the way; several processes keep whole blocks alone.

    Orbax saves nothing in another process than 0.
    """
    if run.hosts.count > 1:
        return dataclasses.replace(NOBODY, held_back=run.stopping.held_back)
    return make_keeper(
        run.experiment,
        run.folder,
        arm,
        identity=run.identity,
        stopping=run.stopping,
        note=run.damaged.append,
    )


def fitted_plan(plan: Plan, lanes: int, *, whole: bool = False) -> Plan:
    """Returns the plan with a block no larger than these lanes need.

    The width of a chunk and the number of devices stay: they change rounding, and the
    size of a block does not.

    Args:
      whole: one block takes them all, as it has done before.
    """
    stride = plan.devices * plan.lanes_per_chunk
    needed = -(-lanes // stride) * stride
    block = needed if whole else min(plan.lanes_per_block, needed)
    return dataclasses.replace(plan, lanes_per_block=block)
