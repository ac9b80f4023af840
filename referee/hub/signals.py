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

    def __init__(self) -> None:
        self.asked = False
        """Whether a signal has arrived."""
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
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        if self._calls is None:
            raise KeyboardInterrupt
        if self._calls:
            self._calls.pop(0)()
