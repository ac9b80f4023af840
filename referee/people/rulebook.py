"""The rules of a game in parts that a person can ask for: the introduction, and each section."""

import re
from typing import NamedTuple

_HEADING = re.compile(r"^## +(.*)$", re.MULTILINE)


_DIGITS = 6


def number_in(text: str) -> int | None:
    """Return the number that was typed, or None if the text is no number of an action.

    >>> number_in("12"), number_in("12a"), number_in("9" * 5_000)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


class Section(NamedTuple):
    """A section of the rules."""

    title: str
    text: str


class Rulebook:
    """The rules of one game, from its RULES.md."""

    def __init__(self, rules: str) -> None:
        head, *rest = _HEADING.split(rules)
        self.head = head.strip()
        """Everything before the first section."""
        self.sections = [
            Section(title.strip(), text.strip()) for title, text in zip(rest[::2], rest[1::2], strict=True)
        ]

    @property
    def introduction(self) -> str:
        """The first paragraph below the title, on one line."""
        paragraphs = [text for text in re.split(r"\n\s*\n", self.head) if not text.startswith("#")]
        return " ".join(paragraphs[0].split()) if paragraphs else ""

    def contents(self) -> list[str]:
        """Return the titles of the sections, with what to type for each."""
        titles = [re.sub(r"^\d+\. *", "", section.title) for section in self.sections]
        return [f"rules {number}  {title}" for number, title in enumerate(titles, 1)]

    def find(self, wanted: str) -> Section | None:
        """Return a section by its number or a part of its title."""
        number = number_in(wanted)
        if number is not None and 1 <= number <= len(self.sections):
            return self.sections[number - 1]
        found = [section for section in self.sections if wanted.lower() in section.title.lower()]
        return found[0] if found else None
