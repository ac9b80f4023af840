"""The standard streams of a command: usable even if they were closed or can take nothing.

A closed stdin is an empty one. A closed stdout is an error for a command that writes to it, as a full disk
is. Messages to a stderr that is closed or full are lost, and change no exit code.
"""

import io
import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing_extensions import Buffer

_INSTEAD: Final = {0: os.O_RDONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
"""How /dev/null is opened in place of a closed descriptor: writing to a closed stdout must fail."""


def repair() -> None:
    """Replace closed descriptors, so that no file or socket of ours gets their numbers, and the streams."""
    closed = [number for number in _INSTEAD if _is_closed(number)]
    for number in closed:
        opened = os.open(os.devnull, _INSTEAD[number])
        os.dup2(opened, number)
        os.set_inheritable(number, True)
        if opened != number:
            os.close(opened)
    if 0 in closed:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process
    if 1 in closed:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - likewise
    encoding = sys.stderr.encoding if sys.stderr is not None else "utf-8"
    buffer = io.BufferedWriter(_Errors(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(buffer, encoding, "backslashreplace", line_buffering=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that is not UTF-8, or a terminal without our characters, must not end a command.
        sys.stdout.reconfigure(errors="backslashreplace")


class _Errors(io.FileIO):
    """The descriptor of stderr; what it cannot take is lost."""

    def write(self, data: "Buffer", /) -> int:
        """Write, or lose, the data."""
        try:
            written = super().write(data)
        except OSError:
            written = None
        return memoryview(data).nbytes if written is None else written


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False
