"""Places, shared or not, and what a bot has in each thing that decides them."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Protocol

from msgspec import Struct


def span_text(first: int, last: int) -> str:
    """Return a place, or the places that several bots share.

    >>> span_text(1, 1), span_text(5, 8)
    ('1', '5-8')
    """
    return f"{first}" if first == last else f"{first}-{last}"


class Scored(Protocol):
    """What orders of a table use of a bot."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def points(self) -> float:
        """First places of matches, shared among the bots that have them."""

    @property
    def percent(self) -> float:
        """Points of 100 matches."""

    @property
    def wins(self) -> int:
        """Matches in which it alone was first."""

    @property
    def elo(self) -> float | None:
        """Its rating, if it has one."""


class Place(Struct, frozen=True):
    """The place of one bot."""

    place: int
    """The best place that it has, or that it may still reach in a knockout; in its pool, if it is in one."""
    place_to: int
    """The last of the places that it shares; the same as `place` if it has one alone."""
    pool: str = ""
    """The pool of a divided round robin: `A`, `B`..."""
    swiss_points: int | None = None
    """Points of the rounds that are over, rests included."""
    buchholz: int | None = None
    """Swiss points of all bots that it met, once for each round; those of a rest are its own."""
    head_to_head: int | None = None
    """Comparisons won less those lost, against the bots with equal points; where points order the table."""
    rests: int = 0
    """Rounds in which it rested."""
    out_in: int | None = None
    """The round in which it left a knockout; None for the winner, and as long as it is in."""
    by_lot: bool = False
    """Whether only the lot parted it from another bot."""


class OfficialOrder(Struct, frozen=True):
    """The places of all bots, and by what they were decided."""

    places: dict[str, Place]
    """In the order of the table."""
    ordered_by: tuple[str, ...]
    """What decides, the first before the second and so on."""
    sentence: str
    """That, for people."""
    follows_rounds: bool = False
    """Whether rounds decide the places, whose pairings follow from results."""


def ranked(
    names: Iterable[str], key: Callable[[str], object], row: Callable[[str], object]
) -> list[tuple[str, int, int]]:
    """Return names with their places, from and to; those with equal keys share them.

    `row` says which of them stands first.
    """
    order: Sequence[str] = sorted(names, key=lambda name: (key(name), row(name)))
    found: list[tuple[str, int, int]] = []
    for _, equals in groupby(order, key=key):
        sharing = list(equals)
        first = len(found) + 1
        found += [(name, first, first + len(sharing) - 1) for name in sharing]
    return found


def rating_key(line: Scored) -> tuple[bool, float]:
    """Return a key by which the better rating comes first, and a bot without one last."""
    return line.elo is None, -(line.elo or 0.0)


def in_words(things: Sequence[str]) -> str:
    """Return an enumeration.

    >>> in_words(["points"]), in_words(["points", "wins", "rating"])
    ('points', 'points, then wins and rating')
    """
    first, *rest = things
    if not rest:
        return first
    *more, last = rest
    return f"{first}, then {', '.join(more)}{' and ' if more else ''}{last}"
