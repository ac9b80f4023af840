"""Text that a bot printed to stdout, where only messages may go: said in words, with the cure.

The language of a bot is guessed from its command. A program such as `./bot`, or one on another host, shows
none, so all usual ones are named.
"""

import re
import shlex
from collections.abc import Iterable
from pathlib import PurePath
from typing import Final

from referee.replay.dossier import Said
from referee.wording import clean

_SHOWN: Final = 60
"""Characters of the print that stand in the sentence."""

_CURES: Final = (
    (r"python[\d.]*|pypy[\d.]*|.+\.py", "print(..., file=sys.stderr)"),
    (r"node|deno|bun|tsx|ts-node|.+\.[cm]?[jt]s", "console.error(...)"),
    (r"java|.+\.jar", "System.err.println(...)"),
    (r"perl|.+\.pl", "print STDERR ..."),
    (r"ruby|.+\.rb", "warn ..."),
    (r"php|.+\.php", "fwrite(STDERR, ...)"),
    (r"lua[\d.]*|luajit|.+\.lua", "io.stderr:write(...)"),
    (r"Rscript|.+\.R", "message(...)"),
    (r"julia|.+\.jl", "println(stderr, ...)"),
    (r"dotnet|mono", "Console.Error.WriteLine(...)"),
    (r"cargo", "eprintln!(...)"),
    (r"go", "fmt.Fprintln(os.Stderr, ...)"),
    (r"(ba|da|z|k)?sh|.+\.sh", "echo ... >&2"),
)
"""By what a command calls, as a pattern for one of its words: how that language prints to stderr."""

_ANY: Final = (
    "Python: print(..., file=sys.stderr), JavaScript: console.error(...), Java: System.err.println(...), "
    "C: fprintf(stderr, ...), C++: std::cerr << ..., Rust: eprintln!(...), Go: fmt.Fprintln(os.Stderr, ...)"
)


def cure_for(command: str) -> str:
    """Return how a bot that is started so prints to stderr.

    >>> cure_for("/usr/bin/python3 bot.py --fast")
    'print(..., file=sys.stderr)'
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word in words:
        name = PurePath(word).name
        for pattern, cure in _CURES:
            if re.fullmatch(pattern, name):
                return cure
    return _ANY


def stray_print(messages: Iterable[Said], command: str) -> str:
    """Return in words that the last bad message is a print, and what to do about it; '' if it is none."""
    bad = [said for said in messages if said.bytes]
    return print_advice(bad[-1].line, command) if bad and bad[-1].is_stray_print else ""


def print_advice(line: str, command: str) -> str:
    """Return in words that this line is a print, and what to do about it."""
    shown = clean(line[:_SHOWN]) + ("…" if len(line) > _SHOWN else "")
    return (
        f"the bot printed “{shown}” on stdout, where only messages may go. Print to stderr: "
        f"{cure_for(command)}"
    )
