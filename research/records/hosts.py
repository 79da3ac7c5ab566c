"""The processes that train one run together, on one host or on many.

Lanes feel nothing of each other, so that the processes need no word between them but
these files, in a folder that all of them share:

```
.hosts/attempt.json  by process 0: who belongs to this attempt, and how it ended
.hosts/<n>.json      by process n: its token, a beat while it lives, where it has arrived
```

They are written over in place and not renamed: a network file system asks anew for a
file that is opened, but may know a name's old file for a minute.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from research.errors import Stopped

NAME = ".hosts"
# Seconds between two beats; of silence after which a process counts as gone; that a
# process which is told to stop has for it; that all have to come together.
BEAT, SILENCE, GRACE, COMING = 1.0, 30.0, 15.0, 300.0
# The least that a process which has arrived waits for the others.
PATIENCE = 600.0
# The coordinator of processes that JAX finds itself.
AUTO = "auto"
KEPT = (
    "blocks of seeds that were finished are kept; to go on, run the same commands again"
)
MENDED = "it printed why; mend that, and run the commands again"


@dataclass(frozen=True, kw_only=True)
class Joining:
    """How a process finds the others: `host:port` of process 0, and the numbers by hand.

    coordinator: `auto` where JAX finds it and the numbers.
    """

    coordinator: str
    process_id: int | None = None
    process_count: int | None = None


class Hosts:
    """This process among those of a run. Process 0 leads: it judges and reports.

    stop: asks this process to stop, from another thread.
    """

    def __init__(
        self,
        root: Path,
        *,
        index: int,
        count: int,
        stop: Callable[[], None] = lambda: os.kill(os.getpid(), signal.SIGTERM),
    ):
        self.index, self.count, self._stop = index, count, stop
        self.lost: str | None = None
        self._folder = root / NAME
        self._told: dict[str, Any] = {"token": uuid.uuid4().hex, "attempt": None}
        self._told |= {"beat": 0, "arrived": []}
        self._writing, self._left = threading.Lock(), threading.Event()
        self._gathered = self._done = False
        self._began = time.monotonic()

    @property
    def leads(self) -> bool:
        """Whether this is the process that owns the run folder."""
        return self.index == 0

    def part(self, seeds: Sequence[int], *, stride: int) -> Sequence[int]:
        """Returns this process's seeds: a run of whole strides, where that can be."""
        strides = -(-len(seeds) // stride)
        first, last = (
            strides * place // self.count * stride
            for place in (self.index, self.index + 1)
        )
        return seeds[first:last]

    def gather(self) -> None:
        """Waits until all processes are there, and is known to them from then on.

        Raises:
          Stopped: some have not come in time; they are named.
        """
        if self.count == 1:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        if self.leads:
            for left in self._folder.glob("*.json"):
                left.unlink(missing_ok=True)
        threading.Thread(target=self._live, daemon=True).start()
        where = f" to {self._folder}, which all must share"
        with self._until(COMING, self._not_come, where) as missing:
            while missing():
                time.sleep(BEAT / 5)
        attempt = self._attempt()
        if self.leads:
            members = {n: self._read(n)["token"] for n in self._others()}
            attempt = {"attempt": self._told["token"], "members": members}
            self._write("attempt", attempt)
        self._told["attempt"] = attempt["attempt"]
        self._gathered = True

    def arrive(self, place: str) -> None:
        """Tells the others that this process has come to a place."""
        if self.count > 1:
            self._told["arrived"].append(place)
            self._beat()

    def wait(self, place: str) -> None:
        """Waits until all processes have come to a place.

        Raises:
          Stopped: some have not within ten minutes, or within the time that this
            process has taken so far; they are named.
        """
        if self.count == 1:
            return
        patience = max(PATIENCE, time.monotonic() - self._began)
        with self._until(patience, lambda: self._not_at(place)) as missing:
            while missing():
                time.sleep(BEAT / 5)

    def end(self, code: int) -> None:
        """Tells the others how the attempt ended, and leaves it."""
        self._left.set()
        if self.leads and self._gathered:
            self._write("attempt", {**self._attempt(), "ended": code})
        elif self._gathered and code:
            self._told["ended"] = code
            self._beat()

    def until_ended(self) -> int:
        """Waits until process 0 has ended the attempt; returns its exit code."""
        self._done = True
        while (code := self._attempt().get("ended")) is None:
            time.sleep(BEAT / 5)
        return code

    @contextlib.contextmanager
    def _until(
        self, seconds: float, absent: Callable[[], list[int]], where: str = ""
    ) -> Iterator[Callable[[], list[int]]]:
        """Yields what tells who is absent, and raises Stopped when time is over."""
        until = time.monotonic() + seconds

        def missing() -> list[int]:
            found = absent()
            if found and time.monotonic() > until:
                raise Stopped(
                    f"{names(found, self.count)} did not come{where} within "
                    f"{seconds:.0f} s; {KEPT}"
                )
            return found

        yield missing

    def _not_come(self) -> list[int]:
        """Returns who lacks: processes of no attempt yet, or process 0 with this one."""
        if self.leads:
            # One that says another attempt is left from that.
            new = (n for n in self._others() if self._read(n).get("attempt", 0) is None)
            return sorted(set(self._others()) - set(new))
        members = self._attempt().get("members", {})
        return [] if members.get(str(self.index)) == self._told["token"] else [0]

    def _not_at(self, place: str) -> list[int]:
        return [
            n for n in self._others() if place not in self._read(n).get("arrived", ())
        ]

    def _others(self) -> list[int]:
        return [n for n in range(self.count) if n != self.index]

    def _live(self) -> None:
        """Beats, and listens to process 0's beat, which listens to everybody's."""
        heard: dict[int, tuple[Any, float]] = {}
        while not self._left.wait(BEAT):
            self._beat()
            if not self._gathered:
                continue
            for n in self._others() if self.leads else [0]:
                told, now = self._read(n), time.monotonic()
                if code := told.get("ended"):
                    name = names([n], self.count)
                    advice = KEPT if code == Stopped.exit_code else MENDED
                    self._lose(f"{name} has ended with exit code {code}", advice)
                beat = told.get("beat")
                before, since = heard.get(n, (None, now))
                heard[n] = (before, since) if beat in (None, before) else (beat, now)
                if now - heard[n][1] > SILENCE:
                    name = names([n], self.count)
                    self._lose(f"{name} gave no sign of life for {SILENCE:.0f} s")
            attempt = self._attempt()
            if attempt and attempt["attempt"] != self._told["attempt"]:
                self._lose("process 0 has begun another attempt")
            elif not self.leads and not self._done and "ended" in attempt:
                self._lose("process 0 has ended")

    def _lose(self, reason: str, advice: str = KEPT) -> None:
        """Stops this process, which saves nothing more of the lanes under way."""
        if self._left.is_set():
            return
        self.lost = f"{reason}; {advice}"
        self._stop()
        if not self._left.wait(GRACE):
            print("launch.py:", self.lost, file=sys.stderr, flush=True)
            os._exit(Stopped.exit_code)

    def _beat(self) -> None:
        with self._writing:
            self._told["beat"] += 1
            self._write(str(self.index), self._told)

    def _attempt(self) -> dict[str, Any]:
        return self._read("attempt")

    def _write(self, name: str, content: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            (self._folder / f"{name}.json").write_text(json.dumps(content))

    def _read(self, name: int | str) -> dict[str, Any]:
        """Returns what a process has written; nothing where it is being written."""
        try:
            return json.loads((self._folder / f"{name}.json").read_text())
        except (OSError, ValueError):
            return {}


def names(processes: Sequence[int], count: int) -> str:
    """Names processes of a run: `processes 1, 3 of 4`."""
    told = ", ".join(map(str, processes))
    return f"process{'es' * (len(processes) > 1)} {told} of {count}"


ALONE = Hosts(Path(), index=0, count=1)
