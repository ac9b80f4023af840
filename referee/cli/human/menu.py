"""The legal actions as a numbered list of any length that a person can read. Pure.

An action keeps its number during the whole decision, in every part of the list that is shown. A list that is
too long for a page is grouped by its first words (`own 1`: 36 actions) where that helps, or shown in pages.
"""

from collections.abc import Sequence
from typing import NamedTuple

PAGE = 20
"""Lines of a page."""


class MenuLine(NamedTuple):
    """A line of the menu: one action with its number, or the first words of several."""

    numbers: range
    words: str

    @property
    def is_group(self) -> bool:
        """Whether it stands for several actions."""
        return len(self.numbers) > 1


class Menu:
    """The actions of one decision, and the part of them a person is looking at."""

    def __init__(self, legal: Sequence[str]) -> None:
        self.legal = list(legal)
        self._wanted = ""
        self._shown: list[int] = list(range(len(self.legal)))
        self._page = 0

    def numbered(self, number: int) -> str | None:
        """Return the action of a number, if it has one."""
        return self.legal[number - 1] if 1 <= number <= len(self.legal) else None

    def number_of(self, action: str) -> int:
        """Return the number of an action."""
        return self.legal.index(action) + 1

    def spelled(self, text: str) -> str | None:
        """Return the action with this text, in upper or lower case."""
        return next((action for action in self.legal if action.lower() == text.lower()), None)

    def narrow(self, text: str) -> bool:
        """Show only actions that begin with this text or contain all its words; return whether there are any.

        Nothing changes if there are none; an empty text shows all.
        """
        wanted = " ".join(text.lower().split())
        lower = [action.lower() for action in self.legal]
        found = [n for n, action in enumerate(lower) if _begins(action, wanted)]
        if not found:
            found = [n for n, action in enumerate(lower) if all(part in action for part in wanted.split())]
        if found:
            self._wanted, self._shown, self._page = wanted, found, 0
        return bool(found)

    def turn(self) -> None:
        """Turn to the next page; after the last comes the first."""
        self._page += 1

    def lines(self) -> list[MenuLine]:
        """Return the page that is shown."""
        entries = self._entries()
        pages = -(-len(entries) // PAGE)
        first = self._page % pages * PAGE
        return entries[first : first + PAGE]

    def shows(self, number: int) -> bool:
        """Return whether this action has a line of its own on the page."""
        return any(list(line.numbers) == [number] for line in self.lines())

    def heading(self) -> str:
        """Describe the part of the list that is shown; '' if it is the whole list."""
        entries = self._entries()
        pages = -(-len(entries) // PAGE)
        parts = [f"{len(self._shown)} of {len(self.legal)} actions"] if self._wanted else []
        parts += [f"with {self._wanted!r}"] if self._wanted else []
        parts += [f"page {self._page % pages + 1} of {pages}, Enter for the next"] if pages > 1 else []
        if any(entry.is_group for entry in entries):
            parts.append("type the first words of a group to see its actions")
        return ", ".join(parts)

    def _entries(self) -> list[MenuLine]:
        """Return all lines of the shown part, grouped by first words if that makes fewer lines."""
        if len(self._shown) > PAGE:
            words = [self.legal[n].split() for n in self._shown]
            for depth in range(1, max(map(len, words))):
                groups = _grouped([" ".join(each[:depth]) for each in words], self._shown)
                if 1 < len(groups) <= PAGE:
                    return [each if each.is_group else self._single(each.numbers.start) for each in groups]
        return [self._single(n + 1) for n in self._shown]

    def _single(self, number: int) -> MenuLine:
        return MenuLine(range(number, number + 1), self.legal[number - 1])


def _begins(action: str, wanted: str) -> bool:
    return action == wanted or action.startswith(f"{wanted} ") or not wanted


def _grouped(firsts: Sequence[str], places: Sequence[int]) -> list[MenuLine]:
    """Return a line for every run of equal first words with consecutive numbers."""
    lines: list[MenuLine] = []
    for first, place in zip(firsts, places, strict=True):
        if lines and lines[-1].words == first and lines[-1].numbers.stop == place + 1:
            lines[-1] = MenuLine(range(lines[-1].numbers.start, place + 2), first)
        else:
            lines.append(MenuLine(range(place + 1, place + 2), first))
    return lines
