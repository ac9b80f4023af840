"""Output and input of people: styled on a terminal, plain text for a pipe or a screen reader."""

import os
import shutil
import stat
import sys
from collections import deque
from collections.abc import Callable
from typing import TextIO

from referee.cli.human.layout import fit_board, is_cut, wrapped
from referee.hub.event_loop import EventLoop
from referee.wording import clean_lines

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""Clears the terminal and, where it is supported, its scroll buffer."""

_CHUNK = 65_536

_LEAST_WIDTH = 20
"""A terminal that reports fewer columns is treated as if it had these."""


class Screen:
    """Writes for people. Control characters are written as escapes."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self.is_terminal = self._out.isatty()
        self._has_hinted = False

    def say(self, text: str = "", style: str = "") -> None:
        """Write lines; `style` is one of rich's, for a terminal."""
        lines = [part for line in clean_lines(text) or [""] for part in self._fitted(line)]
        if self.is_terminal and style:
            from rich.console import Console
            from rich.text import Text

            console = Console(file=self._out, highlight=False)
            for line in lines:
                console.print(Text(line, style), soft_wrap=True)
        else:
            self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()

    def show_board(self, board: str) -> None:
        """Write the drawing of a board; one that is too wide for the terminal in parts, with a hint, once."""
        lines = clean_lines(board)
        widest = max(map(len, lines), default=0)
        if self.is_terminal and widest > self.width:
            if is_cut(board, self.width) and not self._has_hinted:
                self._has_hinted = True
                self.say(
                    f"The drawing is {widest} columns wide, and this terminal {self.width}: it is shown in "
                    "parts, one below the other. In a wider window it is in one piece.",
                    "yellow",
                )
                self.say()
            lines = fit_board("\n".join(lines), self.width)
        for line in lines:
            self.say(line)

    @property
    def width(self) -> int:
        """The columns of the terminal; without one, more than any line has."""
        if not self.is_terminal:
            return sys.maxsize
        return max(_LEAST_WIDTH, shutil.get_terminal_size().columns)

    def _fitted(self, line: str) -> list[str]:
        return wrapped(line, self.width) if self.is_terminal else [line]

    def show(self, markdown: str) -> None:
        """Write a text in Markdown: formatted on a terminal, unchanged in a pipe."""
        if not self.is_terminal:
            self.say(markdown)
            return
        from rich.console import Console
        from rich.markdown import Markdown

        Console(file=self._out).print(Markdown(markdown))

    def prompt(self, text: str) -> None:
        """Ask for a line; on a terminal it is typed after the question."""
        self._out.write(f"{text} " if self.is_terminal else f"{text}\n")
        self._out.flush()

    def clear(self) -> None:
        """Clear the terminal, so that the next person does not see the cards of the last; a pipe stays."""
        if self.is_terminal:
            is_dumb = os.environ.get("TERM") in (None, "", "dumb")
            self._out.write("\n" * shutil.get_terminal_size().lines if is_dumb else _CLEAR)
            self._out.flush()


class Keyboard:
    """Reads lines from a terminal or a pipe without blocking."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._begun = b""
        self._lines: deque[str] = deque()
        self.is_over = False
        """Whether the input has ended: no lines follow those already read."""
        self.is_terminal = os.isatty(descriptor)

    def listen(self, loop: EventLoop, heard: Callable[[], None]) -> None:
        """Call `heard` after each read."""

        def read() -> None:
            self._read()
            if self.is_over:
                loop.forget(self._descriptor)
            heard()

        if self._can_be_waited_for():
            loop.watch(self._descriptor, read)
        else:
            while not self.is_over:
                self._read()

    def next(self) -> str | None:
        """Return the next line that has been read, or None."""
        return self._lines.popleft() if self._lines else None

    def _can_be_waited_for(self) -> bool:
        try:
            mode = os.fstat(self._descriptor).st_mode
        except OSError:
            return False
        return self.is_terminal or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)

    def _read(self) -> None:
        try:
            chunk = os.read(self._descriptor, _CHUNK)
        except OSError:
            # The terminal was closed, or there is no input.
            chunk = b""
        if not chunk:
            self.is_over = True
            chunk = b"\n" if self._begun else b""
        *lines, self._begun = (self._begun + chunk).split(b"\n")
        self._lines += [line.decode(errors="replace").strip() for line in lines]
