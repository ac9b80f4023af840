"""Ctrl-C and SIGTERM: the first lets running matches end, the second abandons them."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Handles signals while it is entered: each signal calls the next order.

    Before orders are given, a signal raises KeyboardInterrupt; after the last order a signal has no effect.
    Orders run in a signal handler, so they must leave all work to an event loop.
    """

    def __init__(self) -> None:
        self.asked = False
        """Whether a signal has arrived."""
        self._orders: list[Callable[[], None]] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def order(self, *orders: Callable[[], None]) -> None:
        """Set what the next signals do, in order."""
        self._orders = list(orders)

    def ask(self) -> None:
        """Act as if a signal had arrived."""
        self._obey(signal.SIGINT, None)

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._obey) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _obey(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        if self._orders is None:
            raise KeyboardInterrupt
        if self._orders:
            self._orders.pop(0)()
