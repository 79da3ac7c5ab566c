"""A signal that asks for a stop: raised at once, or held back until lanes are saved."""

import contextlib
from collections.abc import Callable, Iterator


class Stopping:
    """What the launcher's signal handler tells, and who can take it when it comes.

    Without a launcher nobody tells it anything, and Ctrl-C is Python's own.
    """

    def __init__(self) -> None:
        self._held = False
        self._signal: str | None = None

    def tell(self, signal: str) -> None:
        """Takes a signal by its name.

        Raises:
          KeyboardInterrupt: nobody holds it back.
        """
        if not self._held:
            raise KeyboardInterrupt(signal)
        self._signal = signal

    @contextlib.contextmanager
    def held_back(self) -> Iterator[Callable[[], bool]]:
        """Yields what tells whether a signal came; leaving the block raises it."""
        self._held = True
        try:
            yield lambda: self._signal is not None
        finally:
            self._held = False
        if self._signal is not None:
            raise KeyboardInterrupt(self._signal)
