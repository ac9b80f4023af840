"""Ctrl-C and SIGTERM: the first lets running matches end, the second abandons them."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Handles signals while it is entered: each calls the next of the given functions.

    Before any functions are given, a signal raises KeyboardInterrupt; when all have been called, it does
    nothing more. They are called in a signal handler, so they must leave all real work to a loop.
    """

    def __init__(self, *, restarts: bool = False) -> None:
        """Handle no signal yet; with `restarts` SIGHUP does as the others, and asks for a restart."""
        self.asked = False
        """Whether a signal has arrived."""
        self.restart = False
        """Whether the command is to start itself again."""
        self._restarts = restarts
        self._calls: list[Callable[[], None]] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def then(self, *calls: Callable[[], None]) -> None:
        """Set what the next signals call, one after the other."""
        self._calls = list(calls)

    def ask(self) -> None:
        """Act as if a signal had arrived."""
        self._handle(signal.SIGINT, None)

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        if self._restarts:
            self._before[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._handle_restart)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle_restart(self, number: int, frame: FrameType | None) -> None:
        # A command that is only starting does so with what it has just read, and needs no restart.
        if self._calls is not None and not self.asked:
            self.restart = True
            self._handle(number, frame)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        if self._calls is None:
            raise KeyboardInterrupt
        if self._calls:
            self._calls.pop(0)()
