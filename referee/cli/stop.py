"""Ctrl-C and SIGTERM: the first asks to come to an end, the second insists."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Self

import click

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Obeys signals while it is entered: each carries out the next order, and all are remembered.

    With no orders given a signal is a KeyboardInterrupt; when all are carried out it does nothing more.
    """

    def __init__(self) -> None:
        self.asked = 0
        """How many signals have come."""
        self._orders: list[tuple[str, Callable[[], None]]] | None = None
        self._before: dict[int, signal._HANDLER] = {}

    def order(self, *orders: tuple[str, Callable[[], None]]) -> None:
        """Say what the next signals are to do, each with what the operator is told."""
        self._orders = list(orders)

    def __enter__(self) -> Self:
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._obey)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _obey(self, _number: int, _frame: FrameType | None) -> None:
        self.asked += 1
        if self._orders is None:
            raise KeyboardInterrupt
        if self._orders:
            told, carry_out = self._orders.pop(0)
            carry_out()
            click.echo(f"\n{told}" if click.get_text_stream("stderr").isatty() else told, err=True)
