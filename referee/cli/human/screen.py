"""What people see and type: styled on a terminal, plain text for a pipe or a screen reader."""

import os
import stat
import sys
from collections import deque
from collections.abc import Callable
from typing import TextIO

from referee.hub.event_loop import EventLoop
from referee.wording import clean_lines

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""Cleans the terminal and, where it obeys, what was scrolled out of sight."""

_CHUNK = 65_536


class Screen:
    """Writes for people. Whatever would command the terminal is spelled out."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self.is_terminal = self._out.isatty()

    def say(self, text: str = "", style: str = "") -> None:
        """Write lines; `style` is one of rich's, for a terminal."""
        lines = clean_lines(text) or [""]
        if self.is_terminal and style:
            from rich.console import Console
            from rich.text import Text

            console = Console(file=self._out, highlight=False)
            for line in lines:
                console.print(Text(line, style), soft_wrap=True)
        else:
            self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()

    def show(self, markdown: str) -> None:
        """Write a text in Markdown: laid out on a terminal, as it is elsewhere."""
        if not self.is_terminal:
            self.say(markdown)
            return
        from rich.console import Console
        from rich.markdown import Markdown

        Console(file=self._out).print(Markdown(markdown))

    def prompt(self, text: str) -> None:
        """Ask for a line; on a terminal it is typed behind the question."""
        self._out.write(f"{text} " if self.is_terminal else f"{text}\n")
        self._out.flush()

    def clear(self) -> None:
        """Hide what was written; in a pipe nothing can be hidden, and nobody looks over a shoulder."""
        if self.is_terminal:
            self._out.write(_CLEAR)
            self._out.flush()


class Keyboard:
    """Lines as they are typed, or piped, without ever waiting for one."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._begun = b""
        self._lines: deque[str] = deque()
        self.is_over = False
        """Whether there will be no more lines than are here."""
        self.is_terminal = os.isatty(descriptor)

    def listen(self, loop: EventLoop, heard: Callable[[], None]) -> None:
        """Call `heard` whenever there is something new."""

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
        """Return the next line, if it is here."""
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
            # The terminal is gone, or there never was an input.
            chunk = b""
        if not chunk:
            self.is_over = True
            chunk = b"\n" if self._begun else b""
        *lines, self._begun = (self._begun + chunk).split(b"\n")
        self._lines += [line.decode(errors="replace").strip() for line in lines]
