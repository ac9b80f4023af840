"""Text for people: safe to print on a terminal, with numbers and columns as people read them."""

import os
import shlex
from collections.abc import Iterable, Sequence


def clean(text: str) -> str:
    r"""Return text that cannot command the terminal: what is not printable is spelled out.

    >>> clean("\x1b[2Jhello")
    '\\x1b[2Jhello'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def clean_lines(text: str) -> list[str]:
    """Return the lines of a text, each safe to print."""
    return [clean(line.replace("\t", "    ")) for line in text.splitlines()]


def shell_line(words: Iterable[str]) -> str:
    r"""Return words as a line that any shell reads as these words, and that is safe to print.

    >>> shell_line(["cd", "a b", "\u200d%"])
    'cd \'a b\' "$(printf \'\\342\\200\\215%%\')"'
    """
    return " ".join(map(_shell_word, words))


def _shell_word(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    # Such as the character that joins emoji: the shell makes it of its bytes.
    letters = [c if c.isprintable() and c not in "\\%'" else _octal(c) for c in word]
    if letters[0] == "-":
        # A format that begins so is read as an option.
        letters[0] = _octal("-")
    return f"\"$(printf '{''.join(letters)}')\""


def _octal(letter: str) -> str:
    return "%%" if letter == "%" else "".join(f"\\{byte:03o}" for byte in os.fsencode(letter))


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "seat"), plural(3, "seat"), plural(2, "match")
    ('1 seat', '3 seats', '2 matches')
    """
    ending = "es" if noun.endswith("ch") else "s"
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{ending}"


def in_ms(us: int) -> str:
    """Return microseconds as milliseconds, for people."""
    return f"{us / 1000:.1f} ms" if us < 100_000 else f"{us // 1000} ms"


def aligned(rows: Iterable[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return rows of cells as lines with straight columns."""
    cells = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in cells
    ]


def lasting(seconds: float) -> str:
    """Return a duration for people.

    >>> lasting(0.2), lasting(75), lasting(7_200)
    ('1 s', '1 min', '2 h')
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 3_600:
        return f"{round(seconds / 60)} min"
    hours = round(seconds / 3_600)
    return f"{hours} h" if hours < 72 else f"{round(hours / 24)} days"
