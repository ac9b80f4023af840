"""Ctrl-C and SIGTERM: the first asks to come to an end, the second insists."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Obeys signals while it is entered: each carries out the next order.

    As long as no orders are given, a signal is a KeyboardInterrupt; when all are carried out it does nothing
    more. Orders are carried out in a signal handler: they must leave all real work to a loop.
    """

    def __init__(self) -> None:
        self.asked = False
        """Whether a signal has come."""
        self._orders: list[Callable[[], None]] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def order(self, *orders: Callable[[], None]) -> None:
        """Say what the next signals are to do."""
        self._orders = list(orders)

    def ask(self) -> None:
        """Do what a signal would do."""
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
