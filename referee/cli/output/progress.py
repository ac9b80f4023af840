"""The progress of a run of matches, on stderr: a bar on a terminal, otherwise a line every few seconds."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from referee.wording import clean

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_EVERY_S = 2.0
"""The shortest time between two lines; the first comes with the first match."""


class Progress:
    """Prints how many matches are done, the rate, the time left, and the leading bot."""

    def __init__(self, total: int, *, quiet: bool, before: int = 0) -> None:
        """Prepare to count up to `total`, of which `before` are done already."""
        self._total = total
        self._quiet = quiet
        self._before = before
        self._done = before
        self._began = time.monotonic()
        self._told = 0.0
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        if not self._quiet and sys.stderr.isatty():
            self._bar = _bar()
            self._bar.add_task("", total=self._total, completed=self._before, rate="", leader="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def note(self, text: str) -> None:
        """Print a line beside the bar."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text, err=True)

    def expect(self, total: int) -> None:
        """Change the total: a new round has begun."""
        self._total = total
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], total=total)

    def done(self, leader: str) -> None:
        """Count a finished match."""
        self._done += 1
        now = time.monotonic()
        rate = (self._done - self._before) / max(1e-6, now - self._began)
        ahead = f"{clean(leader)} has most points" if leader else ""
        if self._bar is not None:
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=self._done, rate=f"{rate:.1f}/s", leader=ahead)
        elif not self._quiet and (not self._told or now - self._told >= _EVERY_S):
            self._told = now
            left = f"{(self._total - self._done) / rate:.0f} s left"
            parts = (f"{self._done}/{self._total} matches", f"{rate:.1f}/s", left, ahead)
            click.echo(", ".join(filter(None, parts)), err=True)


def _bar() -> "Bar":
    # Imported here: a pipe does not need it.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("matches"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[leader]}", markup=False),
        console=Console(stderr=True),
        refresh_per_second=5,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
