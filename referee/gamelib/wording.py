"""Words for people: what the drawings and sentences of all games have in common."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from referee.game import Seen, View

__all__ = ["Names", "Seen", "Sentence", "Sentences", "count", "listed", "seat_mark", "verdict", "who"]

Names = Sequence[str]
"""The names of the seats."""
Sentence = Callable[[Seen, Names], str]
"""A function that describes events of one kind."""


class Sentences:
    """Describes events: a template or a function for each kind.

    The fields of a template are those of the event, and `{seat}` is the name of the seat. A game may write
    other fields in words, too: `gang=name_of` puts `name_of(event["gang"], names)` in the place of `{gang}`.
    """

    def __init__(self, templates: Mapping[str, str], **words: Callable[[Any, Names], str]) -> None:
        self._words = {"seat": lambda seat, names: names[seat], **words}
        self._by_kind: dict[str, Sentence] = {
            kind: partial(self._fill, template) for kind, template in templates.items()
        }

    def add(self, sentence: Sentence) -> Sentence:
        """Take a function for the kind of event that its name says (`_drawn` for `drawn`)."""
        self._by_kind[sentence.__name__.removeprefix("_")] = sentence
        return sentence

    def __iter__(self) -> Iterator[str]:
        """Iterate over the kinds of events: those with templates, then those with functions."""
        return iter(self._by_kind)

    def __call__(self, event: Seen, names: Names) -> str:
        """Return a sentence for an event as a seat saw it."""
        return self._by_kind[event["event"]](event, names)

    def _fill(self, template: str, event: Seen, names: Names) -> str:
        words = self._words
        return template.format_map(
            {field: words[field](value, names) if field in words else value for field, value in event.items()}
        )


def listed(words: Sequence[str]) -> str:
    """Return words as a list of the language.

    >>> listed(["Al", "Bugs", "Cleo"])
    'Al, Bugs and Cleo'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def who(seats: Iterable[int], names: Names) -> str:
    """Return the names of some seats as a list of the language."""
    return listed([names[seat] for seat in seats])


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "card"), count(2, "card")
    ('1 card', '2 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def seat_mark(view: View, seat: int) -> str:
    """Return how a drawing marks a seat: `@0`, or `@0 (you)` if the view is its own."""
    return f"@{seat} (you)" if seat == view["you"] else f"@{seat}"


def verdict(view: View) -> str:
    """Return how the headline of a drawing says that the game is over."""
    return f"over ({view['reason']}): ranks {' '.join(map(str, view['ranking']))}"
