"""An event file of TensorBoard, written in the thread that tells it.

tensorboardX's own writer works in a thread: on a full disk that one dies with a
traceback of its own, and who writes on waits for it for ever.
"""

import socket
import struct
import time
from pathlib import Path

# protobuf makes these classes when the module is imported: pyright cannot see them.
from tensorboardX.proto.event_pb2 import Event, SessionLog  # pyright: ignore[reportAttributeAccessIssue]
from tensorboardX.proto.summary_pb2 import Summary  # pyright: ignore[reportAttributeAccessIssue]
from tensorboardX.record_writer import masked_crc32c

_VERSION = "brain.Event:2"
_PREFIX = "events.out.tfevents."


class EventFile:
    """A new event file in a folder; its faults are raised by the call that meets them.

    Args:
      suffix: of the file's name, which no other file of the folder has.
      first_step: hides what other files of the folder hold from this step on.
    """

    def __init__(self, folder: Path, *, suffix: str, first_step: int | None = None):
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{_PREFIX}{_stamp(folder)}.{socket.gethostname()}"
        self._file = (folder / f"{stem}{suffix}").open("xb")
        self._write(Event(wall_time=time.time(), file_version=_VERSION))
        if first_step is not None:
            start = SessionLog(status=SessionLog.START)
            self._write(Event(step=first_step, session_log=start))

    def add(self, summary: Summary, step: int = 0) -> None:
        """Adds a summary, in the file's buffer."""
        self._write(Event(wall_time=time.time(), step=step, summary=summary))

    def flush(self) -> None:
        """Hands the buffer to the system, from where others can read it."""
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _write(self, event: Event) -> None:
        """Writes a record: its length and itself, each with its checksum."""
        data = event.SerializeToString()
        length = struct.pack("<Q", len(data))
        for part in (length, data):
            self._file.write(part + struct.pack("<I", masked_crc32c(part)))


def _stamp(folder: Path) -> int:
    """Returns the seconds of a new file's name, above all that are there.

    TensorBoard reads a folder's files in the order of their names, also where the clock
    was set back in between.
    """
    names = (path.name.removeprefix(_PREFIX) for path in folder.glob(f"{_PREFIX}*"))
    stamps = [name.partition(".")[0] for name in names]
    known = [int(stamp) + 1 for stamp in stamps if stamp.isdecimal()]
    return max([int(time.time()), *known])
