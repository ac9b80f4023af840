"""How a store that is written outlasts its server: it tries again until the server is back.

A run may take days, and a server is restarted now and then. A store that was asked to wait does so in the
thread that uses it, for as long as it takes; the operator is sent a line when it begins, and when it is over.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from tournaments.store.errors import StoreOutageError

Found = TypeVar("Found")

_FIRST_S: Final = 0.1
_LONGEST_S: Final = 5.0
"""The waits between two tries: each is twice as long as the one before, up to this."""

_LOOK_S: Final = 0.1
"""How often a wait looks whether the operator has given up."""


class Patience:
    """Whether to wait for a server. Until it has a reader for its lines, an outage is an error."""

    def __init__(self) -> None:
        self.report: Callable[[str], None] | None = None
        """Takes a line for the operator, in the thread that waits."""
        # Not an event of `threading`: a signal handler sets it, while the same thread may be waiting for it.
        self._given_up = False
        self._is_out = False

    def give_up(self) -> None:
        """End all waits: what waits for the server fails. May be called from a signal handler."""
        self._given_up = True

    def outlast(self, work: Callable[[], Found]) -> Found:
        """Return what the work returns, which is tried again as long as the server is gone."""
        wait_s = _FIRST_S
        while True:
            try:
                found = work()
            except StoreOutageError as error:
                if self.report is None:
                    raise
                self._note_outage(error)
                self._sleep(wait_s, error)
                wait_s = min(2 * wait_s, _LONGEST_S)
            else:
                self._note_return()
                return found

    def _note_outage(self, error: StoreOutageError) -> None:
        if not self._is_out and self.report is not None:
            self._is_out = True
            self.report(f"{error}; waiting until it is back: nothing is lost (Ctrl-C twice gives up)")

    def _note_return(self) -> None:
        if self._is_out and self.report is not None:
            self._is_out = False
            self.report("the server of the store is back; going on")

    def _sleep(self, wait_s: float, error: StoreOutageError) -> None:
        end = time.monotonic() + wait_s
        while time.monotonic() < end:
            if self._given_up:
                raise error
            time.sleep(_LOOK_S)
