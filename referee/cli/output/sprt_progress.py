"""The state of a sequential test: a live line on a terminal, a line now and then in a log. All on stderr."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from referee.wording import plural
from tournaments.rating.sprt import Sprt, SprtState

if TYPE_CHECKING:
    from rich.status import Status as RichStatus

_EVERY_S = 2.0
"""The least time between two lines in a log; the first comes with the first block."""
_LIVE_S = 0.25
"""The least time between two changes of the live line."""


class SprtProgress:
    """Prints the state of a test while it runs."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._printed = 0.0
        self._status: RichStatus | None = None

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            # Imported late: a pipe does not need it.
            from rich.console import Console

            self._status = Console(stderr=True).status("the first block")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def note(self, text: str) -> None:
        """Print a line beside the live one."""
        if self._status is not None:
            self._status.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text, err=True)

    def update(self, test: Sprt) -> None:
        """Print the state of the test, if it is time: its estimates cost more than a quick match."""
        now = time.monotonic()
        every_s = _EVERY_S if self._status is None else _LIVE_S
        if self._quiet or (self._printed and now - self._printed < every_s):
            return
        self._printed = now
        if self._status is not None:
            self._status.update(describe(test.state).replace("[", r"\["))
        else:
            click.echo(describe(test.state), err=True)


def describe(state: SprtState) -> str:
    """Return the state of a test in one line."""
    parts = [
        plural(state.blocks, "block"),
        f"log likelihood ratio {state.llr:+.2f} in [{state.lower:.2f}, {state.upper:.2f}]",
    ]
    if state.elo is not None:
        parts.append(f"Elo {state.elo:+z.1f}")
    elif state.score is not None:
        parts.append(f"score {100 * state.score:.1f} %")
    if state.left is not None:
        parts.append(f"{state.left} to go")
    return ", ".join(parts)
